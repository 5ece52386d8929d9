package solver

import (
	"slices"
	"sync"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// A reduction is the part of the data that a screen has left.
type reduction struct {
	m, n    int
	entries []int // ascending; nil while nothing is reduced
	columns []gcg.Column
	known   map[int]gcg.Column // every column that was taken out
}

// For an entry, the dot product with its column costs more than its share of a product with the whole data: so many times as
// much.
const (
	reduceOne     = 2  // for one output
	reduceSeveral = 16 // for several, whose residuals a column reads with a stride
)

// reduce takes out the columns of the live entries, once they are few.
func (c *screen) reduce() {
	m, n, _ := c.Dims()
	factor := reduceOne
	if n > 1 {
		factor = reduceSeveral
	}
	if c.left*factor > m*n {
		return
	}
	if c.reduced == nil {
		c.reduced = &reduction{m: m, n: n, known: map[int]gcg.Column{}}
	}
	r := c.reduced
	if r.entries != nil && len(r.entries) == c.left {
		return
	}
	r.entries, r.columns = c.liveEntries(), nil
	var rows, cols []int32
	for _, e := range r.entries {
		if _, ok := r.known[e]; !ok {
			rows, cols = append(rows, int32(e/n)), append(cols, int32(e%n))
		}
	}
	if len(rows) > 0 {
		for t, column := range c.Columns(rows, cols) {
			r.known[int(rows[t])*n+int(cols[t])] = column
		}
	}
	for _, e := range r.entries {
		r.columns = append(r.columns, r.known[e])
	}
}

// liveEntries are the entries of the live blocks, ascending.
func (c *screen) liveEntries() []int {
	entries := make([]int, 0, c.left)
	for b, live := range c.live {
		if live {
			entries = append(entries, c.entry[c.start[b]:c.start[b+1]]...)
		}
	}
	slices.Sort(entries)
	return slices.Compact(entries)
}

// Gradient is the last gradient as m×n entries, of which the live ones are true.
func (c *screen) Gradient() []float64 {
	m, n := c.last.Dims()
	g := make([]float64, m*n)
	gcg.DenseTo(g, c.last)
	return g
}

// adjoint is the gradient for the residual v.
func (r *reduction) adjoint(v []float64) gcg.Map {
	return &reducedMap{m: r.m, n: r.n, entries: r.entries, columns: r.columns, v: v}
}

// A reducedMap has the entries ⟨A(e), v⟩ that are left, and zeros elsewhere. They are computed when they are first used.
type reducedMap struct {
	m, n    int
	entries []int
	columns []gcg.Column
	v       []float64
	once    sync.Once
	values  []float64
}

func (g *reducedMap) Dims() (m, n int) { return g.m, g.n }

// get is the values of the entries.
func (g *reducedMap) get() []float64 {
	g.once.Do(func() {
		g.values = make([]float64, len(g.entries))
		blocks := par.Grain(len(g.entries), 64, 64)
		par.For(blocks, func(b int) {
			lo, hi := par.Range(b, blocks, len(g.entries))
			for t := lo; t < hi; t++ {
				if c := &g.columns[t]; c.Index == nil && c.Stride == 1 {
					g.values[t] = kernel.Dot(c.Values, g.v[c.Offset:c.Offset+len(c.Values)])
				} else {
					g.values[t] = hessian.DotColumn(g.v, c)
				}
			}
		})
	})
	return g.values
}

func (g *reducedMap) RowsTo(dst []float64, lo int) {
	clear(dst)
	first := lo * g.n
	for t, x := range g.get() {
		if e := g.entries[t] - first; e >= 0 && e < len(dst) {
			dst[e] = x
		}
	}
}

func (g *reducedMap) MulTo(dst, x []float64) {
	clear(dst)
	for t, v := range g.get() {
		e := g.entries[t]
		dst[e/g.n] += v * x[e%g.n]
	}
}

func (g *reducedMap) TMulTo(dst, y []float64) {
	clear(dst)
	for t, v := range g.get() {
		e := g.entries[t]
		dst[e%g.n] += v * y[e/g.n]
	}
}
