package dataset

import (
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/internal/text"
)

// Text whose lines end in CR alone is one clear line, whatever it holds.
func TestLoneReturns(t *testing.T) {
	const want = ":1: cannot be read"
	mend := "its lines end in CR alone; write it with LF or CRLF, as tr '\\r' '\\n' does"
	_, matrix := ReadMatrix("-", strings.NewReader("a,b\r1,2\r3,4\r"))
	_, libsvm := readLIBSVM("-", strings.NewReader("1 1:2\r-1 1:3"), nil)
	_, labels := ReadLabels("-", strings.NewReader("a\rb\r"), 2)
	_, tasks := readTasks("-", strings.NewReader("task,y,a\rx,1,2\r"), "", "")
	_, ratings := RatingsReader{}.Read(strings.NewReader("u,i,r\ra,b,3\r"), "f")
	_, long := RatingsReader{}.Read(strings.NewReader(strings.Repeat("a,b,3\r", text.MaxLine/6+1)), "f")
	for name, err := range map[string]error{"matrix": matrix, "libsvm": libsvm, "labels": labels, "tasks": tasks,
		"ratings": ratings, "long": long} {
		wantError(t, name, err, want)
		wantError(t, name, err, mend)
	}
	if m, err := ReadMatrix("-", strings.NewReader("1,2\r")); err != nil || m.Cols != 2 {
		t.Errorf("a line that ends in CR: %v", err)
	}
}
