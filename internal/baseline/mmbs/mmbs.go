// Package mmbs is low-rank optimization with a trace norm penalty by trust regions on a manifold.
//
// Mishra, Meyer, Bach, Sepulchre: Low-rank optimization with trace norm penalty, SIAM J. Optim. 23 (2013); [Yu17 eq 62].
//
//	mmbs.go      the method: rank by rank, with the test of the duality gap
//	manifold.go  U B Vᵀ: tangent vectors, projection, retraction, gradient and second derivatives
//	trust.go     the trust region
package mmbs

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/baseline/rival"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// Method minimises, at a fixed rank k,
//
//	φ(U, B, V) = ℓ(U B Vᵀ) + λ tr B,    UᵀU = VᵀV = I,   B ≻ 0
//
// by a trust region on the manifold of such (U, B, V) modulo rotations. At a stationary point the leading singular pair u, v of
// -∇ℓ says whether W is optimal: the duality gap, which solver.Run computes. If not, k grows by one from W + βuvᵀ with β by a
// search, which lowers the objective.
type Method struct {
	Inner int     // steps of the trust region for each rank; 0 means 20
	Goal  float64 // the part of the norm of the first gradient of a rank at which it ends; 0 means 1e-2
}

const (
	usualInner = 20
	usualGoal  = 1e-2
	// negligible is the part of the largest singular value below which a direction is left out: B is to be definite.
	negligible = 1e-9
)

// Name is mmbs.
func (*Method) Name() string { return "mmbs" }

// Descends is true.
func (*Method) Descends() bool { return true }

// Ask wants the leading pair.
func (*Method) Ask(*gcg.Problem, *gcg.State) gcg.Ask { return gcg.Ask{Count: 1, OutsideW: true} }

// Init needs the trace norm, a penalty λκ and a loss with second derivatives.
func (x *Method) Init(problem *gcg.Problem, s *gcg.State, _ gcg.Settings) error {
	p := view.Of(problem)
	const also = " and a loss with second derivatives"
	if p.Curved == nil {
		return rival.Refused("mmbs", "λ times the trace norm without an intercept"+also, p)
	}
	return rival.TakesTraceNorm("mmbs", p, also)
}

// Step raises the rank by one, and goes to a stationary point of it.
func (x *Method) Step(ctx context.Context, problem *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	p := view.Of(problem)
	x.grow(p, s)
	if s.W.Rank() == 0 {
		return gcg.Moved{}, nil
	}
	u, sigma, v := gcg.SVD(s.W.U, s.W.V, negligible)
	at := &point{u: u, b: sigma, v: v}
	inner, goal := x.Inner, x.Goal
	if inner == 0 {
		inner = usualInner
	}
	if goal == 0 {
		goal = usualGoal
	}
	f := &function{p: p, lambda: p.Penalty.Deriv(0), s: s}
	x.descend(ctx, f, at, inner, goal)
	return gcg.Moved{Added: 1}, nil
}

// grow adds the leading pair with the weight that lowers the objective most along it: exactly for quadratic losses, by a Newton
// step that is halved until F falls for others.
func (x *Method) grow(p *view.Problem, s *gcg.State) {
	var a gcg.Atom
	if u, v := s.Polar.Stacked(); u != nil && u.K > 0 {
		a.U, a.V = u.Widen(1), v.Widen(1)
	} else if len(s.Polar.Atoms) > 0 {
		a = s.Polar.Atoms[0]
	} else {
		return
	}
	lambda := p.Penalty.Deriv(0)
	d := make([]float64, len(s.Z))
	p.ApplyAtoms(d, []gcg.Atom{a}, []float64{1})
	slope := kernel.Dot(s.R, d) - lambda
	curvature := p.CurvatureAlong(s, d)
	if !(slope > 0) || !(curvature > 0) {
		return
	}
	beta, z := slope/curvature, make([]float64, len(d))
	for range halvings {
		copy(z, s.Z)
		kernel.Axpy(beta, d, z)
		if p.Value(z, nil)+lambda*beta <= s.Loss {
			break
		}
		beta /= 2
	}
	s.W.Add([]gcg.Atom{a}, []float64{beta})
	s.Rho += beta
	s.Refresh(p.Problem)
}

// halvings of β are more than float64 tells from 0.
const halvings = 60

// settle writes a point into the state.
func settle(p *view.Problem, s *gcg.State, at *point) {
	w := &gcg.Iterate{M: s.W.M, N: s.W.N, U: at.u.Clone(), V: at.v.Clone()}
	s.Rho = 0
	for c, b := range at.b {
		root := math.Sqrt(b)
		w.U.ScaleColumn(c, root)
		w.V.ScaleColumn(c, root)
		s.Rho += b
	}
	s.W = w
	s.Refresh(p.Problem)
}
