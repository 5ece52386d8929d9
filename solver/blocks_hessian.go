package solver

import (
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// complete computes the entries from the known one on: H = A_Sᵀ ∇²L A_S.
func (c *parts) complete(p *gcg.Problem, s *gcg.State, columns []gcg.Column, known int) {
	d := separableHess(p, s)
	if d == nil && len(columns) > 0 && allDense(p, columns) {
		c.byClasses(p, s, columns)
		return
	}
	var rest, fresh []int
	for q, entries := range c.members {
		first := c.before(q, known)
		if d != nil && sameRows(columns, entries) {
			c.denseProducts(q, d, columns, first)
			continue
		}
		rest = append(rest, entries...)
		fresh = append(fresh, entries[first:]...)
	}
	slices.Sort(rest)
	slices.Sort(fresh)
	c.rowProducts(p, s, d, columns, rest, fresh)
	for q, entries := range c.members {
		n := len(entries)
		for a := c.before(q, known); a < n; a++ {
			for b := range a {
				c.hess[q][b*n+a] = c.hess[q][a*n+b]
			}
		}
	}
}

// sameRows reports whether columns are dense and of one output.
func sameRows(columns []gcg.Column, entries []int) bool {
	first := &columns[entries[0]]
	for _, i := range entries {
		if c := &columns[i]; c.Index != nil || c.Stride != first.Stride || c.Offset != first.Offset {
			return false
		}
	}
	return true
}

// denseProducts writes rows first … of part q from the matrix of its columns, 2tnt' flops.
func (c *parts) denseProducts(q int, d []float64, columns []gcg.Column, first int) {
	entries := c.members[q]
	t, n := len(entries), len(columns[entries[0]].Values)
	all, scaled := make([]float64, t*n), make([]float64, (t-first)*n)
	par.For(t, func(a int) {
		x := &columns[entries[a]]
		copy(all[a*n:(a+1)*n], x.Values)
		if a >= first {
			for e, v := range x.Values {
				scaled[(a-first)*n+e] = v * d[x.Offset+x.Stride*e]
			}
		}
	})
	blocks := par.Grain(t-first, 32, 16)
	par.For(blocks, func(b int) {
		lo, hi := par.Range(b, blocks, t-first)
		kernel.GemmNT(c.hess[q][(first+lo)*t:(first+hi)*t], scaled[lo*n:hi*n], all, hi-lo, t, n)
	})
}

// columnProducts writes the rows of the fresh entries up to the diagonal: ∇²L A(e), spread over a vector of predictions, is dotted with
// the columns of the part one by one.
func (c *parts) columnProducts(p *gcg.Problem, s *gcg.State, columns []gcg.Column, fresh []int) {
	blocks := par.Grain(len(fresh), 16, 16)
	par.For(blocks, func(b int) {
		lo, hi := par.Range(b, blocks, len(fresh))
		spread := make([]float64, len(s.Z))
		for _, i := range fresh[lo:hi] {
			addColumn(spread, 1, &columns[i])
			p.HessBlockTo(spread, 0, s.Z, s.R, spread)
			row := c.row(i)
			for a, j := range c.members[c.of[i]][:c.at[i]+1] {
				row[a] = dotColumn(spread, &columns[j])
			}
			clear(spread)
		}
	})
}

// profile takes off what the intercept absorbs: the model is then that of min over b of L.
func (c *parts) profile(p *gcg.Problem, s *gcg.State, columns []gcg.Column) {
	a, v := newAbsorber(p, s, columns)
	a.profile(v, len(columns), func(i int) ([]float64, []int) { return c.row(i), c.members[c.of[i]] })
}
