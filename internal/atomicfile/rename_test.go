package atomicfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/internal/atomicfile"
)

// A file whose name cannot be taken in the end is an error, and nothing of it stays.
func TestAtomicNameTaken(t *testing.T) {
	t.Chdir(t.TempDir())
	a, err := atomicfile.Create("x")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.WriteString("text"); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join("x", "y"), 0o755); err != nil { // a folder has come in between
		t.Fatal(err)
	}
	if err := a.Commit(); err == nil || !strings.HasPrefix(err.Error(), "x: not written") {
		t.Errorf("the name of a folder was taken: %v", err)
	}
	if left, _ := filepath.Glob(".*"); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}
