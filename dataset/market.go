package dataset

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/internal/text"
)

const marketMagic = "%%matrixmarket"

func isMarket(line []byte) bool {
	return len(line) >= len(marketMagic) && strings.EqualFold(string(line[:len(marketMagic)]), marketMagic)
}

// A market is a Matrix Market file: a header, a line of sizes, and entries (Boisvert, Pozo and Remington 1996).
type market struct {
	name                string
	lines               *text.LineReader
	coordinate, pattern bool
	symmetric           bool
	size                []int // rows, columns and, for coordinates, entries
}

// readMarket reads a matrix whose header lines stands on.
func readMarket(lines *text.LineReader, name string) (*Matrix, error) {
	p := &market{name: name, lines: lines}
	if err := p.header(); err != nil {
		return nil, err
	}
	if err := p.sizes(); err != nil {
		return nil, err
	}
	if p.coordinate {
		return p.readCoordinates()
	}
	return p.readArray()
}

func (p *market) errorf(format string, args ...any) error {
	return lineError(p.name, p.lines.Line, format, args...)
}

func (p *market) header() error {
	words := strings.Fields(strings.ToLower(string(text.ClipTo(p.lines.Text, 200))))
	is := func(i int, options ...string) bool { return i < len(words) && slices.Contains(options, words[i]) }
	if !is(1, "matrix") || !is(2, "coordinate", "array") || !is(3, "real", "integer", "double", "pattern") ||
		!is(4, "general", "symmetric") {
		return p.errorf("is a Matrix Market header that is not «matrix coordinate|array real|integer|pattern general|symmetric»; " +
			"convert it to one that is")
	}
	p.coordinate, p.pattern, p.symmetric = is(2, "coordinate"), is(3, "pattern"), is(4, "symmetric")
	if p.pattern && !p.coordinate {
		return p.errorf("is a pattern and an array; a pattern has coordinates")
	}
	return nil
}

// next moves to the next line that is no comment.
func (p *market) next() bool {
	for p.lines.Next() {
		if t := text.TrimLeft(p.lines.Text); len(t) > 0 && t[0] != '%' {
			return true
		}
	}
	return false
}

// sizes reads the line of sizes, which are claims until the entries have been counted.
func (p *market) sizes() error {
	want, what := 2, "rows and columns"
	if p.coordinate {
		want, what = 3, "rows, columns and entries"
	}
	if !p.next() {
		if err := stopped(p.lines, p.name); err != nil {
			return err
		}
		return p.errorf("the file ends before its line of sizes; it needs one with %s", what)
	}
	f := bytes.Fields(p.lines.Text)
	if len(f) != want {
		return p.errorf("has %s; the line of sizes has %s", counted(len(f), "number"), what)
	}
	for i, b := range f {
		v, err := strconv.ParseInt(string(b), 10, 64)
		if least := int64(1 - i/2); err != nil || v < least || i < 2 && v > math.MaxInt32 || v > math.MaxInt64/16 {
			return p.errorf("the size %q is not a whole number from %d to 2³¹-1; mend it", text.Clip(b), least)
		}
		p.size = append(p.size, int(v))
	}
	if p.symmetric && p.size[0] != p.size[1] {
		return p.errorf("a symmetric matrix is square, not %d×%d; say general", p.size[0], p.size[1])
	}
	return nil
}

// value reads a finite number.
func (p *market) value(b []byte) (float64, error) {
	x, ok := text.WholeNumber(b)
	switch {
	case !ok:
		return 0, p.errorf("the value %q is not a number; mend it", text.Clip(b))
	case !text.Finite(x):
		return 0, p.errorf("the value is %q; the numbers must be finite", text.Clip(b))
	}
	return x, nil
}

func (p *market) cutShort(have, want int) error {
	if err := stopped(p.lines, p.name); err != nil {
		return err
	}
	return p.errorf("the file ends after %d of its %d entries; it is cut short, or its sizes are wrong", have, want)
}

// readArray reads the values column by column; of a symmetric matrix the lower triangle.
func (p *market) readArray() (*Matrix, error) {
	m, n := p.size[0], p.size[1]
	want := m * n
	if p.symmetric {
		want = (m*m + m) / 2
	}
	var values chunkList[float64]
	for p.next() {
		for rest := text.TrimLeft(p.lines.Text); len(rest) > 0; {
			var word []byte
			word, rest = text.CutWord(rest)
			x, err := p.value(word)
			if err != nil {
				return nil, err
			}
			if values.n == want {
				return nil, p.errorf("has more than the %d values of a %d×%d matrix; mend the sizes", want, m, n)
			}
			values.push(x)
		}
	}
	if values.n < want || p.lines.Err != nil {
		return nil, p.cutShort(values.n, want)
	}
	if !p.symmetric {
		return &Matrix{Rows: m, Cols: n, Dense: values.joinTransposed(m, n)}, nil
	}
	all := make([]float64, m*m)
	k := 0
	for j := range m {
		for i := j; i < m; i++ {
			all[i*m+j], all[j*m+i] = values.at(k), values.at(k)
			k++
		}
	}
	return &Matrix{Rows: m, Cols: n, Dense: all}, nil
}

