// Package js is the method of Jaggi and Sulovský for a loss under a bound on the trace norm.
//
// Jaggi, Sulovský: A Simple Algorithm for Nuclear Norm Regularized Problems, ICML 2010.
package js

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/baseline/rival"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// Method minimises L(A W) over ‖W‖_* ≤ ζ by conditional gradient on the lifting to positive semidefinite matrices
//
//	Z = [X W; Wᵀ Y] ⪰ 0,   tr Z = 2ζ,        f(Z) = L(A W)
//
// which has a Z for each such W. With v the leading eigenvector of -∇f(Z) = ½[0 G; Gᵀ 0], G = -∇ℓ(W), it takes
//
//	Z ← (1-α)Z + α 2ζ vvᵀ,   α = 2/(k+2),   k = 0, 1, …
//
// v is (a; b)/√2 for the leading singular pair a, b of G, and the block W of Z moves to (1-α)W + αζ abᵀ: that block is all that
// is kept here. α is sought along the line, as the authors do for the squared loss, unless OpenLoop takes the one above.
type Method struct {
	OpenLoop bool

	set  gcg.Settings
	zeta float64
}

// Name is js.
func (*Method) Name() string { return "js" }

// Descends says whether no step raises F.
func (x *Method) Descends() bool { return !x.OpenLoop }

// Ask wants the leading pair.
func (*Method) Ask(*gcg.Problem, *gcg.State) gcg.Ask { return gcg.Ask{Count: 1} }

// Init refuses what is no bound on the trace norm.
func (x *Method) Init(problem *gcg.Problem, s *gcg.State, set gcg.Settings) error {
	x.set, x.zeta = set, problem.Penalty.Max()
	if !gcg.IsTraceNorm(problem.Gauge) || math.IsInf(x.zeta, 1) || problem.Intercept {
		return rival.Refused("js", "a bound on the trace norm without an intercept", view.Of(problem))
	}
	return nil
}

// Step is one of the method.
func (x *Method) Step(_ context.Context, problem *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	p := view.Of(problem)
	if s.Polar.Count() == 0 {
		return gcg.Moved{}, nil // the gradient is 0
	}
	a := gcg.Atom{}
	if u, v := s.Polar.Stacked(); u != nil {
		a.U, a.V = u.Widen(1), v.Widen(1)
	} else {
		a = s.Polar.Atoms[0]
	}
	d := make([]float64, len(s.Z)) // A(ζabᵀ) - Z
	p.ApplyAtoms(d, []gcg.Atom{a}, []float64{x.zeta})
	kernel.Axpy(-1, s.Z, d)
	alpha := 2 / float64(s.Iter+2)
	if !x.OpenLoop {
		alpha = x.search(p, s, d, alpha)
	}
	s.W.Scale(1 - alpha)
	if alpha == 1 {
		s.W.SetFactors(nil, nil)
	}
	s.W.Add([]gcg.Atom{a}, []float64{alpha * x.zeta})
	s.Rho = (1-alpha)*s.Rho + alpha*x.zeta
	s.MergeAtoms(x.set)
	kernel.Axpy(alpha, d, s.Z)
	s.Evaluate(problem)
	return gcg.Moved{Added: 1}, nil
}

// search is the best α in [0, 1] along d, exact for a quadratic loss. For others it is one Newton step, halved until it lowers
// the loss.
func (x *Method) search(p *view.Problem, s *gcg.State, d []float64, open float64) float64 {
	slope := kernel.Dot(s.R, d)
	if !(slope > 0) {
		return 0
	}
	alpha := open
	if p.Curved != nil {
		if c := p.CurvatureAlong(s, d); c > 0 {
			alpha = math.Min(1, slope/c)
		}
	}
	if p.Quadratic() {
		return alpha
	}
	z := make([]float64, len(d))
	for range halvings {
		copy(z, s.Z)
		kernel.Axpy(alpha, d, z)
		if p.Value(z, nil) <= s.Loss {
			return alpha
		}
		alpha /= 2
	}
	return 0
}

// halvings of a step are more than float64 tells from 0.
const halvings = 60
