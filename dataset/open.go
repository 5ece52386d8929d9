package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash"
	"hash/crc64"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/seed-b18ef778/gcg/internal/atomicfile"
	"github.com/seed-b18ef778/gcg/internal/text"
)

// A Source is an opened input: plain, gzip, zstd or the one file of a zip file, told by content.
type Source struct {
	io.Reader
	Name  string
	close func()
	sum   hash.Hash64
	ext   string // the ending of the file that a zip file holds
	plain bool   // its bytes are the text
	size  int64  // of plain text in bytes, where that is known; else 0
}

// typedTable is the kind of tables with typed columns that a name is of, where no query is needed; else nil.
func typedTable(name string) *ColumnFormat {
	if f, typed := ColumnsOf(name); typed && !f.Queried {
		return &f
	}
	return nil
}

// Open opens a file, or standard input for "-". Of a table with typed columns it is the text.
func Open(name string) (*Source, error) {
	if name == "-" {
		return newSource("standard input", os.Stdin, func() {})
	}
	if f := typedTable(name); f != nil {
		r, err := textOf(*f, name)
		if err != nil {
			return nil, err
		}
		return newSource(name, r, func() { r.Close() })
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot be read: %w", name, atomicfile.Pathless(err))
	}
	st, err := f.Stat()
	if err == nil && st.IsDir() {
		f.Close()
		return nil, fmt.Errorf("%s: is a folder; name a file", name)
	}
	s, failed := newSource(name, f, func() { f.Close() })
	if failed == nil && err == nil && st.Mode().IsRegular() && s.plain {
		s.size = st.Size()
	}
	return s, failed
}

// compressed says of a file that is cut short what "unexpected EOF" does not.
type compressed struct {
	io.Reader
	format string
}

func (c compressed) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	if err == io.ErrUnexpectedEOF {
		err = fmt.Errorf("its %s ends early, so the file is cut short; copy it again", c.format)
	}
	return n, err
}

func newSource(name string, r io.Reader, close func()) (*Source, error) {
	s := &Source{Name: name, close: close, sum: crc64.New(crc64.MakeTable(crc64.ECMA))}
	raw := bufio.NewReaderSize(io.TeeReader(r, s.sum), 1<<18)
	magic, _ := raw.Peek(4)
	switch {
	case isZip(magic) && ending(name) != "npz" && !zipOfArrays(raw):
		return s.unzipped(r, raw)
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(raw)
		if err != nil {
			close()
			return nil, fmt.Errorf("%s: starts like gzip but is not: %w", name, err)
		}
		r, stop := text.NewAhead(newMembers(raw, z))
		s.Reader, s.close = compressed{r, "gzip"}, func() { stop(); close() }
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<31))
		if err != nil {
			close()
			return nil, fmt.Errorf("%s: starts like zstd but is not: %w", name, err)
		}
		s.Reader, s.close = compressed{z, "zstd"}, func() { z.Close(); close() }
	default:
		s.Reader, s.plain = raw, true
	}
	return s, nil
}

// Close closes the file.
func (s *Source) Close() { s.close() }

// Checksum is the CRC-64 of the raw bytes read so far, for a zip file of those of its file.
func (s *Source) Checksum() string { return fmt.Sprintf("crc64:%016x", s.sum.Sum64()) }

// members reads the members of a gzip file one by one: what gzip calls the end of a file, or no header, is told apart from other
// bytes behind the last. Zeros there are padding.
type members struct {
	*gzip.Reader
	raw *bufio.Reader
}

func newMembers(raw *bufio.Reader, z *gzip.Reader) *members {
	z.Multistream(false)
	return &members{z, raw}
}

func (m *members) Read(b []byte) (int, error) {
	n, err := m.Reader.Read(b)
	if err != io.EOF {
		return n, err
	}
	next, err := m.raw.Peek(2)
	for err == nil && next[0] == 0 {
		m.raw.Discard(1)
		next, err = m.raw.Peek(2)
	}
	switch {
	case err != nil && err != io.EOF:
		return n, err
	case len(next) == 0 || len(next) == 1 && next[0] == 0:
		return n, io.EOF
	case len(next) == 1 || next[0] != 0x1f || next[1] != 0x8b:
		return n, errors.New("something that is no gzip follows its gzip; unpack it, or compress it anew")
	}
	err = m.Reset(m.raw)
	m.Multistream(false)
	return n, err
}

