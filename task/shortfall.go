package task

import (
	"context"
	"fmt"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
)

// ZeroSolution warns that W is 0: λ is Lambda, and Top the smallest one for which W = 0 is the optimum.
type ZeroSolution struct{ Lambda, Top float64 }

func (w ZeroSolution) String() string {
	if w.Top <= w.Lambda {
		return fmt.Sprintf("W = 0, as for every λ from %.4g on", w.Top)
	}
	return fmt.Sprintf("W = 0 is within the tolerance of the optimum, and the optimum for every λ from %.4g on", w.Top)
}

// A Stall warns that the gap was not closed, for a reason.
type Stall struct {
	Reason      StallReason
	MaxRank     int     // of AtMaxRank
	Lambda, Top float64 // of FarDown: λ, and the smallest one for which W = 0 is the optimum
}

// A StallReason is why a run could prove no more.
type StallReason int

const (
	AtRounding StallReason = iota // the gap is at rounding, or the solver at its limits
	AtMaxRank                     // W is at the largest rank that is allowed
	HardPolar                     // the polar is only bounded by a ratio
	FarDown                       // λ is so small that W = 0 is a bad start
)

func (w Stall) String() string {
	switch w.Reason {
	case AtMaxRank:
		return fmt.Sprintf("W is at the largest rank, %d, which keeps out what would close the gap", w.MaxRank)
	case HardPolar:
		return "no more could be proven: the polar of this gauge is NP-hard, and bounded by a guaranteed ratio alone"
	case FarDown:
		return fmt.Sprintf("no more was gained: λ is %.1g of that from which on W = 0; a path, which comes down from there, may "+
			"end nearer",
			w.Lambda/w.Top)
	}
	return "no more could be proven: the gap is at rounding, or the solver at its limits"
}

// A ShortChoice warns that the choice of λ, and of what else was auto, was cut short.
type ShortChoice struct {
	By         solver.Status // MaxTime or Interrupted
	Candidates int           // that were tried, of a race; 0 of one problem
	Solved, Of int           // λ, where there was no race
	Falling    bool          // the error still fell
}

// CutShort warns of a choice that was cut short; it is nil where the choice was not.
func CutShort(c *selection.Choice) Warning {
	if c.Curve.CutShort == "" {
		return nil
	}
	return ShortChoice{c.Curve.CutShort, len(c.Candidates), len(c.Curve.Solved()), c.Expected, c.Falling()}
}

func (w ShortChoice) String() string {
	by := "at MaxTime"
	if w.By == solver.Interrupted {
		by = "by an interrupt"
	}
	if w.Candidates > 0 {
		return fmt.Sprintf("choosing centre, weights and λ ended %s, at candidate %d: another may be better", by, w.Candidates)
	}
	text := fmt.Sprintf("choosing λ ended %s, at %d of %d λ", by, w.Solved, w.Of)
	switch {
	case w.Solved == 0:
		return text + ": this is the largest, and says nothing of the best"
	case w.Falling:
		return text + " while the error still fell: a smaller λ may be better"
	}
	return text + ": a smaller λ may be better"
}

// farDown is the part of the λ from which on W = 0 below which steps that start at W = 0 may stall where those from larger λ do
// not.
const farDown = 1e-4

// Shortfall is why there is no more to see of a result at λ, 0 where there is none: W is 0 at a λ that was not chosen, or the
// gap does not close; or nil. maxRank is the largest rank that was allowed, 0 for any.
func Shortfall(ctx context.Context, p *gcg.Problem, r *solver.Result, lambda float64, chosen bool, maxRank int) Warning {
	var top float64 // known where W = 0 is the solution
	if r.State.W.Zero() && lambda > 0 {
		top = topOf(ctx, p, lambda+r.Solution.Excess, lambda)
	}
	_, linear := p.Penalty.(gauge.Linear)
	zero := lambda > 0 && !chosen && linear && r.State.W.Zero() && top > 0
	switch {
	case zero && (top <= lambda || r.Status == solver.Converged):
		return ZeroSolution{lambda, top}
	case r.Status != solver.Stalled:
		return nil
	case maxRank > 0 && r.State.W.Rank() >= maxRank:
		return Stall{Reason: AtMaxRank, MaxRank: maxRank}
	case r.State.Cert.Kind == gcg.Approximate:
		return Stall{Reason: HardPolar}
	case lambda > 0 && lambda < farDown*top:
		return Stall{Reason: FarDown, Lambda: lambda, Top: top}
	}
	return Stall{Reason: AtRounding}
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
