package hessian

import (
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/view"
	"gonum.org/v1/gonum/mat"
)

// An Absorber takes off second derivatives what an unpenalised intercept absorbs. With D = ∇²L(z), and E the map of the
// intercept's constants to the observations, those of min over b of L(z + Eb) are
//
//	D - D E (EᵀDE)⁺ EᵀD
//
// Without it a Newton step in W holds the intercept still, and is far too long or too short along what both explain.
type Absorber struct {
	p *view.Problem
	s *gcg.State
	E gcg.InterceptMap
	// inverse is (EᵀDE)⁺, or its diagonal where the loss couples no observations, so that there is no more. EᵀDE is singular where
	// adding a constant to all observations of a stride changes nothing.
	Inverse []float64
}

// NewAbsorber takes the second derivatives at the state; it is nil without an intercept. It costs a product with D, or one
// for each place where the loss couples these. v is XᵀDE for columns X of predictions, with a row for each.
func NewAbsorber(p *view.Problem, s *gcg.State, columns []gcg.Column) (a *Absorber, v []float64) {
	if s.Intercept == nil {
		return nil, nil
	}
	a = &Absorber{p: p, s: s, E: p.InterceptMap()}
	v = make([]float64, len(columns)*a.E.Count)
	if p.Separable {
		a.separate(columns, v)
	} else {
		a.coupled(columns, v)
	}
	return a, v
}

// separate fills in the inverse and v where D is diagonal.
func (a *Absorber) separate(columns []gcg.Column, v []float64) {
	de := a.p.SeparableHess(a.s)
	a.Inverse = a.E.Sums(de)
	top := slices.Max(a.Inverse)
	for c, x := range a.Inverse {
		if a.Inverse[c] = 0; x > negligible*top {
			a.Inverse[c] = 1 / x
		}
	}
	if len(columns) == 0 {
		return
	}
	a.p.SumTo(v, func(v []float64, lo, hi int) {
		clear(v)
		par.For(len(columns), func(i int) {
			own := within(&columns[i], lo, hi)
			row, x, t := v[i*a.E.Count:(i+1)*a.E.Count], own.Values, 0
			Each(&own, func(at int) {
				if c := a.E.At(at); c >= 0 {
					row[c] += de[at] * x[t]
				}
				t++
			})
		})
	})
}

// coupled fills in the inverse and v for any D.
func (a *Absorber) coupled(columns []gcg.Column, v []float64) {
	count := a.E.Count
	if all := a.p.HessSum(a.s.R); all != nil && len(columns) == 0 {
		a.Inverse = PseudoInverse(mat.NewSymDense(count, all))
		return
	}
	ede := mat.NewSymDense(count, nil)
	de, one, dots := make([]float64, len(a.s.Z)), make([]float64, count), make([]float64, len(columns))
	for c := range count {
		clear(de)
		one[c] = 1
		a.E.AddTo(de, 1, one)
		one[c] = 0
		a.p.HessTo(de, a.s.Z, a.s.R, de)
		for k, x := range a.E.Sums(de) {
			if k >= c {
				ede.SetSym(c, k, x)
			}
		}
		AdjointTo(a.p.Problem, dots, columns, de)
		for i, x := range dots {
			v[i*count+c] = x
		}
	}
	a.Inverse = PseudoInverse(ede)
}

// negligible is the part of the largest second derivative below which the pseudo-inverse takes one as 0.
const negligible = rounding.Decomposed

// PseudoInverse is that of a symmetric positive semidefinite matrix, by its eigenvalues.
func PseudoInverse(m *mat.SymDense) []float64 {
	n := m.SymmetricDim()
	values, q := linalg.SymEigen(m, true)
	scaled, inverse := mat.DenseCopyOf(q).RawMatrix().Data, make([]float64, n*n)
	for k, v := range values {
		by := 0.0
		if v > negligible*values[n-1] {
			by = 1 / v
		}
		for i := range n {
			scaled[i*n+k] *= by
		}
	}
	kernel.GemmNT(inverse, scaled, q.RawMatrix().Data, n, n, n)
	return inverse
}

// times is (EᵀDE)⁺ s.
func (a *Absorber) times(s []float64) []float64 {
	n := a.E.Count
	out := make([]float64, n)
	for k := range out {
		if len(a.Inverse) == n {
			out[k] = a.Inverse[k] * s[k]
		} else {
			out[k] = kernel.Dot(a.Inverse[k*n:(k+1)*n], s)
		}
	}
	return out
}

// Follow is about the best intercept at z, the predictions of a W near the state's, without an intercept: with b and z₀ =
// A(W) + Eb of the state it is b - (EᵀDE)⁺EᵀD(z + Eb - z₀), one product with D.
func (a *Absorber) Follow(z []float64) []float64 {
	d := memory.Borrow[float64](len(z))
	defer memory.Repay(d)
	par.For(a.p.Blocks(), func(t int) {
		lo, hi := a.p.Block(t)
		copy(d[lo:hi], z[lo:hi])
		kernel.Axpy(-1, a.s.Z[lo:hi], d[lo:hi])
	})
	a.E.AddTo(d, 1, a.s.Intercept)
	a.p.HessTo(d, a.s.Z, a.s.R, d)
	b := slices.Clone(a.s.Intercept)
	kernel.Axpy(-1, a.times(a.E.Sums(d)), b)
	return b
}

// Profile takes what the intercept absorbs off t rows of H = AᵀDA: H - V(EᵀDE)⁺Vᵀ with V = AᵀDE, which is the H of min over
// b of L. A row has the listed columns.
func (a *Absorber) Profile(v []float64, t int, row func(i int) (h []float64, columns []int)) {
	count := a.E.Count
	par.For(t, func(i int) {
		w := a.times(v[i*count : (i+1)*count])
		h, columns := row(i)
		for b, j := range columns {
			h[b] -= kernel.Dot(w, v[j*count:(j+1)*count])
		}
	})
}

// Reduce turns e = D x into (D - D E (EᵀDE)⁺ EᵀD) x, by one more product with D.
func (a *Absorber) Reduce(e []float64) {
	d := make([]float64, len(e))
	a.E.AddTo(d, 1, a.times(a.E.Sums(e)))
	a.p.HessTo(d, a.s.Z, a.s.R, d)
	kernel.Axpy(-1, d, e)
}

// Reduce32 is Reduce in float32, with sums in float64, as they are of what nearly cancels. hess replaces a block z, from
// observation lo on, by D z.
func (a *Absorber) Reduce32(e []float32, hess func(z []float32, lo int)) {
	b := a.times(a.E.Sums32(e))
	par.For(a.p.Blocks(), func(t int) {
		lo, hi := a.p.Block(t)
		d := memory.Borrow[float32](hi - lo)
		defer memory.Repay(d)
		a.E.To32(d, lo, b)
		hess(d, lo)
		kernel.Axpy(-1, d, e[lo:hi])
	})
}

// Centred takes off z, the predictions of some matrix D, their means over the observations of each constant of the
// intercept, and returns these means; without an intercept it returns nil. As W moves by θD, predictions then move by θz and
// the constants by -θ times the means: the level of the predictions stays, and a search along z depends on how features
// vary, not on how far from 0 they lie.
func Centred(p *view.Problem, z []float64) (means []float64) {
	if !p.Intercept {
		return nil
	}
	e := p.InterceptMap()
	means = e.Means(z)
	e.AddTo(z, -1, means)
	return means
}
