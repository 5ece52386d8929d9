// Package atomicfile writes files that are complete or not there at all, whatever ends the process.
package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
)

// An File is written beside its final name and takes it only when it is complete: a full disk or a killed process
// leaves the old file as it was. It has the permissions of the old file, or those that any new file gets. A device or a pipe,
// such as /dev/stdout, is written as it is.
type File struct {
	*bufio.Writer
	f      *os.File
	name   string
	direct bool // there is nothing to rename
}

// Create starts to write name. Of a symbolic link the file that it leads to is replaced, or made where there is none, and
// the link stays.
func Create(name string) (*File, error) {
	st, err := os.Stat(name)
	if err == nil && st.IsDir() {
		return nil, fmt.Errorf("%s: is a folder; name a file", name)
	}
	if err == nil && !st.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return nil, fmt.Errorf("%s: cannot be written: %w", name, Pathless(err))
		}
		return &File{bufio.NewWriterSize(pathlessWriter{f}, 1<<18), f, name, true}, nil
	}
	to, err := Behind(name)
	if err != nil {
		return nil, err
	}
	f, err := createBeside(to, st)
	if err != nil { // in which the name of the temporary file says nothing to anybody
		if _, link := os.Readlink(name); link == nil {
			return nil, fmt.Errorf("%s: leads to %s, which cannot be written: %w", name, to, Pathless(err))
		}
		return nil, fmt.Errorf("%s: cannot be written: %w", name, Pathless(err))
	}
	return &File{bufio.NewWriterSize(pathlessWriter{f}, 1<<18), f, to, false}, nil
}

// A pathlessWriter keeps the name of a temporary file, which says nothing to anybody, out of errors, whoever wraps them.
type pathlessWriter struct{ f *os.File }

func (w pathlessWriter) Write(b []byte) (int, error) {
	n, err := w.f.Write(b)
	return n, Pathless(err)
}

// createBeside makes a temporary file in the folder of a name, where leftovers of killed processes go first; old is the file of
// that name, or nil.
func createBeside(name string, old os.FileInfo) (*os.File, error) {
	perm := os.FileMode(0o666) // less what the umask takes
	if old != nil {
		perm = old.Mode().Perm()
	}
	removeLeftovers(name)
	for tries := 1; ; tries++ {
		beside := besideName(name, rand.Uint64())
		f, err := os.OpenFile(beside, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
		if os.IsExist(err) && tries < 100 {
			continue
		}
		if err == nil && !kept(f) && tries < 100 {
			f.Close()
			os.Remove(beside)
			continue
		}
		if err == nil && old != nil {
			if err = f.Chmod(perm); err != nil {
				f.Close()
				os.Remove(beside)
			}
		}
		return f, err
	}
}

// Commit gives the file its name, after its bytes are on the disk.
func (a *File) Commit() error {
	err := a.Flush()
	if a.direct {
		if cerr := a.f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return fmt.Errorf("%s: not written: %w", a.name, Pathless(err))
		}
		return nil
	}
	if err == nil {
		err = a.f.Sync()
	}
	if locks && err == nil {
		err = os.Rename(a.f.Name(), a.name) // while it is locked: unlocked it would be a leftover to others
	}
	if cerr := a.f.Close(); err == nil {
		err = cerr
	}
	if !locks && err == nil {
		err = os.Rename(a.f.Name(), a.name) // which some systems refuse while it is open
	}
	if err != nil {
		os.Remove(a.f.Name())
		return fmt.Errorf("%s: not written, an older file of that name is unchanged: %w", a.name, Pathless(err))
	}
	return nil
}

// Abort removes what was written; after Commit it does nothing.
func (a *File) Abort() {
	if err := a.f.Close(); !errors.Is(err, os.ErrClosed) && !a.direct { // what a full disk says at Close is no reason to leave it
		os.Remove(a.f.Name())
	}
}

// Writable returns the error of Create or CreateExclusive without writing, so that it comes before the work and not after it.
// Devices and pipes are left alone: whoever reads a pipe would see it end.
func Writable(name string) error {
	if st, err := os.Stat(name); err == nil && !st.Mode().IsRegular() && !st.IsDir() {
		return nil
	}
	if err := busy(name); err != nil {
		return err
	}
	a, err := Create(name)
	if err == nil {
		a.Abort()
	}
	return err
}

// Write writes a whole file by one call of write, whose error leaves an older file of that name as it was.
func Write(name string, write func(io.Writer) error) error {
	a, err := Create(name)
	if err != nil {
		return err
	}
	defer a.Abort()
	if err := write(a); err != nil {
		return fmt.Errorf("%s: not written: %w", name, err)
	}
	return a.Commit()
}
