package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash"
	"hash/crc64"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

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

// A ColumnReader gives a table that has named columns with types, such as a query of a database or a Parquet file, in batches of
// rows, column by column.
type ColumnReader interface {
	// Name is what errors and answers call the table; it holds no password.
	Name() string
	// Columns are the names of all columns.
	Columns() []string
	// Next reads the given columns (from 0, the same in each call) of the next rows. What it returns has a Column for each of
	// them, all of one length, and is valid until the next call. At the end of the table the error is io.EOF.
	Next(columns []int) ([]Column, error)
	// Checksum tells the rows that were read apart from others, "" where that is not known.
	Checksum() string
	// Close gives up what is open.
	Close() error
}

// A Column holds some rows of one column: in Ints, Floats or Texts, whichever is not nil. Times are seconds since 1970, and
// booleans 0 and 1.
type Column struct {
	Ints   []int64
	Floats []float64
	Texts  [][]byte
	Nulls  []bool // which rows have no value, nil where all have
}

// Len is the number of rows.
func (c Column) Len() int { return max(len(c.Ints), len(c.Floats), len(c.Texts)) }

// null says whether row k has no value.
func (c Column) null(k int) bool {
	return c.Nulls != nil && c.Nulls[k] || c.Floats != nil && math.IsNaN(c.Floats[k])
}

// appendText is row k as text: whole numbers without a point.
func (c Column) appendText(to []byte, k int) []byte {
	switch {
	case c.null(k):
		return to
	case c.Ints != nil:
		return strconv.AppendInt(to, c.Ints[k], 10)
	case c.Floats != nil:
		return strconv.AppendFloat(to, c.Floats[k], 'f', -1, 64)
	}
	return append(to, c.Texts[k]...)
}

// A ColumnFormat opens tables of one kind by their names.
type ColumnFormat struct {
	// Kind stands in messages: "a database".
	Kind string
	// Has says whether a name is that of such a table, by its scheme or its ending.
	Has func(name string) bool
	// Queried says that a query chooses the rows; without one Open is an error, and tables that are not queried refuse one.
	Queried bool
	// Open opens the table. query is that of RatingsReader.Query.
	Open func(name, query string) (ColumnReader, error)
}

var columnFormats struct {
	sync.RWMutex
	all []ColumnFormat
}

// RegisterColumns makes a kind of tables known to all readers of this package. Packages with drivers call it, so that the library
// does without them.
func RegisterColumns(f ColumnFormat) {
	columnFormats.Lock()
	defer columnFormats.Unlock()
	columnFormats.all = append(columnFormats.all, f)
}

// ColumnsOf is the kind of tables that a name is of, and false for one of none that is registered: text, then.
func ColumnsOf(name string) (ColumnFormat, bool) {
	columnFormats.RLock()
	defer columnFormats.RUnlock()
	at := slices.IndexFunc(columnFormats.all, func(f ColumnFormat) bool { return f.Has(name) })
	if at < 0 {
		return ColumnFormat{}, false
	}
	return columnFormats.all[at], true
}

// readColumns reads ratings from a table with typed columns.
func (o RatingsReader) readColumns(f ColumnFormat, name string) (*Ratings, error) {
	t, err := f.Open(name, o.Query)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	p := o.parser(t.Name())
	p.typed = true
	names := t.Columns()
	if len(names) < 3 && !o.ValuesOptional && !o.OneUser {
		return nil, fmt.Errorf("%s: has %s, %s; ratings have a user, an item and a rating", t.Name(), counted(len(names), "column"),
			strings.Join(names, ", "))
	}
	if err := p.columns(names, f.Queried); err != nil {
		return nil, err
	}
	for {
		batch, err := t.Next(p.wanted())
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if err := p.addColumns(batch); err != nil {
			return nil, err
		}
	}
	r, err := p.finish()
	if err != nil {
		return nil, err
	}
	r.Checksum = t.Checksum()
	r.placeOf = func(e int) string { return fmt.Sprintf("%s, row %d", t.Name(), e+1) }
	return r, nil
}

// wanted are the columns that are read, in the order of ratingsParser.at.
func (p *ratingsParser) wanted() (columns []int) {
	for _, at := range p.at {
		if at >= 0 {
			columns = append(columns, at)
		}
	}
	return columns
}

// addColumns appends a batch of ratings. Ids are looked up as text, and numbers are not written out for it.
func (p *ratingsParser) addColumns(batch []Column) error {
	var of [6]*Column
	next := 0
	for c, at := range p.at {
		if at >= 0 {
			of[c] = &batch[next]
			next++
		}
	}
	var room [6][]byte
	rows := batch[0].Len()
	for k := range rows {
		var f [6][]byte
		row := p.in.count() + 1
		for c, column := range of {
			if column == nil || c == 2 && !p.opt.Labels && column.Texts == nil {
				continue
			}
			room[c] = column.appendText(room[c][:0], k)
			f[c] = room[c]
		}
		if of[2] == nil || f[2] != nil {
			if err := p.add(f, row); err != nil {
				return err
			}
			continue
		}
		x, err := p.typedValue(of[2], k, row)
		if err != nil {
			return err
		}
		if err := p.push(f, x, row); err != nil {
			return err
		}
	}
	return nil
}

// typedValue is a rating that is a number, NaN for none.
func (p *ratingsParser) typedValue(c *Column, k, row int) (x float64, err error) {
	switch {
	case c.null(k) && p.opt.ValuesOptional:
		return math.NaN(), nil
	case c.null(k):
		return 0, p.errorf(row, "the rating is missing; fill it in or leave the row out (column %d; see --columns)", p.at[2]+1)
	case c.Ints != nil:
		x = float64(c.Ints[k])
	default:
		x = c.Floats[k]
	}
	p.given = true
	return x, p.checkNumber("rating", x, row)
}
