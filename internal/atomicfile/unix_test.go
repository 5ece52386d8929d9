//go:build unix

package atomicfile_test

import (
	"os"
	"syscall"
	"testing"

	"github.com/seed-b18ef778/gcg/internal/atomicfile"
)

// A new file has the permissions that the umask leaves; one that is replaced keeps its own, such as that nobody else may read it.
func TestAtomicKeepsPermissions(t *testing.T) {
	t.Chdir(t.TempDir())
	defer syscall.Umask(syscall.Umask(0o027))
	if err := os.WriteFile("private", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("shared", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod("shared", 0o664); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{"new": 0o640, "private": 0o600, "shared": 0o664} {
		if err := atomicfile.Write(name, text("x")); err != nil {
			t.Fatal(err)
		}
		if st, err := os.Stat(name); err != nil || st.Mode() != want {
			t.Errorf("%s: %v, %v; want %v", name, st.Mode(), err, want)
		}
	}
}
