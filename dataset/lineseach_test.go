package dataset

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Lines that say something come with their numbers, and what cannot be read is named.
func TestEachLine(t *testing.T) {
	name := filepath.Join(t.TempDir(), "users.txt")
	read := func(text string) (lines []string, err error) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		err = EachLine(name, func(line int, text string) error {
			lines = append(lines, fmt.Sprint(line, " ", text))
			if text == "stop" {
				return errors.ErrUnsupported
			}
			return nil
		})
		return lines, err
	}
	if lines, err := read("\ufeffann \n\n  bob\nstop\ncid\n"); !slices.Equal(lines, []string{"1 ann", "3 bob", "4 stop"}) ||
		err != errors.ErrUnsupported {
		t.Errorf("%q, %v", lines, err)
	}
	if _, err := read(""); err == nil || !strings.Contains(err.Error(), "users.txt: is empty") {
		t.Errorf("an empty file: %v", err)
	}
	if _, err := read("a\n" + strings.Repeat("x", 1<<24+1)); err == nil ||
		!strings.Contains(err.Error(), "users.txt:2: cannot be read") {
		t.Errorf("a long line: %v", err)
	}
}
