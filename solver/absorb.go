package solver

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"gonum.org/v1/gonum/mat"
)

// An absorber takes off second derivatives what an unpenalised intercept absorbs: with D = ∇²L(z) and E the map of the
// intercept's places to the observations, those of min over b of L(z + Eb) are
//
//	D - D E (EᵀDE)⁺ EᵀD.
//
// Without it a Newton step in W holds the intercept still, and is far too long or too short along what both explain.
type absorber struct {
	p       *gcg.Problem
	s       *gcg.State
	places  int
	inverse []float64 // (EᵀDE)⁺, places²; EᵀDE is singular where adding a constant to all places of a stride changes nothing
}

// newAbsorber is of the state's predictions, nil where there is no intercept. It costs as many products with D as there are
// places; visit gets each D E e_c, which it must not keep.
func newAbsorber(p *gcg.Problem, s *gcg.State, visit func(place int, de []float64)) *absorber {
	if s.Intercept == nil {
		return nil
	}
	a := &absorber{p: p, s: s, places: len(s.Intercept)}
	inner := mat.NewSymDense(a.places, nil)
	de := make([]float64, len(s.Z))
	for c := range a.places {
		clear(de)
		for i := c; i < len(de); i += a.places {
			de[i] = 1
		}
		p.HessTo(de, s.Z, s.R, de)
		for k, x := range a.sums(de) {
			if k >= c {
				inner.SetSym(c, k, x)
			}
		}
		if visit != nil {
			visit(c, de)
		}
	}
	a.inverse = pseudoInverse(inner)
	return a
}

// pseudoInverse is by eigenvalues; those below 1e-10 times the largest count as 0. A matrix that has none is inverted to 0.
func pseudoInverse(m *mat.SymDense) []float64 {
	n := m.SymmetricDim()
	inverse := make([]float64, n*n)
	values, q := linalg.SymEigen(m, true)
	for k, v := range values {
		if !(v > 1e-10*values[n-1]) {
			continue
		}
		for i := range n {
			for j := range n {
				inverse[i*n+j] += q.At(i, k) * q.At(j, k) / v
			}
		}
	}
	return inverse
}

// sums is Eᵀx.
func (a *absorber) sums(x []float64) []float64 {
	s := make([]float64, a.places)
	for i := 0; i < len(x); i += a.places {
		kernel.Axpy(1, x[i:i+a.places], s)
	}
	return s
}

// times is the pseudo-inverse times s.
func (a *absorber) times(s []float64) []float64 {
	out := make([]float64, a.places)
	for k := range out {
		out[k] = kernel.Dot(a.inverse[k*a.places:(k+1)*a.places], s)
	}
	return out
}

// reduce turns e = D x into (D - D E (EᵀDE)⁺ EᵀD) x, by one more product with D.
func (a *absorber) reduce(e []float64) {
	shift := a.times(a.sums(e))
	d := make([]float64, len(e))
	for i := 0; i < len(d); i += a.places {
		copy(d[i:i+a.places], shift)
	}
	a.p.HessTo(d, a.s.Z, a.s.R, d)
	kernel.Axpy(-1, d, e)
}
