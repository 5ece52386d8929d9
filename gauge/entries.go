package gauge

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
	"gonum.org/v1/gonum/floats"
)

const (
	rowBlock   = 1 << 16 // entries that forBlocks reads at once
	unitBlock  = 64      // unit vectors that a BlockMap multiplies at once
	wholeLimit = 1 << 25 // entries up to which a map without RowsTo is formed whole, from products on its smaller side
)

// forRows calls f on the rows of G in order; row is valid during the call only. An entry that is not finite is an error:
// comparisons would pass over a NaN, and so would a certificate.
func forRows(ctx context.Context, g gcg.Map, f func(i int, row []float64)) error {
	_, n := g.Dims()
	return forBlocks(ctx, g, func(first int, rows []float64) {
		for r := 0; r < len(rows); r += n {
			f(first+r/n, rows[r:r+n])
		}
	})
}

// forBlocks is forRows for many rows at a time, from the first on.
func forBlocks(ctx context.Context, g gcg.Map, f func(first int, rows []float64)) error {
	m, n := g.Dims()
	read, most := rowReader(g)
	block := make([]float64, min(m, max(1, min(most, rowBlock/n)))*n)
	for lo := 0; lo < m; lo += len(block) / n {
		if err := ctx.Err(); err != nil {
			return err
		}
		part := block[:min(len(block), (m-lo)*n)]
		read(part, lo)
		if e := notFinite(part); e >= 0 {
			return notFiniteAt(part[e], lo*n+e, n)
		}
		f(lo, part)
	}
	return nil
}

// forContenders calls f on entries of G in order, from place first = i·n + j on: on all but those that, by the bounds of a
// BoundedMap, neither have the largest value nor one that is asked for. mostTo bounds the values of entries y ± d from first on.
func forContenders(ctx context.Context, g gcg.Map, ask gcg.Ask, f func(first int, entries []float64),
	mostTo func(dst []float64, first int, y, d []float64)) error {
	b, ok := view.BoundedOf(g)
	if !ok {
		_, n := g.Dims()
		return forBlocks(ctx, g, func(first int, rows []float64) { f(first*n, rows) })
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	y, d := b.Within()
	c := &contenders{b: b, y: y, d: d, mostTo: mostTo, most: make([]float64, len(y)), level: math.Inf(1)}
	mostTo(c.most, 0, y, d)
	if ask.Count > 1 {
		c.level = ask.Above
	}
	if err := c.find(); err != nil {
		return err
	}
	for lo, hi := 0, 0; lo < len(y); lo = hi {
		hi = lo + 1
		if c.most[lo] < c.level {
			continue
		}
		for hi < len(y) && c.most[hi] >= c.level {
			hi++
		}
		f(lo, y[lo:hi])
	}
	return ctx.Err()
}

// contenders are the entries of a BoundedMap whose values are at least at a level.
type contenders struct {
	b      view.BoundedMap
	y, d   []float64
	mostTo func(dst []float64, first int, y, d []float64)
	most   []float64 // what the values are at most, themselves where d is 0
	level  float64
}

// find lowers the level until the largest value is not below it, and computes the entries that may be at the level.
func (c *contenders) find() error {
	for {
		var unknown []int
		for e, v := range c.most {
			if !(v < c.level) && c.d[e] != 0 { // nor NaN, of which nothing is known
				unknown = append(unknown, e)
			}
		}
		if err := c.refine(unknown); err != nil {
			return err
		}
		top := floats.MaxIdx(c.most)
		if c.most[top] >= c.level {
			return nil
		}
		if c.d[top] != 0 {
			if err := c.refine([]int{top}); err != nil {
				return err
			}
		}
		c.level = c.most[top]
	}
}

// refine computes some entries, and what their values are.
func (c *contenders) refine(places []int) error {
	c.b.Refine(places)
	_, n := c.b.Dims()
	for _, e := range places {
		if x := c.y[e]; x-x != 0 {
			return notFiniteAt(x, e, n)
		}
		c.mostTo(c.most[e:e+1], e, c.y[e:e+1], c.d[e:e+1])
	}
	return nil
}

// notFiniteAt is the error of an entry x at place e = i·n + j.
func notFiniteAt(x float64, e, n int) error {
	return fmt.Errorf("gauge: the gradient is %v at row %d, column %d", x, e/n, e%n)
}

// notFinite is the place of the first entry that is not finite, or -1.
func notFinite(x []float64) int {
	for j, v := range x {
		if v-v != 0 {
			return j
		}
	}
	return -1
}

// rowReader is a function that writes the rows of G from lo on into dst, as many as dst has room for. most is the largest number
// of rows of one call.
func rowReader(g gcg.Map) (read func(dst []float64, lo int), most int) {
	m, n := g.Dims()
	if gcg.HasRows(g) {
		return func(dst []float64, lo int) { gcg.RowsTo(g, dst, lo) }, m
	}
	if n < m && m <= wholeLimit/n {
		whole := make([]float64, m*n)
		gcg.DenseTo(whole, g)
		return func(dst []float64, lo int) { copy(dst, whole[lo*n:]) }, m
	}
	t := gcg.Transposed(g)
	return func(dst []float64, lo int) {
		unitProducts(t, lo, lo+len(dst)/n, func(i, j int, x float64) { dst[(i-lo)*n+j] = x })
	}, unitBlock
}

// unitProducts calls f(j, i, G_ij) for columns lo ≤ j < hi.
func unitProducts(g gcg.Map, lo, hi int, f func(j, i int, x float64)) {
	m, n := g.Dims()
	for ; lo < hi; lo += unitBlock {
		k := min(unitBlock, hi-lo)
		e, cols := gcg.NewFactor(n, k), gcg.NewFactor(m, k)
		for c := range k {
			e.Row(lo + c)[c] = 1
		}
		gcg.MulBlock(g, cols, e)
		for i := range m {
			for c, x := range cols.Row(i)[:k] {
				f(lo+c, i, x)
			}
		}
	}
}

// rowOf is a copy of row i of G.
func rowOf(g gcg.Map, i int) []float64 {
	_, n := g.Dims()
	row := make([]float64, n)
	gcg.RowsTo(g, row, i)
	return row
}

// columnOf is a copy of column j of G.
func columnOf(g gcg.Map, j int) []float64 {
	m, n := g.Dims()
	e, col := make([]float64, n), make([]float64, m)
	e[j] = 1
	g.MulTo(col, e)
	return col
}

// entriesOf has the entries of G, row-major. It fails where one is not finite.
func entriesOf(ctx context.Context, g gcg.Map) (all []float64, err error) {
	m, n := g.Dims()
	all = make([]float64, m*n)
	err = forRows(ctx, g, func(i int, row []float64) {
		copy(all[i*n:], row)
	})
	return all, err
}
