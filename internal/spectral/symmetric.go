package spectral

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"gonum.org/v1/gonum/mat"
)

// A symmetric cuts S = (G + Gᵀ)/2 by an orthonormal P (n×k) that spans the columns of the iterate:
//
//	C = PᵀSP,   E = (I-PPᵀ) S P,   D = (I-PPᵀ) S (I-PPᵀ)
//
// Near a solution the eigenvalues of C cluster at the top of S, and a Lanczos run on S itself would stop there. So C and E are
// computed exactly, and only λ₁(D) is estimated. With x = Pa + b
//
//	xᵀSx = aᵀCa + 2bᵀEa + bᵀDb,   so   λ₁(S) ≤ λ₁ ⎡λ₁(C) ‖E‖ ⎤
//	                                             ⎣‖E‖   λ₁(D)⎦
type symmetric struct {
	g    gcg.Map
	n    int
	p    *gcg.Factor // nil where the iterate has no columns, or they are not used; D is S then
	c, e *gcg.Factor // C is a Small(k, k), E n×k; nil with P
}

// NewSymmetric cuts g by the columns of w, which may be nil, if its rank is at most maxStructure and n/2.
func NewSymmetric(g gcg.Map, w *gcg.Iterate) *symmetric {
	_, n := g.Dims()
	s := &symmetric{g: g, n: n}
	if w == nil || w.Rank() == 0 || w.Rank() > min(maxStructure, n/2) {
		return s
	}
	p, _ := gcg.Orthonormal(w.U, rounding.Decomposed)
	if p.K == 0 {
		return s
	}
	gv, gu := gcg.Both(g, p, p)
	gv.AddScaled(1, gu)
	gv.Scale(0.5)
	s.p, s.e = p, gv
	s.c = s.e.Project(p)
	return s
}

// product is a function that writes D x into dst, for x in the complement.
func (s *symmetric) product(project func([]float64)) func(dst, x []float64) {
	if known, ok := s.g.(interface{ Symmetric() bool }); ok && known.Symmetric() {
		return func(dst, x []float64) {
			s.g.MulTo(dst, x)
			project(dst)
		}
	}
	other := make([]float64, s.n)
	return func(dst, x []float64) {
		s.g.MulTo(dst, x)
		s.g.TMulTo(other, x)
		kernel.Axpy(1, other, dst)
		kernel.Scale(0.5, dst)
		project(dst)
	}
}

// Polar takes Lanczos steps until the bound is within ask.Tol of what the first atom attains, or until there are o.Steps of them.
func (s *symmetric) Polar(ctx context.Context, o Options, ask gcg.Ask) (gcg.Polar, error) {
	project := projector(s.p)
	t := startTridiagonal(s, project, ask.Seed)
	mul := s.product(project)
	for l := 12; ; l += max(6, l/4) {
		if err := t.extend(ctx, mul, project, min(l, o.Steps)); err != nil {
			return gcg.Polar{}, err
		}
		values, vectors := s.ritz(t)
		p := s.atoms(t, values, vectors, ask)
		p.Kind, p.Failure, p.Alpha = gcg.Probable, o.Failure, 1
		p.Bound = math.Max(s.bound(t, o.Failure), p.Value)
		want := p.Value + ask.Tol*math.Max(math.Abs(p.Value), math.Abs(ask.Above))
		if t.done || len(t.alpha) >= o.Steps || p.Bound <= want {
			return p, nil
		}
	}
}

// ritz is the eigendecomposition of S compressed to [P Y], [C EᵀY; YᵀE T], with values ascending.
func (s *symmetric) ritz(t *tridiagonal) ([]float64, *mat.Dense) {
	k, l := 0, len(t.alpha)
	if s.p != nil {
		k = s.p.K
	}
	core := mat.NewSymDense(k+l, nil)
	for i := range k {
		for j := range i + 1 {
			core.SetSym(i, j, (s.c.Row(i)[j]+s.c.Row(j)[i])/2)
		}
	}
	for i := range l {
		core.SetSym(k+i, k+i, t.alpha[i])
		if i+1 < l {
			core.SetSym(k+i, k+i+1, t.beta[i])
		}
		for j := range k {
			core.SetSym(j, k+i, columnProduct(s.e, j, t.y[i]))
		}
	}
	return linalg.SymEigen(core, true)
}

// atoms are the leading Ritz pairs of S: the best, and others above ask.Above.
func (s *symmetric) atoms(t *tridiagonal, values []float64, vectors *mat.Dense, ask gcg.Ask) gcg.Polar {
	var p gcg.Polar
	for i := range min(max(ask.Count, 1), len(values)) {
		at := len(values) - 1 - i
		if i > 0 && values[at] <= ask.Above {
			break
		}
		u := make([]float64, s.n)
		liftColumns(u, s.p, t.y[:len(t.alpha)], mat.Col(nil, at, vectors))
		kernel.Scale(1/gcg.Norm(u), u)
		p.Values, p.Atoms = append(p.Values, values[at]), append(p.Atoms, SquareAtom(u))
	}
	p.Value = p.Values[0]
	return p
}

// bound is λ₁ of the 2×2 matrix above, with an upper bound of λ₁(D) that holds but for the given probability. It leaves room for
// the rounding of C, E and T.
func (s *symmetric) bound(t *tridiagonal, failure float64) float64 {
	d, size := t.inflated(failure)
	if s.p == nil {
		return d + rounding.Product*size
	}
	values, _ := s.c.SymEigen(false)
	c, e := values[len(values)-1], s.e.SpectralNorm()
	size = math.Max(math.Max(size, e), math.Max(math.Abs(values[0]), math.Abs(c)))
	if math.IsInf(d, 1) {
		return d
	}
	if len(t.alpha) == 0 { // P spans everything
		return c + e + rounding.Product*size
	}
	return (c+d)/2 + math.Hypot((c-d)/2, e) + rounding.Product*size
}

// projector is a function that takes the part along the orthonormal basis, which may be nil, out of a vector.
func projector(basis *gcg.Factor) func([]float64) {
	return func(v []float64) {
		if basis == nil {
			return
		}
		coef := make([]float64, basis.Stride)
		for i, vi := range v {
			kernel.Axpy(vi, basis.Row(i), coef)
		}
		for i := range v {
			v[i] -= kernel.Dot(basis.Row(i), coef)
		}
	}
}

// columnProduct is the product of column c of f with x.
func columnProduct(f *gcg.Factor, c int, x []float64) float64 {
	var s float64
	for i, xi := range x {
		s += f.Data[i*f.Stride+c] * xi
	}
	return s
}

// liftColumns writes [basis columns] coef into dst; basis may be nil.
func liftColumns(dst []float64, basis *gcg.Factor, columns [][]float64, coef []float64) {
	clear(dst)
	k := 0
	if basis != nil {
		k = basis.K
		for i := range dst {
			dst[i] = kernel.Dot(coef[:k], basis.Row(i))
		}
	}
	for t, y := range columns {
		kernel.Axpy(coef[k+t], y, dst)
	}
}
