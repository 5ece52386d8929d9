package atomicfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/internal/atomicfile"
)

// A file that is being written is no other's, until it is closed; what is in it stays, and can be read.
func TestExclusive(t *testing.T) {
	name := filepath.Join(t.TempDir(), "trace")
	f, err := atomicfile.CreateExclusive(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("one\n"); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{"create": second(name), "writable": atomicfile.Writable(name)} {
		if err == nil || !strings.Contains(err.Error(), "another run is writing it") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != "one\n" {
		t.Errorf("%q, %v", text, err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Writable(name); err != nil {
		t.Error(err)
	}
	if err := second(name); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(name); err != nil || len(text) > 0 {
		t.Errorf("%q, %v", text, err)
	}
}

func second(name string) error {
	f, err := atomicfile.CreateExclusive(name)
	if err == nil {
		f.Close()
	}
	return err
}
