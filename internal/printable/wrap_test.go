package printable

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// At a terminal results break between words, below the text of their line; no word is lost, and short lines stay.
func TestWrapping(t *testing.T) {
	const text = "status       converged after 12 iterations\n" +
		"candidates   validation RMSE of shrunk power:0.5 0.8638, none power:0.8 0.8556, global power:0.8 0.8669\n" +
		"             objective -2.194228156, lower bound -2.196007504, gap\n" +
		"warning: a line that is long and has no column of its own for what it is called, λ and ζ\n" +
		"/a/name/without/a/blank/that/is/longer/than/the/terminal\nopen"
	var b bytes.Buffer
	to := NewWriter(&b, false)
	to.Width = 40
	w, flush := Wrapped(to)
	for _, part := range []string{text[:50], text[50:51], text[51:]} {
		if n, err := w.Write([]byte(part)); err != nil || n != len(part) {
			t.Fatal(n, err)
		}
	}
	if err := flush(); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(text), " ") {
		t.Errorf("words are lost: %s", got)
	}
	for _, line := range strings.Split(got, "\n") {
		if utf8.RuneCountInString(line) > 40 && !strings.HasPrefix(line, "/a") || strings.HasSuffix(line, " ") {
			t.Errorf("%q", line)
		}
	}
	if !strings.Contains(got, "candidates   validation RMSE of shrunk\n             power:0.5") ||
		!strings.Contains(got, "             objective -2.194228156,\n             lower bound") ||
		!strings.HasSuffix(got, "\nopen") {
		t.Errorf("%s", got)
	}
}
