package atomicfile

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
)

// What a disk says of a temporary file is said of the file that was asked for, and its name once.
func TestAtomicErrorsNameTheFile(t *testing.T) {
	t.Chdir(t.TempDir())
	fail := func(w io.Writer) error {
		w.(*File).f.Close() // as a full disk, every write is an error
		_, err := w.Write(make([]byte, 1<<19))
		if err != nil {
			return fmt.Errorf("the sides: %w", err)
		}
		return nil
	}
	late := func(w io.Writer) error { w.(*File).f.Close(); _, err := w.Write([]byte("x")); return err }
	for want, write := range map[string]func(io.Writer) error{"m: not written: the sides: ": fail,
		"m: not written, an older file of that name is unchanged: ": late} {
		err := Write("m", write)
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "tmp") {
			t.Errorf("%v", err)
		}
	}
	if err := Write(filepath.Join("/dev", "full"), func(w io.Writer) error {
		_, err := w.Write(make([]byte, 1<<19))
		return err
	}); err != nil && strings.Count(err.Error(), "/dev/full") != 1 {
		t.Errorf("%v", err)
	}
}
