package dataset

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/seed-b18ef778/gcg/internal/text"
)

// foreign names what a file is by its first bytes, if it is known and not read as text.
func foreign(head []byte) string {
	for _, f := range []struct{ magic, kind string }{
		{"\xfd7zXZ\x00", "packed by xz, which gcg does not unpack"},
		{"BZh91AY&SY", "packed by bzip2, which gcg does not unpack"},
		{"PK\x03\x04", "a zip archive, or a spreadsheet, which gcg does not unpack"},
		{"7z\xbc\xaf", "packed by 7-Zip, which gcg does not unpack"},
		{"PAR1\x15", "a Parquet file, which gcg does not read"},
		{"\xff\xfe", "UTF-16; save it as UTF-8"},
		{"\xfe\xff", "UTF-16; save it as UTF-8"},
		{"\x89HDF", "an HDF5 file, which gcg does not read"},
		{"SQLite format", "an SQLite database, which gcg does not read"},
	} {
		if bytes.HasPrefix(head, []byte(f.magic)) {
			return f.kind
		}
	}
	return ""
}

// An input is a Source whose first bytes can be looked at.
type input struct {
	*Source
	bytes *bufio.Reader
	path  string // of the file; empty for standard input
	dir   bool   // it is a folder
	only  bool   // answers are wanted: the first of several arrays may be the features
	gaps  bool   // entries may be missing: they are NaN
}

// openInput opens a file, or takes stdin for "-" (nil means that of the process).
func openInput(name string, stdin io.Reader) (*input, error) {
	var src *Source
	var err error
	path := name
	if name == "-" {
		path = ""
	}
	switch {
	case name == "-" && stdin != nil:
		src, err = newSource("standard input", stdin, func() {})
	case isFolder(name):
		return &input{Source: &Source{Name: name, close: func() {}}, path: name, dir: true}, nil
	default:
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
func stopped(lines *text.LineReader, name string) error {
	if lines.Err == nil {
		return nil
	}
	return fmt.Errorf("%s:%d: cannot be read further: %w", name, lines.Line+1, lines.Err)
}

// firstLine moves to the first line that says something, without a byte order mark; what says what it should be.
func firstLine(lines *text.LineReader, name, what string) error {
	for lines.Next() {
		lines.Text = bytes.TrimPrefix(lines.Text, []byte("\xef\xbb\xbf"))
		if kind := foreign(lines.Text); kind != "" && lines.Line == 1 {
			return lineError(name, lines.Line, "is %s; give %s", kind, what)
		}
		if head := lines.Window(); bytes.IndexByte(head[:min(512, len(head))], 0) >= 0 || bytes.IndexByte(lines.Text, 0) >= 0 {
			return lineError(name, lines.Line, "holds binary data, not text; give %s", what)
		}
		if !blank(lines.Text) {
			return nil
		}
	}
	if err := stopped(lines, name); err != nil {
		return err
	}
	return fmt.Errorf("%s: is empty; give %s", name, what)
}

// openLines opens a text file, or takes stdin for "-", at its first line that says something; what says what it should be.
func openLines(name string, stdin io.Reader, what string) (*text.LineReader, *input, error) {
	in, err := openInput(name, stdin)
	if err != nil {
		return nil, nil, err
	}
	if in.dir {
		return nil, nil, fmt.Errorf("%s: is a folder; name a file: %s", name, what)
	}
	lines := text.NewLineReader(in.bytes)
	if err := firstLine(lines, in.Name, what); err != nil {
		in.Close()
		return nil, nil, err
	}
	return lines, in, nil
}

// OpenText opens a text file, or standard input for "-", at its first line that says something; what says what it should be. The
// source has the name to call it by and, once all lines are read, its checksum.
func OpenText(name, what string) (*text.LineReader, *Source, error) {
	lines, in, err := openLines(name, nil, what)
	if err != nil {
		return nil, nil, err
	}
	return lines, in.Source, nil
}

// EachLine calls f with every line of a text file that is not blank, trimmed, and with its number. It ends with the first error
// of f. A file without lines, or with one of more than 16 MiB, is an error that names it.
func EachLine(name string, f func(line int, text string) error) error {
	src, err := Open(name)
	if err != nil {
		return err
	}
	defer src.Close()
	name = src.Name
	sc := bufio.NewScanner(src)
	sc.Buffer(nil, 1<<24)
	line := 0
	for sc.Scan() {
		line++
		text := strings.TrimSpace(strings.TrimPrefix(sc.Text(), "\ufeff"))
		if text == "" {
			continue
		}
		if err := f(line, text); err != nil {
			return err
		}
	}
	if err := sc.Err(); err != nil {
		return fmt.Errorf("%s:%d: cannot be read: %w", name, line+1, err)
	}
	if line == 0 {
		return fmt.Errorf("%s: is empty", name)
	}
	return nil
}
