package text

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// splitLines is the naive twin of the reader.
func splitLines(b []byte) []string {
	var lines []string
	for len(b) > 0 {
		line, rest, _ := bytes.Cut(b, []byte("\n"))
		lines = append(lines, strings.TrimSuffix(string(line), "\r"))
		b = rest
	}
	return lines
}

// pieces reads up to size bytes at a time, so that lines start and end anywhere in a read.
type pieces struct {
	r    io.Reader
	size int
}

func (p pieces) Read(b []byte) (int, error) { return p.r.Read(b[:min(len(b), p.size)]) }

// Lines do not depend on how the bytes arrive, and the rest of the stream from any line on is what a fresh reader would see.
func TestLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringOfN(rapid.SampledFrom([]rune("ab,\r")), 0, 9, -1)
		text := []byte(strings.Join(rapid.SliceOfN(line, 0, 20).Draw(t, "lines"), "\n"))
		want := splitLines(text)
		stop := rapid.IntRange(0, len(want)).Draw(t, "stop")
		for name, src := range map[string]io.Reader{
			"whole": bytes.NewReader(text), "bytes": iotest.OneByteReader(bytes.NewReader(text)),
			"data with EOF": iotest.DataErrReader(bytes.NewReader(text)),
			"pieces":        pieces{bytes.NewReader(text), rapid.IntRange(1, 7).Draw(t, "size")},
		} {
			l := NewLineReader(src)
			l.buf = make([]byte, rapid.IntRange(1, 16).Draw(t, "buffer")) // small, so that it moves and grows
			if len(want) == 1 && !bytes.HasSuffix(text, []byte("\n")) && loneReturns(text) {
				if l.Next() || l.Err != errReturns {
					t.Fatalf("%s: %q is read, or refused with %v", name, text, l.Err)
				}
				continue
			}
			for i, w := range want {
				if !l.Next() || string(l.Text) != w || l.Line != i+1 {
					t.Fatalf("%s: line %d is %q (number %d), not %q", name, i+1, l.Text, l.Line, w)
				}
				if i+1 != stop {
					continue
				}
				rest, err := io.ReadAll(l.Rest())
				if from := bytes.Join(bytes.SplitAfter(text, []byte("\n"))[i:], nil); err != nil || !bytes.Equal(rest, from) {
					t.Fatalf("%s: from line %d on there is %q, %v, not %q", name, i+1, rest, err, from)
				}
				break
			}
			if stop == 0 && (l.Next() || l.Err != nil) {
				t.Fatalf("%s: after the end %q, %v", name, l.Text, l.Err)
			}
		}
	})
}

// A line may be as long as the buffer grows, and no longer; the error says which.
func TestLongLines(t *testing.T) {
	for over, want := range []int{3, 3, 1} {
		long := strings.Repeat("x", MaxLine-2+over)
		l := NewLineReader(strings.NewReader("a\n" + long + "\nb"))
		n := 0
		for ; l.Next(); n++ {
			if n == 1 && string(l.Text) != long {
				t.Errorf("a line of %d bytes came as %d", len(long), len(l.Text))
			}
		}
		if n != want || (l.Err != nil) != (want == 1) || l.Err != nil && !strings.Contains(l.Err.Error(), "line 2 is longer") {
			t.Errorf("with a line of %d bytes there are %d lines, %v", len(long), n, l.Err)
		}
	}
}

type silent struct{}

func (silent) Read([]byte) (int, error) { return 0, nil }

// Whole lines before a failing read are handed out, what is cut is not, and the failure is kept.
func TestFailingReads(t *testing.T) {
	broken := errors.New("broken")
	for want, src := range map[error]io.Reader{broken: iotest.ErrReader(broken), io.ErrNoProgress: silent{}} {
		l := NewLineReader(io.MultiReader(strings.NewReader("1,2\n3,4\n5,"), src))
		n := 0
		for l.Next() {
			n++
		}
		if n != 2 || !errors.Is(l.Err, want) {
			t.Errorf("%d lines, %v; 2 lines and %v were expected", n, l.Err, want)
		}
	}
}
