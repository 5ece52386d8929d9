package task

import (
	"context"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/warning"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
)

// CutShort warns of a choice that was cut short; it is nil where the choice was not.
func CutShort(c *selection.Choice) Warning {
	if c.Curve.CutShort == "" {
		return nil
	}
	return warning.ShortChoice{By: c.Curve.CutShort, Candidates: len(c.Candidates), Solved: len(c.Curve.Solved()),
		Of: c.Expected, Falling: c.Falling()}
}

// farDown is the part of the λ from which on W = 0 below which steps that start at W = 0 may stall where those from larger λ do
// not.
const farDown = 1e-4

// Shortfall is why there is no more to see of a result at λ, 0 where there is none: W is 0, at a λ that was chosen or not, or the
// gap does not close; or nil. maxRank is the largest rank that was allowed, 0 for any.
func Shortfall(ctx context.Context, p *gcg.Problem, r *solver.Result, lambda float64, chosen bool, maxRank int) Warning {
	var top float64 // known where W = 0 is the solution
	if r.State.W.Zero() && lambda > 0 {
		top = topOf(ctx, p, lambda+r.Solution.Excess, lambda)
	}
	_, linear := p.Penalty.(gauge.Linear)
	zero := lambda > 0 && linear && r.State.W.Zero() && top > 0
	switch {
	case zero && (top <= lambda || r.Status == solver.Converged):
		return warning.ZeroSolution{Lambda: lambda, Top: top, Chosen: chosen}
	case r.Status != solver.Stalled:
		return nil
	case maxRank > 0 && r.State.W.Rank() >= maxRank:
		return warning.Stall{Reason: warning.AtMaxRank, MaxRank: maxRank}
	case r.State.Cert.Kind == gcg.Approximate:
		return warning.Stall{Reason: warning.HardPolar}
	case lambda > 0 && lambda < farDown*top:
		return warning.Stall{Reason: warning.FarDown, Lambda: lambda, Top: top}
	}
	return warning.Stall{Reason: warning.AtRounding}
}

// topOf is the smallest λ that gives W = 0, from what a solution at W = 0 says it is. Far below λ that is the rounding of a
// difference, and it is computed again.
func topOf(ctx context.Context, p *gcg.Problem, top, lambda float64) float64 {
	if top > 1e-6*lambda {
		return top
	}
	top, err := solver.MaxLambda(ctx, p)
	if err != nil {
		return 0 // unknown
	}
	return top
}