// readMatrixMarket reads a coordinate matrix (real or integer; general or symmetric). Its ids are the row and column
// numbers, from 1.
func (p *ratingsParser) readMatrixMarket(head []byte, lines *text.LineReader) error {
	words := bytes.Fields(bytes.ToLower(head))
	is := func(i int, options ...string) bool {
		for _, o := range options {
			if i < len(words) && string(words[i]) == o {
				return true
			}
		}
		return false
	}
	if !is(1, "matrix") || !is(2, "coordinate") || !is(3, "real", "integer", "double") || !is(4, "general", "symmetric") {
		return p.errorf(lines.Line,
			"is a Matrix Market header that is not «matrix coordinate real|integer general|symmetric»; ratings are such")
	}
	symmetric := is(4, "symmetric")
	size, err := p.marketSize(lines)
	if err != nil {
		return err
	}
	if symmetric && size[0] != size[1] {
		return p.errorf(lines.Line, "a symmetric matrix is square, not %d×%d", size[0], size[1])
	}
	p.numberAll(size)
	return p.marketEntries(lines, size, symmetric)
}

// marketSize reads the line of rows, columns and entries.
func (p *ratingsParser) marketSize(lines *text.LineReader) (size [3]int, err error) {
	for lines.Next() {
		if blank(lines.Text) || lines.Text[0] == '%' {
			continue
		}
		f := bytes.Fields(lines.Text)
		if len(f) != 3 {
			return size, p.errorf(lines.Line, "has %s; the size line has rows, columns and entries", counted(len(f), "number"))
		}
		for i := range size {
			v, err := strconv.Atoi(string(f[i]))
			if err != nil || v < 1 || v > math.MaxInt32 {
				return size, p.errorf(lines.Line, "the size %q is not a whole number from 1 to 2³¹-1", f[i])
			}
			size[i] = v
		}
		return size, nil
	}
	return size, p.errorf(lines.Line, "the size line is missing")
}

// marketEntries reads as many entries as the size line says; of a symmetric matrix each stands for its mirror image too.
func (p *ratingsParser) marketEntries(lines *text.LineReader, size [3]int, symmetric bool) error {
	count := 0
	p.at[3] = -1
	for lines.Next() {
		if blank(lines.Text) || lines.Text[0] == '%' {
			continue
		}
		f := bytes.Fields(lines.Text)
		if len(f) != 3 {
			return p.errorf(lines.Line, "has %s; an entry has a row, a column and a value", counted(len(f), "field"))
		}
		for side := range 2 {
			v, err := strconv.Atoi(string(f[side]))
			if err != nil || v < 1 || v > size[side] {
				return p.errorf(lines.Line, "index %q is not a whole number from 1 to %d", f[side], size[side])
			}
			if f[side][0] < '1' { // 01, +1 and 1 are one row
				f[side] = strconv.AppendInt(nil, int64(v), 10)
			}
		}
		if count++; count > size[2] {
			return p.errorf(lines.Line, "has more entries than the %d of the size line", size[2])
		}
		if err := p.add([6][]byte{f[0], f[1], f[2]}, lines.Line); err != nil {
			return err
		}
		if symmetric && !bytes.Equal(f[0], f[1]) {
			if err := p.add([6][]byte{f[1], f[0], f[2]}, lines.Line); err != nil {
				return err
			}
		}
	}
	if count < size[2] && lines.Err == nil {
		return p.errorf(lines.Line, "the file ends after %d of its %d entries; it is cut short", count, size[2])
	}
	return nil
}

// numberAll gives every row and column its number as id, those without entries too, unless the header asks for many more
// than it has entries.
func (p *ratingsParser) numberAll(size [3]int) {
	if p.known || size[0]+size[1] > 4*size[2]+1<<20 {
		return
	}
	for side, ids := range []*IDs{p.out.RowIDs, p.out.ColIDs} {
		for i := 1; i <= size[side]; i++ {
			ids.Add(strconv.AppendInt(nil, int64(i), 10))
		}
	}
}
