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

// A Source is an opened input: plain, gzip or zstd, told by content.
type Source struct {
	io.Reader
	Name  string
	close func()
	sum   hash.Hash64
}

// Open opens a file, or standard input for "-".
func Open(name string) (*Source, error) {
	if name == "-" {
		return newSource("standard input", os.Stdin, func() {})
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot be read: %w", name, atomicfile.Pathless(err))
	}
	if st, err := f.Stat(); err == nil && st.IsDir() {
		f.Close()
		return nil, fmt.Errorf("%s: is a folder; name a file", name)
	}
	return newSource(name, f, func() { f.Close() })
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
		s.Reader = raw
	}
	return s, nil
}

// Close closes the file.
func (s *Source) Close() { s.close() }

// Checksum is the CRC-64 of the raw bytes read so far.
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
	return strings.ContainsAny(line, ",;\t") && !strings.Contains(line, ":")
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
	return name == "-" || err == nil && !st.Mode().IsRegular()
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
