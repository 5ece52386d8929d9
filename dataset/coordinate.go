package dataset

import (
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/text"
)

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
