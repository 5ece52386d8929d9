package dataset_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
)

// Devices are written to and stay what they are; links stay links.
func TestAtomicLeavesDevicesAndLinks(t *testing.T) {
	t.Chdir(t.TempDir())
	if st, err := os.Stat(os.DevNull); err == nil && st.Mode()&os.ModeDevice != 0 {
		if err := os.Symlink(os.DevNull, "null"); err != nil {
			t.Skip(err)
		}
		if err := dataset.WriteAtomic("null", []byte("x")); err != nil {
			t.Error(err)
		}
		if st, err := os.Lstat("null"); err != nil || st.Mode()&os.ModeSymlink == 0 {
			t.Errorf("the link to a device became %v, %v", st.Mode(), err)
		}
	}
	os.Mkdir("d", 0o755)
	os.WriteFile(filepath.Join("d", "old"), []byte("old"), 0o644)
	if err := os.Symlink(filepath.Join("d", "old"), "link"); err != nil {
		t.Skip(err)
	}
	if err := dataset.WriteAtomic("link", []byte("new")); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(filepath.Join("d", "old")); string(b) != "new" {
		t.Errorf("the file behind the link holds %q", b)
	}
	if st, err := os.Lstat("link"); err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", st.Mode(), err)
	}
	for _, dir := range []string{".", "d"} {
		if all, _ := filepath.Glob(filepath.Join(dir, ".*.tmp*")); len(all) > 0 {
			t.Errorf("left %v", all)
		}
	}
}

// A full device is an error, and no file takes its place.
func TestAtomicOnFullDevice(t *testing.T) {
	if st, err := os.Stat("/dev/full"); err != nil || st.Mode()&os.ModeDevice == 0 {
		t.Skip("no /dev/full")
	}
	t.Chdir(t.TempDir())
	if err := os.Symlink("/dev/full", "full"); err != nil {
		t.Skip(err)
	}
	if err := dataset.WriteAtomic("full", []byte("x")); err == nil {
		t.Error("a full device took it")
	}
}
