package printable

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
)

// Wrapped breaks lines at blanks where out is a Writer to a terminal, and is out itself elsewhere; flush writes what has not
// ended.
func Wrapped(out io.Writer) (wrapped io.Writer, flush func() error) {
	if w, ok := out.(*Writer); ok && w.Width > 0 {
		r := &wrapper{to: out, width: w.Width}
		return r, r.flush
	}
	return out, func() error { return nil }
}

// Line writes a line for people, in several where out is a Writer to a terminal that has no room for it.
func Line(out io.Writer, line string) error {
	if w, ok := out.(*Writer); ok && w.Width > 0 {
		line = Wrap(line, w.Width, 2)
	}
	_, err := io.WriteString(out, line+"\n")
	return err
}

// A wrapper breaks lines at blanks where they are wider than the terminal that they go to. What follows stands below the text of
// the line: behind its first word, where that has a column of its own, as in results.
type wrapper struct {
	to    io.Writer
	width int
	line  []byte // without its end so far
}

// labelled is how many characters of a line of results are its name.
const labelled = 13

// Write takes text; a line is written once it has ended.
func (w *wrapper) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		w.line = append(w.line, line...)
		if rest = after; !ended {
			break
		}
		if _, err := w.to.Write(append(w.wrapped(w.line), '\n')); err != nil {
			return 0, err
		}
		w.line = w.line[:0]
	}
	return len(b), nil
}

// flush writes a line that has not ended.
func (w *wrapper) flush() error {
	_, err := w.to.Write(w.line)
	w.line = nil
	return err
}

// wrapped is a line in several, none wider than the terminal but for words that are. Tables stay as they are: their columns stand
// below each other, blanks between.
func (w *wrapper) wrapped(line []byte) []byte {
	return []byte(Wrap(string(line), w.width, indentOf(line)))
}

// Wrap is a line in several, none wider than width but for words that are. All but the first begin with so many blanks.
func Wrap(line string, width, indent int) string {
	if utf8.RuneCountInString(line) <= width {
		return line
	}
	var all strings.Builder
	kept := "" // blanks that are written if a word follows on the line
	used := 0
	for k, word := range strings.SplitAfter(line, " ") {
		text := strings.TrimRight(word, " ")
		if k > 0 && used+utf8.RuneCountInString(text) > width && used > indent {
			all.WriteString("\n" + strings.Repeat(" ", indent))
			kept, used = "", indent
		}
		all.WriteString(kept + text)
		kept = word[len(text):]
		used += utf8.RuneCountInString(word)
	}
	return all.String()
}

// indentOf is where the text of a line begins. The name of a line that goes on from another is blank.
func indentOf(line []byte) int {
	runes := []rune(string(line))
	if len(runes) > labelled && runes[labelled-1] == ' ' && runes[labelled] != ' ' &&
		!bytes.Contains(bytes.TrimSpace([]byte(string(runes[:labelled]))), []byte("  ")) {
		return labelled
	}
	return 2
}