// LooksLIBSVM says whether the first line of a file is «label index:value …». It is false for a file that can be read only once.
func LooksLIBSVM(name string) bool {
	words := strings.Fields(openingLine(name))
	if len(words) < 2 {
		return false
	}
	for _, w := range words[1:] {
		index, value, ok := strings.Cut(w, ":")
		_, err := strconv.Atoi(index)
		if index != "qid" && (!ok || err != nil || !isNumber(value)) {
			return false
		}
	}
	return true
}

// looksDelimited says whether the first line of a file has fields, and none that LIBSVM's format would have.
func looksDelimited(name string) bool {
	line := openingLine(name)
	return strings.ContainsAny(line, ",;\t") && !strings.Contains(line, ":") || strings.HasPrefix(line, "{")
}

// LoneLabel reports whether the first line of a file is a single word: in LIBSVM's format a label whose features are all 0.
func LoneLabel(name string) bool {
	line := openingLine(name)
	return line != "" && !strings.ContainsAny(line, ",; \t")
}

func isNumber(s string) bool { _, ok := text.Number(s); return ok }

// ReadOnce reports whether a file can be read only once, as standard input and pipes can, such as a shell's <(…).
func ReadOnce(name string) bool {
	st, err := os.Stat(name)
	return name == "-" || err == nil && !st.Mode().IsRegular() && !st.IsDir()
}

// Reread prepares a file to be read several times. Read it as the name as, with a new standard input from again each time: where
// a file can be read only once, that holds a copy of it.
func Reread(name string) (as string, again func() io.Reader, err error) {
	if !ReadOnce(name) {
		return name, func() io.Reader { return nil }, nil
	}
	src, err := Open(name)
	if err != nil {
		return "", nil, err
	}
	defer src.Close()
	all, err := io.ReadAll(src)
	if err != nil {
		return "", nil, fmt.Errorf("%s: cannot be read: %w", src.Name, err)
	}
	return "-", func() io.Reader { return bytes.NewReader(all) }, nil
}

// openingLine is the first line of a file that says something, without its comment; none of one that can be read only once.
func openingLine(name string) string {
	if ReadOnce(name) {
		return ""
	}
	src, err := Open(name)
	if err != nil {
		return ""
	}
	defer src.Close()
	sc := bufio.NewScanner(src)
	sc.Buffer(nil, 1<<26)
	for sc.Scan() {
		text, _, _ := strings.Cut(sc.Text(), "#")
		if text = strings.TrimSpace(text); text != "" {
			return text
		}
	}
	return ""
}

const jsonArray = "a JSON array; write an object a line, as pandas does with lines=True, and jq with -c '.[]'"

// foreign names what a file is by its first bytes, if it is known and not read as text.
func foreign(head []byte) string {
	for _, f := range []struct{ magic, kind string }{
		{"\xfd7zXZ\x00", "packed by xz, which gcg does not unpack"},
		{"BZh91AY&SY", "packed by bzip2, which gcg does not unpack"},
		{"7z\xbc\xaf", "packed by 7-Zip, which gcg does not unpack"},
		{"PAR1\x15", "a Parquet file, which is read by its name and not from a pipe"},
		{"\xff\xfe", "UTF-16; save it as UTF-8"},
		{"\xfe\xff", "UTF-16; save it as UTF-8"},
		{"[{", jsonArray}, {"[\n", jsonArray}, {"[\r\n", jsonArray},
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
	opt   tableOptions
	typed *ColumnFormat // of a table with typed columns, or nil
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
	case typedTable(name) != nil:
		return &input{Source: &Source{Name: name, close: func() {}}, path: name, typed: typedTable(name)}, nil
	case isFolder(name):
		return &input{Source: &Source{Name: name, close: func() {}}, path: name, dir: true}, nil
	default:
		src, err = Open(name)
	}
	if err != nil {
		return nil, err
	}
	in := &input{Source: src, bytes: bufio.NewReaderSize(src.Reader, 1<<16), path: path}
	if startsObject(in.bytes) {
		in.typed = jsonTable(in, true)
	}
	return in, nil
}

