package atomicfile_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/internal/atomicfile"
)

// Devices are written to and stay what they are; links stay links.
func TestAtomicLeavesDevicesAndLinks(t *testing.T) {
	t.Chdir(t.TempDir())
	if st, err := os.Stat(os.DevNull); err == nil && st.Mode()&os.ModeDevice != 0 {
		if err := os.Symlink(os.DevNull, "null"); err != nil {
			t.Skip(err)
		}
		if err := atomicfile.Write("null", text("x")); err != nil {
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
	if err := atomicfile.Write("link", text("new")); err != nil {
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

// A link to a file that does not exist yet, also through other links and folders that are links, stays and leads to what was
// written.
func TestAtomicMakesWhatLinksLeadTo(t *testing.T) {
	t.Chdir(t.TempDir())
	os.MkdirAll(filepath.Join("deep", "real"), 0o755)
	for name, to := range map[string]string{
		"link": "made", "linked": filepath.Join("deep", "real"), filepath.Join("deep", "real", "up"): filepath.Join("..", "above"),
		"second": filepath.Join("linked", "up"), "astray": filepath.Join("nowhere", "x"), "round": "again", "again": "round",
	} {
		if err := os.Symlink(to, name); err != nil {
			t.Skip(err)
		}
	}
	for name, made := range map[string]string{"link": "made", "second": filepath.Join("deep", "above")} {
		if err := atomicfile.Writable(name); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(made); err == nil {
			t.Errorf("%s: was made by asking whether it may be", made)
		}
		if err := atomicfile.Write(name, text("x")); err != nil {
			t.Error(err)
		}
		if st, err := os.Lstat(name); err != nil || st.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s became %v, %v", name, st.Mode(), err)
		}
		if b, err := os.ReadFile(made); string(b) != "x" {
			t.Errorf("%s holds %q, %v", made, b, err)
		}
	}
	for name, want := range map[string]string{"astray": "astray: leads to ", "round": "only to more links"} {
		if err := atomicfile.Writable(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", name, err, want)
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
	if err := atomicfile.Write("full", text("x")); err == nil {
		t.Error("a full device took it")
	}
}

// text writes s.
func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}
