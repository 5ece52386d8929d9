package gauge

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/spectral"
)

// Spectrahedron has the atoms and the value of PSDTrace, for penalties that hold the trace at a constant (Equal). W = 0 is
// excluded then, so that the polar is the maximum over atoms alone and may be negative.
//
//	atoms  u uᵀ, ‖u‖₂ = 1
//	polar  κ°(G) = λ₁((G + Gᵀ)/2)
type Spectrahedron struct {
	// Steps is the most Lanczos steps of one polar; 0 means 200.
	Steps int
	// Failure is the probability that a certified bound may fail; 0 means 1e-9.
	Failure float64
}

// Name is spectrahedron.
func (Spectrahedron) Name() string { return "spectrahedron" }

// Polar finds the algebraically largest eigenpairs of S = (G + Gᵀ)/2 and an upper bound of λ₁. Up to 256 rows S is decomposed
// whole, and the bound is proven. Otherwise S is cut by the space of ask.W, and λ₁ of the complement is bounded by Lanczos steps
// from a random start, see package spectral. This bound holds but for a stated probability. A Cholesky factorization of τI - S
// proves a bound where ask.Exact wants it, or where that is cheap and the other bound is not within ask.Tol; where its rounding
// is more than ask.Tol allows, S is decomposed whole. It refuses a G that is not square.
func (k Spectrahedron) Polar(ctx context.Context, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	m, n := g.Dims()
	if m != n {
		return gcg.Polar{}, notSquare(k.Name(), m, n)
	}
	if n <= denseLimit {
		s, err := symmetricOf(ctx, g)
		if err != nil {
			return gcg.Polar{}, err
		}
		return eigenPolar(s, ask), nil
	}
	p, err := k.cut(ctx, g, ask)
	if err != nil {
		return gcg.Polar{}, err
	}
	return spectral.Rescaled(ctx, p, g, ask, k.cut)
}

// cut is Polar where S is not decomposed whole.
func (k Spectrahedron) cut(ctx context.Context, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	_, n := g.Dims()
	o := Trace(k).options(0)
	if k.Steps == 0 {
		o.Steps = 200 // a step multiplies one vector, where one of Trace multiplies a block
	}
	p, err := spectral.NewSymmetric(g, ask.W).Polar(ctx, o, ask)
	if err != nil {
		return gcg.Polar{}, err
	}
	want := p.Value + ask.Tol*math.Max(math.Abs(p.Value), math.Abs(ask.Above))
	if !ask.Exact && (p.Bound <= want || n > proofLimit) {
		return p, nil
	}
	if n <= proofLimit && want-p.Value < choleskyRounding(n, math.Abs(p.Value)) {
		s, err := symmetricOf(ctx, g)
		if err != nil {
			return gcg.Polar{}, err
		}
		return eigenPolar(s, ask), nil
	}
	bound, err := provenEigenvalue(ctx, g, p.Value, want)
	if err != nil {
		return gcg.Polar{}, err
	}
	if ask.Exact || bound < p.Bound {
		p.Bound, p.Kind, p.Failure = math.Max(bound, p.Value), gcg.Proven, 0
	}
	return p, nil
}

// Of is PSDTrace.Of: tr W, or +Inf outside the cone.
func (k Spectrahedron) Of(w []float64, m, n int) float64 { return PSDTrace(k).Of(w, m, n) }

// ProxTo is PSDTrace.ProxTo, the proximity operator of the trace; the projection on {tr = ζ} is another one.
func (k Spectrahedron) ProxTo(dst, w []float64, m, n int, t float64) float64 {
	return PSDTrace(k).ProxTo(dst, w, m, n, t)
}

// ProxAlong is PSDTrace.ProxAlong.
func (k Spectrahedron) ProxAlong(w []float64, m, n int) func(dst []float64, t float64) float64 {
	return PSDTrace(k).ProxAlong(w, m, n)
}

// Split is PSDTrace.Split.
func (k Spectrahedron) Split(w []float64, m, n int) (atoms *gcg.Iterate, rho float64) {
	return PSDTrace(k).Split(w, m, n)
}
