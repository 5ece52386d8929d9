package dataset

import (
	"bytes"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/internal/class"
	"github.com/seed-b18ef778/gcg/internal/text"
)

const marketMagic = "%%matrixmarket"

// isMarket says whether a line is the header of a Matrix Market file, also with one of its percent signs lost.
func isMarket(line []byte) bool {
	word := strings.TrimPrefix(marketMagic, "%")
	if bytes.HasPrefix(line, []byte("%%")) {
		line = line[1:]
	}
	return len(line) >= len(word) && strings.EqualFold(string(line[:len(word)]), word)
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
		return p.errorf("is a Matrix Market file of %q; a matrix is read where the header says «matrix coordinate» or «matrix array», "+
			"then real, integer or pattern, and general or symmetric: write it so", strings.Join(words[min(1, len(words)):], " "))
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
		return p.errorf("has %s; the line of sizes has %s", text.Counted(len(f), "number"), what)
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

// readMatrixMarket reads a coordinate matrix, whose ids are the row and column numbers, from 1. A pattern has no ratings; of a
// symmetric matrix each entry stands for its mirror image too.
func (p *ratingsParser) readMatrixMarket(lines *text.LineReader) error {
	m := &market{name: p.out.Name, lines: lines}
	if err := m.header(); err != nil {
		return err
	}
	switch {
	case !m.coordinate:
		return m.errorf("is an array, which has all entries; ratings are coordinates")
	case m.pattern && !p.opt.ValuesOptional:
		return m.errorf("is a pattern, whose entries have no rating; a pattern is for clicks and links")
	}
	if err := m.sizes(); err != nil {
		return err
	}
	p.out.NoValues = m.pattern
	p.at = places{0, 1, 2, -1, -1, -1}
	p.numberAll(m.size)
	count, want := 0, m.size[2]
	for m.next() {
		i, j, x, err := m.entry(lines.Text)
		if err != nil {
			return err
		}
		if count == want {
			return m.errorf("has more entries than the %d of the line of sizes; mend it", want)
		}
		if count++; m.pattern {
			x = 0
		}
		if err := p.entry(i, j, x, lines.Line); err != nil {
			return err
		}
		if m.symmetric && i != j {
			if err := p.entry(j, i, x, lines.Line); err != nil {
				return err
			}
		}
	}
	if count < want || lines.Err != nil {
		return m.cutShort(count, want)
	}
	return nil
}

// entry appends the rating of a row and a column by their numbers.
func (p *ratingsParser) entry(i, j int, x float64, line int) error {
	if err := p.checkNumber("rating", x, line); err != nil {
		return err
	}
	if p.opt.Labels {
		x = float64(p.texts.Add([]byte(class.Label(x))))
	}
	p.given = true
	var row, col [20]byte
	return p.place(strconv.AppendInt(row[:0], int64(i), 10), strconv.AppendInt(col[:0], int64(j), 10), x, line)
}

// numberAll gives every row and column its number as id, those without entries too, unless the header asks for many more
// than it has entries.
func (p *ratingsParser) numberAll(size []int) {
	if p.known || size[0]+size[1] > 4*size[2]+1<<20 {
		return
	}
	for side, ids := range []*IDs{p.out.RowIDs, p.out.ColIDs} {
		for i := 1; i <= size[side]; i++ {
			ids.Add(strconv.AppendInt(nil, int64(i), 10))
		}
	}
}

// coordinates are the entries of a sparse matrix in the order of their file.
type coordinates struct {
	rows, cols chunkList[int32]
	values     chunkList[float64]
	lines      text.LineBreaks
	symmetric  bool // an entry off the diagonal stands for two
}

func (p *market) readCoordinates() (*Matrix, error) {
	c := &coordinates{symmetric: p.symmetric}
	want := p.size[2]
	for p.next() {
		i, j, x, err := p.entry(p.lines.Text)
		if err != nil {
			return nil, err
		}
		if c.values.n == want {
			return nil, p.errorf("has more entries than the %d of the line of sizes; mend it", want)
		}
		c.lines.Note(c.values.n, p.lines.Line)
		c.rows.push(int32(i - 1))
		c.cols.push(int32(j - 1))
		c.values.push(x)
	}
	if c.values.n < want || p.lines.Err != nil {
		return nil, p.cutShort(c.values.n, want)
	}
	return c.compress(p.name, p.size[0], p.size[1])
}

// entry reads a row, a column and, but in a pattern, a value.
func (p *market) entry(line []byte) (i, j int, x float64, err error) {
	var place [2]int
	rest := text.TrimLeft(line)
	for side := range place {
		var word []byte
		word, rest = text.CutWord(rest)
		word = bytes.TrimPrefix(word, []byte("+"))
		v, n := text.ScanIndex(word)
		if n == 0 || n < len(word) || v < 1 || v > p.size[side] {
			return 0, 0, 0, p.errorf("the index %q is not a whole number from 1 to %d; mend it", text.Clip(word), p.size[side])
		}
		place[side] = v
	}
	x = 1
	if !p.pattern {
		var word []byte
		if word, rest = text.CutWord(rest); len(word) == 0 {
			return 0, 0, 0, p.errorf("has no value; an entry has a row, a column and a value")
		}
		if x, err = p.value(word); err != nil {
			return 0, 0, 0, err
		}
	}
	if len(rest) > 0 {
		return 0, 0, 0, p.errorf("goes on with %q behind its entry; put one entry on a line", text.Clip(rest))
	}
	return place[0], place[1], x, nil
}

// emptyRows bounds the rows that a file may claim without filling them, so that a row pointer costs no more than the
// file is worth.
func emptyRows(entries int) int { return 1<<20 + 64*entries }

// compress sorts the entries by rows, by counting, and by columns. First the columns go to their places, then the
// values, so that the entries and the result are never held as a whole together.
func (c *coordinates) compress(name string, m, n int) (*Matrix, error) {
	if m > emptyRows(c.values.n) {
		return nil, fmt.Errorf("%s: claims %d rows but has only %d entries; mend the line of sizes", name, m, c.values.n)
	}
	x := &Matrix{Rows: m, Cols: n, Ptr: make([]int64, m+1)}
	c.count(x.Ptr)
	x.Index = make([]int32, x.Ptr[m])
	c.scatter(x.Ptr, func(at int64, k int, mirrored bool) {
		if mirrored {
			x.Index[at] = c.rows.at(k)
		} else {
			x.Index[at] = c.cols.at(k)
		}
	})
	if i, j, ok := x.twice(); ok && c.lines == nil {
		return nil, fmt.Errorf("%s: row %d has column %d twice; call sum_duplicates() and save it again", name, i+1, j+1)
	} else if ok {
		a, b := c.find(i, j)
		return nil, lineError(name, c.lines.Line(b), "gives row %d, column %d again, after line %d; keep one of the two", i+1, j+1,
			c.lines.Line(a))
	}
	if !c.symmetric {
		c.release()
	}
	x.Values = make([]float64, len(x.Index))
	c.scatter(x.Ptr, func(at int64, k int, _ bool) { x.Values[at] = c.values.at(k) })
	x.sortRows()
	return x, nil
}

// release gives the columns back before the values take their memory. The collector alone would keep the freed chunks,
// which are too small for one long slice, and the peak would be 2.4 times the result.
func (c *coordinates) release() {
	n := c.cols.n
	c.cols = chunkList[int32]{}
	if n > 1<<18 {
		debug.FreeOSMemory()
	}
}

// count writes the row pointers.
func (c *coordinates) count(ptr []int64) {
	for k := range c.rows.n {
		i := c.rows.at(k)
		ptr[i+1]++
		if j := c.cols.at(k); c.symmetric && i != j {
			ptr[j+1]++
		}
	}
	for i := range len(ptr) - 1 {
		ptr[i+1] += ptr[i]
	}
}

// scatter calls put for each entry with its place among the rows.
func (c *coordinates) scatter(ptr []int64, put func(at int64, k int, mirrored bool)) {
	next := slices.Clone(ptr)
	for k := range c.rows.n {
		i := c.rows.at(k)
		put(next[i], k, false)
		next[i]++
		if !c.symmetric {
			continue
		}
		if j := c.cols.at(k); i != j {
			put(next[j], k, true)
			next[j]++
		}
	}
}

// find gives the first two entries at a place.
func (c *coordinates) find(i, j int) (a, b int) {
	a = -1
	for k := range c.rows.n {
		r, s := int(c.rows.at(k)), int(c.cols.at(k))
		if r == i && s == j || c.symmetric && r == j && s == i {
			if a >= 0 {
				return a, k
			}
			a = k
		}
	}
	return a, a
}
