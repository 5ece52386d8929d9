package warning

import (
	"fmt"

	"github.com/seed-b18ef778/gcg/solver"
)

// ZeroSolution warns that W is 0: λ is Lambda, and Top the smallest one for which W = 0 is the optimum.
type ZeroSolution struct {
	Lambda, Top float64
	Chosen      bool // by data that were held out
}

func (w ZeroSolution) String() string {
	if w.Chosen {
		return fmt.Sprintf("W = 0: no smaller λ was better on the data held out, and the model has constants alone; a λ below %.4g "+
			"gives more", w.Top)
	}
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

func (w ShortChoice) String() string {
	by := "at MaxTime"
	if w.By == solver.Interrupted {
		by = "by an interrupt"
	}
	if w.Candidates > 0 {
		return fmt.Sprintf("choosing centre, weights and λ ended %s, at candidate %d: another may be better", by, w.Candidates)
	}
	if w.Of == 0 {
		return fmt.Sprintf("choosing λ ended %s, before it was done: another may be better", by)
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
