package hessian

import (
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// An assembly is what H = A_Sᵀ ∇²L A_S is formed of: the parts that it is written to, the state at which ∇²L is taken, and the
// columns A_S of the entries.
type assembly struct {
	*Parts
	p       *view.Problem
	s       *gcg.State
	columns []gcg.Column
}

// From is the assembly of H at a state.
func (c *Parts) From(p *view.Problem, s *gcg.State, columns []gcg.Column) *assembly {
	return &assembly{c, p, s, columns}
}

// Complete computes what belongs to the entries from the known one on. Where ranks share the observations it is a sum over the
// shards, each as one process has it.
func (c *assembly) Complete(known int) {
	if !c.p.IsShared() {
		c.complete(known)
		return
	}
	sum, at := make([]float64, int(c.Size())), 0
	c.p.SumTo(sum, func(part []float64, lo, hi int) {
		own, at := PartsOf(c.Groups).From(c.p, c.s, make([]gcg.Column, len(c.columns))), 0
		for i := range own.columns {
			own.columns[i] = within(&c.columns[i], lo, hi)
		}
		own.complete(known)
		for _, h := range own.Hess {
			at += copy(part[at:], h)
		}
	})
	for _, h := range c.Hess {
		kernel.Axpy(1, sum[at:at+len(h)], h)
		at += len(h)
	}
}

// complete is Complete of the observations that the columns have, in the way that takes least for them: by classes of dense
// features, by products of matrices for the dense columns of one output, and else by rows of observations.
func (c *assembly) complete(known int) {
	d := c.p.SeparableHess(c.s)
	if d == nil && len(c.columns) > 0 && AllDense(c.p, c.columns) {
		c.byClasses()
		return
	}
	var byRows, fresh []int
	for q, entries := range c.Members {
		first := c.before(q, known)
		if d != nil && sameRows(c.columns, entries) {
			c.denseProducts(q, d, first)
			continue
		}
		byRows = append(byRows, entries...)
		fresh = append(fresh, entries[first:]...)
	}
	slices.Sort(byRows)
	slices.Sort(fresh)
	c.rowProducts(d, byRows, fresh)
	for q, entries := range c.Members {
		n := len(entries)
		for a := c.before(q, known); a < n; a++ {
			for b := range a {
				c.Hess[q][b*n+a] = c.Hess[q][a*n+b]
			}
		}
	}
}

// sameRows says that the columns of entries are dense and predict the same observations.
func sameRows(columns []gcg.Column, entries []int) bool {
	first := &columns[entries[0]]
	for _, i := range entries {
		if c := &columns[i]; c.Index != nil || c.Stride != first.Stride || c.Offset != first.Offset {
			return false
		}
	}
	return true
}

// denseProducts writes the rows of part q from the first one on by a product of the matrix of its columns with itself: 2tnt'
// flops for t' of t rows, and n observations.
func (c *assembly) denseProducts(q int, d []float64, first int) {
	entries := c.Members[q]
	t, n := len(entries), len(c.columns[entries[0]].Values)
	all, scaled := make([]float64, t*n), make([]float64, (t-first)*n)
	par.For(t, func(a int) {
		x := &c.columns[entries[a]]
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
		kernel.GemmNT(c.Hess[q][(first+lo)*t:(first+hi)*t], scaled[lo*n:hi*n], all, hi-lo, t, n)
	})
}

// columnProducts writes the rows of the fresh entries up to the diagonal. For each of them ∇²L A(e), a vector of
// predictions, is dotted with the columns of its part.
func (c *assembly) columnProducts(fresh []int) {
	blocks := par.Grain(len(fresh), 16, 16)
	par.For(blocks, func(b int) {
		lo, hi := par.Range(b, blocks, len(fresh))
		spread := make([]float64, len(c.s.Z))
		for _, i := range fresh[lo:hi] {
			AddColumn(spread, 1, &c.columns[i])
			c.p.HessBlockTo(spread, 0, c.s.Z, c.s.R, spread)
			row := c.Row(i)
			for a, j := range c.Members[c.Of[i]][:c.At[i]+1] {
				row[a] = DotColumn(spread, &c.columns[j])
			}
			clear(spread)
		}
	})
}

// Profile takes off H what the intercept absorbs: H is then that of the minimum of L over the constants.
func (c *assembly) Profile() {
	a, v := NewAbsorber(c.p, c.s, c.columns)
	a.Profile(v, len(c.columns), func(i int) ([]float64, []int) { return c.Row(i), c.Members[c.Of[i]] })
}

// SolveCG is the solution for r, which is overwritten, or nil where the matrix is not positive definite.
func SolveCG(c *linalg.ConjugateGradients, r []float64) []float64 {
	x := make([]float64, len(r))
	if _, ok := c.Solve(x, r); !ok {
		return nil
	}
	return x
}
