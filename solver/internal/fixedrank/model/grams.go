package model

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// grams are the second derivatives for each column of W, where these are all that there are and worth forming; or nil.
func (g *genericModel) grams() []*gcg.Factor {
	at := g.here
	if g.p.Grams == nil || at.asked || !g.p.Separable {
		return at.grams
	}
	at.asked = true
	if at.grams = g.fixed; at.grams == nil {
		at.grams = g.p.Grams.Grams(g.curved().SeparableHess(at.s), at.s.Intercept != nil)
	}
	if g.p.Quadratic() {
		g.fixed = at.grams
	}
	return at.grams
}

// gramsTo writes gu = E V and gv = Eᵀ U, where a column of E is that of dU Vᵀ + U dVᵀ times its matrix: 2m(m + 4k) flops for
// each.
func gramsTo(gu, gv, u, v, du, dv *gcg.Factor, grams []*gcg.Factor) {
	w, right := gcg.Beside(du, u), gcg.Beside(v, dv)
	m, k := u.Rows, w.Stride
	e := gcg.NewFactor(len(grams), m) // Eᵀ
	par.For(par.Grain(len(grams), 16, 16), func(b int) {
		lo, hi := par.Range(b, par.Grain(len(grams), 16, 16), len(grams))
		x := make([]float64, (hi-lo)*m)
		kernel.GemmNT(x, right.Data[lo*k:hi*k], w.Data, hi-lo, m, k)
		for c := lo; c < hi; c++ {
			for i, d := range x[(c-lo)*m : (c-lo+1)*m] {
				kernel.Axpy(d, grams[c].Row(i), e.Row(c))
			}
		}
	})
	copy(gu.Data, gcg.TMul(e, v).Data)
	copy(gv.Data, gcg.Mul(e, gcg.Padded(u)).Data)
}
