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
