// Package printable keeps control sequences that stand in data (ids, titles, headers, names of files) from terminals, where they
// could clear the screen, forge lines or change the title of the window.
package printable

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// Name is a text of the data in one line: whatever a terminal would obey stands as its escape of Go, \x1b of the escape character
// and \n of a line break. Texts without such characters are returned as they are, whatever their script.
func Name(s string) string { return quoted(s, "") }

// Join is strings.Join of names.
func Join(names []string, between string) string {
	each := make([]string, len(names))
	for i, name := range names {
		each[i] = Name(name)
	}
	return strings.Join(each, between)
}

// quoted is Name but for the characters of keep.
func quoted(s, keep string) string {
	at := 0
	for at < len(s) {
		r, n := utf8.DecodeRuneInString(s[at:])
		if obeyed(r, s[at], n) && !strings.ContainsRune(keep, r) {
			break
		}
		at += n
	}
	if at == len(s) {
		return s
	}
	var b strings.Builder
	b.WriteString(s[:at])
	for at < len(s) {
		r, n := utf8.DecodeRuneInString(s[at:])
		if !obeyed(r, s[at], n) || strings.ContainsRune(keep, r) {
			b.WriteString(s[at : at+n])
		} else {
			b.WriteString(escape(r, s[at], n))
		}
		at += n
	}
	return b.String()
}

// obeyed says whether terminals act upon a character of n bytes, the first of them b, instead of showing it: controls of ASCII
// and of Latin-1, these as bytes of their own too, breaks of lines, and what turns the direction of writing.
func obeyed(r rune, b byte, n int) bool {
	if r == utf8.RuneError && n == 1 {
		return b >= 0x80 && b < 0xa0
	}
	return r < 0x20 || r >= 0x7f && r < 0xa0 || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

func escape(r rune, b byte, n int) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r == utf8.RuneError && n == 1, r < 0x80:
		return fmt.Sprintf(`\x%02x`, b)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// A Writer writes text for people: it breaks lines and has tabs, and other controls are escaped as Name escapes them. A character
// whose bytes come in two calls of Write waits for the second one.
type Writer struct {
	// Width is the number of columns of the terminal that it writes to, 0 of what is none.
	Width int

	to   io.Writer
	raw  bool // data go by unchanged
	mu   sync.Mutex
	part []byte
}

// NewWriter is a Writer to another one, or that itself if it is one. Data are left alone where raw says so, as they are to be
// where they go to a file or a program.
func NewWriter(to io.Writer, raw bool) *Writer {
	if w, ok := to.(*Writer); ok {
		return w
	}
	return &Writer{to: to, raw: raw}
}

// Write writes a part of the text.
func (w *Writer) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := append(w.part, b...)
	end := len(all)
	for k := 1; k < utf8.UTFMax && k <= len(all); k++ { // an unfinished character at the end
		if tail := all[len(all)-k:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				end -= k
			}
			break
		}
	}
	text := quoted(string(all[:end]), "\n\t")
	w.part = append([]byte{}, all[end:]...)
	if _, err := w.to.Write([]byte(text)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Flush writes what waits.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	part := w.part
	w.part = nil
	_, err := w.to.Write([]byte(quoted(string(part), "")))
	return err
}

// Data is where data go that are to stay what they are, of a Writer or any other.
func Data(out io.Writer) io.Writer {
	if w, ok := out.(*Writer); ok && w.raw {
		return w.to
	}
	return out
}

// Behind is what a Writer writes to, and of another one that itself.
func Behind(out io.Writer) io.Writer {
	if w, ok := out.(*Writer); ok {
		return w.to
	}
	return out
}
