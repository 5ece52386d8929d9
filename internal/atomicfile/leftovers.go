package atomicfile

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// besideName is the name of a temporary file of a name, by a number of its own.
func besideName(name string, number uint64) string {
	return filepath.Join(filepath.Dir(name), fmt.Sprintf("%s%d", besidePrefix(name), number))
}

func besidePrefix(name string) string { return "." + filepath.Base(name) + ".tmp" }

// removeLeftovers removes temporary files of a name whose processes were killed before they could. Those of living processes are
// locked, and stay; so do all of them where nothing is known of locks.
func removeLeftovers(name string) {
	if !locks {
		return
	}
	dir, err := os.Open(filepath.Dir(name))
	if err != nil {
		return // what cannot be tidied is no reason not to write
	}
	all, _ := dir.Readdirnames(-1)
	dir.Close()
	for _, one := range all {
		digits, ours := strings.CutPrefix(one, besidePrefix(name))
		if number, err := strconv.ParseUint(digits, 10, 64); !ours || err != nil || digits != strconv.FormatUint(number, 10) {
			continue
		}
		removeUnlocked(filepath.Join(filepath.Dir(name), one))
	}
}

// removeUnlocked removes a regular file that no process has locked.
func removeUnlocked(name string) {
	st, err := os.Lstat(name)
	if err != nil || !st.Mode().IsRegular() {
		return
	}
	f, err := os.OpenFile(name, os.O_RDWR|unblocked, 0)
	if os.IsPermission(err) { // as that of an old file which may only be read
		f, err = os.OpenFile(name, os.O_RDONLY|unblocked, 0)
	}
	if err != nil {
		return
	}
	defer f.Close()
	if at, err := f.Stat(); err == nil && os.SameFile(st, at) && surelyLocked(f) {
		os.Remove(name)
	}
}

// kept locks a new temporary file, so that nobody takes it for a leftover. False says that somebody has, before it was locked.
func kept(f *os.File) bool {
	if !lock(f) {
		return false
	}
	made, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(f.Name())
	return err == nil && os.SameFile(made, there)
}
