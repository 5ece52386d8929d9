package dataset

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
)

// An input is a Source whose first bytes can be looked at.
type input struct {
	*Source
	bytes *bufio.Reader
	path  string // of the file; empty for standard input
	only  bool   // answers are wanted: the first of several arrays may be the features
}

// openInput opens a file, or takes stdin for "-" (nil means that of the process).
func openInput(name string, stdin io.Reader) (*input, error) {
	var src *Source
	var err error
	path := name
	if name == "-" {
		path = ""
	}
	if name == "-" && stdin != nil {
		src, err = newSource("standard input", stdin, func() {})
	} else {
		src, err = Open(name)
	}
	if err != nil {
		return nil, err
	}
	return &input{Source: src, bytes: bufio.NewReaderSize(src.Reader, 1<<16), path: path}, nil
}

// ending is the end of the file's name without that of its compression, in lower case.
func (in *input) ending() string {
	name := strings.ToLower(in.path)
	for _, z := range []string{".gz", ".zst", ".zstd"} {
		name = strings.TrimSuffix(name, z)
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}

// lineError is one line that names file and line.
func lineError(name string, line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", name, line, fmt.Sprintf(format, args...))
}

// stopped is the error that ended the lines before the end of the file, or nil.
func stopped(lines *lineReader, name string) error {
	if lines.err == nil {
		return nil
	}
	return fmt.Errorf("%s:%d: cannot be read further: %w", name, lines.line+1, lines.err)
}

// firstLine moves to the first line that says something, without a byte order mark; what says what it should be.
func firstLine(lines *lineReader, name, what string) error {
	for lines.next() {
		lines.text = bytes.TrimPrefix(lines.text, []byte("\xef\xbb\xbf"))
		if kind := foreign(lines.text); kind != "" && lines.line == 1 {
			return lineError(name, lines.line, "is %s; give %s", kind, what)
		}
		if head := lines.window(); bytes.IndexByte(head[:min(512, len(head))], 0) >= 0 || bytes.IndexByte(lines.text, 0) >= 0 {
			return lineError(name, lines.line, "holds binary data, not text; give %s", what)
		}
		if !blank(lines.text) {
			return nil
		}
	}
	if err := stopped(lines, name); err != nil {
		return err
	}
	return fmt.Errorf("%s: is empty; give %s", name, what)
}
