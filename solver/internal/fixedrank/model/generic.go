package model

import (
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// A genericModel is a Model for any operator and any loss with second derivatives, by way of predictions.
type genericModel struct {
	p          *view.Problem
	here, base *modelPoint   // that of the last Value, and of the last Gradient
	spare      *gcg.State    // of a former point, whose vectors the next one overwrites, or nil
	inFloat64  bool          // no products in float32
	fixed      []*gcg.Factor // the matrices of a quadratic loss, once they are known
	reach      float64       // of secants, or 0 before the first step
}

// A modelPoint is some factors with their own predictions and intercept, and what is known of the derivatives there.
type modelPoint struct {
	s      *gcg.State
	grad   gcg.Map                   // or nil: some operators form it when it is first used
	minus  *gcg.Factor32             // -grad as a matrix, or nil until it is used
	free   *hessian.Absorber         // or nil
	hess   gcg.FactorHessian         // or nil until it is used
	grams  []*gcg.Factor             // of the columns of W, or nil
	asked  bool                      // for grams
	block  func(z []float32, lo int) // replaces z by ∇²L z
	curved *view.Problem             // see curved, or nil until it is used
}

// Value goes to some factors, from the point of the last gradient. Steps that are too long come back to that point for
// nothing; and an intercept that was fitted far away is no start for the next.
func (g *genericModel) Value(u, v *gcg.Factor) float64 {
	if g.base != nil && slices.Equal(u.Data, g.base.s.W.U.Data) && slices.Equal(v.Data, g.base.s.W.V.Data) {
		if g.here != g.base {
			g.spare = g.here.s
		}
		g.here = g.base
		return g.here.s.Loss
	}
	from := g.here
	if g.base != nil {
		from = g.base
	}
	s := &gcg.State{Intercept: slices.Clone(from.s.Intercept), Loss: from.s.Loss}
	s.W = &gcg.Iterate{M: u.Rows, N: v.Rows, U: u, V: v}
	if g.here != g.base {
		g.spare = g.here.s
	}
	if g.spare != nil {
		s.Z, s.R, g.spare = g.spare.Z, g.spare.R, nil
	} else {
		s.Z, s.R = memory.Room[float64](len(from.s.Z)), memory.Room[float64](len(from.s.R))
	}
	if s.Intercept != nil {
		copy(s.Z, from.s.Z) // whose level is a start
	}
	var guess func(z []float64) []float64
	if from.free != nil {
		guess = from.free.Follow
	}
	s.Approach(g.p.Problem, guess)
	g.here = &modelPoint{s: s}
	return s.Loss
}

// Began knows no loss: predictions are computed anew.
func (g *genericModel) Began() (loss float64, ok bool) { return 0, false }

// Gradient is taken at the best intercept: a little beside that, it is off by as much times the means of the features.
func (g *genericModel) Gradient() gcg.Map {
	if g.here.grad == nil {
		if g.here.s.Intercept != nil {
			g.here.s.Recentre(g.p.Problem)
		}
		g.here.grad = g.here.s.Gradient(g.p.Problem)
	}
	if g.base != nil && g.base != g.here {
		if hessian.TakesSecants(g.p) {
			g.reach = hessian.ReachPart * hessian.RmsDistance(g.p.Problem, g.base.s.Z, g.here.s.Z)
		}
		g.spare = g.base.s
	}
	g.base = g.here
	return g.here.grad
}

// curved is the problem with the second derivatives that models take here: along secants, once a step has told their length.
func (g *genericModel) curved() *view.Problem {
	if g.here.curved == nil {
		g.here.curved = g.p
		if g.reach > 0 {
			g.here.curved = hessian.SecantAt(g.p, g.here.s.Z, g.reach)
		}
	}
	return g.here.curved
}

// UseFloat64 does without Curvature32.
func (g *genericModel) UseFloat64() { g.inFloat64 = true }

// WriteTo takes the best intercept first, where the gradient has not.
func (g *genericModel) WriteTo(s *gcg.State) {
	if s.Intercept != nil && g.here.grad == nil { // steps are content with less
		g.here.s.Recentre(g.p.Problem)
	}
	copy(s.Z, g.here.s.Z)
	copy(s.R, g.here.s.R)
	copy(s.Intercept, g.here.s.Intercept)
	s.Loss, s.Polar, s.Exact = g.here.s.Loss, nil, true
	g.repay()
}

// repay gives the memory of all points back.
func (g *genericModel) repay() {
	points := []*gcg.State{g.here.s}
	if g.base != nil && g.base != g.here {
		points = append(points, g.base.s)
	}
	if g.spare != nil {
		points = append(points, g.spare)
	}
	for _, s := range points {
		memory.Repay(s.Z)
		memory.Repay(s.R)
	}
	*g = genericModel{}
}