// ending is the end of the file's name without that of its compression, in lower case.
func (in *input) ending() string {
	if in.Source.ext != "" {
		return in.Source.ext
	}
	return ending(in.path)
}

func ending(name string) string {
	name = strings.ToLower(name)
	for _, z := range []string{".gz", ".zst", ".zstd"} {
		name = strings.TrimSuffix(name, z)
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}

// lineError is one line that names file and line.
func lineError(name string, line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", name, line, fmt.Sprintf(format, args...))
}

// stopped is the error that ended the lines before the end of the file, or nil. It says where text was not UTF-8.
func stopped(lines *text.LineReader, name string) error {
	if lines.Else > 0 {
		notify("%s:%d: is not UTF-8, and was read as Windows-1252 (Latin-1); save it as UTF-8 if a word looks wrong", name, lines.Else)
	}
	if lines.Err == nil {
		return nil
	}
	return fmt.Errorf("%s:%d: cannot be read further: %w", name, lines.Line+1, lines.Err)
}

// firstLine moves to the first line that says something, without a byte order mark; what says what it should be.
func firstLine(lines *text.LineReader, name, what string) error {
	for lines.Next() {
		lines.Text = bytes.TrimPrefix(lines.Text, []byte("\xef\xbb\xbf"))
		if kind := foreign(lines.Window()); kind != "" && lines.Line == 1 {
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
	lines, err := in.linesOf(what)
	if err != nil {
		in.Close()
		return nil, nil, err
	}
	return lines, in, nil
}

// linesOf is the text of an input at its first line that says something.
func (in *input) linesOf(what string) (*text.LineReader, error) {
	if in.dir {
		return nil, fmt.Errorf("%s: is a folder; name a file: %s", in.Name, what)
	}
	lines, err := in.text()
	if err != nil {
		return nil, err
	}
	return lines, firstLine(lines, in.Name, what)
}

// text gives the lines of text. Those of a table with typed columns are counted from 0, which is the header: a line is a row.
func (in *input) text() (*text.LineReader, error) {
	if in.typed == nil {
		return text.NewLineReader(in.bytes), nil
	}
	r, err := textOf(*in.typed, in.path)
	if err != nil {
		return nil, err
	}
	behind := in.Source.close
	in.Source.close = func() { r.Close(); behind() }
	lines := text.NewLineReader(r)
	lines.Line = -1
	return lines, nil
}

// A TextFile is a text file line by line. It has the name to call it by and, once all lines are read, its checksum.
type TextFile struct {
	*Source
	lines *text.LineReader
}

// OpenText opens a text file, or standard input for "-", at its first line that says something; what says what it should be.
func OpenText(name, what string) (*TextFile, error) {
	lines, in, err := openLines(name, nil, what)
	if err != nil {
		return nil, err
	}
	return &TextFile{in.Source, lines}, nil
}

// Text is the current line, valid until Next, and Line its number, from 1.
func (f *TextFile) Text() []byte { return f.lines.Text }

// Line is the number of the current line, from 1.
func (f *TextFile) Line() int { return f.lines.Line }

// Next moves on; it is false at the end, and where no more can be read, which Stopped says.
func (f *TextFile) Next() bool { return f.lines.Next() }

// Below are the first of the lines that follow, as many as are at hand, at most n.
func (f *TextFile) Below(n int) [][]byte { return f.lines.Below(n) }

// Stopped is the error that ended the lines before the end of the file, or nil.
func (f *TextFile) Stopped() error { return stopped(f.lines, f.Name) }

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
		said := strings.TrimSpace(strings.TrimPrefix(text.Decoded(sc.Bytes()), "\ufeff"))
		if said == "" {
			continue
		}
		if err := f(line, said); err != nil {
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
