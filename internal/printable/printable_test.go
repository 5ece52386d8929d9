package printable_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/seed-b18ef778/gcg/internal/printable"
)

// What terminals obey is escaped; every script stays, also those that need joiners and marks.
func TestName(t *testing.T) {
	for s, want := range map[string]string{
		"":                              "",
		"Amélie 愛 Жизнь":                "Amélie 愛 Жизнь",
		"\x1b]0;owned\a\x1b[2J":         `\x1b]0;owned\x07\x1b[2J`,
		"a\nb\rc\td\x7f":                `a\nb\rc\td\x7f`,
		"csi \u009b31m, byte \x9b31m":   `csi \u009b31m, byte \x9b31m`,
		"Latin-1 \xe9":                  "Latin-1 \xe9",
		"right\u202eleft \u2066x\u2069": `right\u202eleft \u2066x\u2069`,
		"می\u200cخواهم 👨\u200d👩":        "می\u200cخواهم 👨\u200d👩",
		`C:\new`:                        `C:\new`,
	} {
		if got := printable.Name(s); got != want {
			t.Errorf("%q: %q, not %q", s, got, want)
		}
	}
}

// A Writer keeps lines and tabs, and characters whose bytes come one at a time.
func TestWriter(t *testing.T) {
	const text = "é愛\n\t\x1b[31m\u009b\r\x9b 👩"
	const want = "é愛\n\t\\x1b[31m\\u009b\\r\\x9b 👩"
	for size := 1; size < len(text); size++ {
		var b bytes.Buffer
		w := printable.NewWriter(&b, true)
		for at := 0; at < len(text); at += size {
			if n, err := w.Write([]byte(text[at:min(at+size, len(text))])); err != nil || n != min(size, len(text)-at) {
				t.Fatal(n, err)
			}
		}
		if err := w.Flush(); err != nil || b.String() != want {
			t.Errorf("by %d: %q, %v", size, b.String(), err)
		}
		fmt.Fprint(printable.Data(w), "\x1b")
		fmt.Fprint(printable.Data(printable.NewWriter(&b, false)), "\x1b")
		if b.String() != want+"\x1b"+`\x1b` {
			t.Errorf("data: %q", b.String())
		}
		if printable.NewWriter(w, false) != w || printable.Behind(w) != &b {
			t.Error("a Writer of a Writer is another one")
		}
	}
}
