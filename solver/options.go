package solver

import (
	"context"
	"time"

	"github.com/seed-b18ef778/gcg"
)

// A Method lowers F step by step. Init checks that the problem has what the method needs; Step moves the state, of which
// Polar belongs to the current iterate.
type Method interface {
	Name() string
	Init(p *gcg.Problem, s *gcg.State) error
	// Ask is what the next step wants of the polar.
	Ask(p *gcg.Problem, s *gcg.State) gcg.Ask
	Step(ctx context.Context, p *gcg.Problem, s *gcg.State) error
}

// A Descender is a Method that may say that no step of it raises F. Others may stand still for as many steps as they have taken before the run
// counts as stalled.
type Descender interface{ Descends() bool }

// A Finisher is a Method with a criterion of its own: where it is Solved the run ends.
type Finisher interface {
	Solved(p *gcg.Problem, s *gcg.State) bool
}

// A Limiter is a Method that may have come to a limit of its own, such as a rank: the run ends as Stalled.
type Limiter interface {
	Limited(p *gcg.Problem, s *gcg.State) bool
}

// An Improver lowers F between steps without knowing which method called it. F does not rise but for rounding, and Z, R,
// Loss and Rho stay true to W.
type Improver interface {
	Name() string
	Improve(ctx context.Context, p *gcg.Problem, s *gcg.State) error
}

// A replacer is an Improver that leaves the factors that it finds as they are and puts others in their place, so that Run can go back
// to them without a copy, and end them where it does not: of the largest iterates memory holds few.
type replacer interface{ Replaces() }

// Options are the limits of a run. The zero value asks for a relative gap of 1e-3 and has no other limit.
type Options struct {
	Tol      float64       // relative certified gap; 0 means 1e-3
	MinIter  int           // steps to take whatever the gap is, unless it is below Tol/1000: near the solution for another λ it is small without any
	MaxIter  int           // steps; 0 means no limit
	MaxTime  time.Duration // 0 means no limit
	Improver Improver      // nil means none
	Accept   Acceptance
	Start    *gcg.Iterate // warm start; nil means W = 0, as does one at which F is larger than at W = 0 without an intercept
	// Intercept is where that of a warm start begins; nil means 0, from which a start far from W = 0 is slow to fit.
	Intercept []float64
	Resume    *gcg.State // continue a run of the same problem from its checkpoint, which is given away, factors included: Start is ignored
	Seed      uint64
	Exact     bool // prove the final bound, see gcg.Ask; where time is up before, a warning says so
	Screen    bool // drop blocks that are proven to be 0, in Path alone: see there
	Plateau   int  // steps without progress of the gap after which the run is Stalled; 0 means 6. Where steps may raise F, as many as were taken

	// Event is called after each certificate, the first and the last included. It must not keep the state.
	Event func(Event)
	// Checkpoint is called with a consistent state every CheckpointEvery, and when the context is cancelled. It must not keep the state.
	Checkpoint      func(*gcg.State) error
	CheckpointEvery time.Duration // 0 means a minute

	spent   int     // of MaxIter, by the runs before this one
	checked bool    // the loss, by who runs the same problem several times: a Check may cost as much as a run
	screen  *screen // of Path, asked before every step; nil means none
}

// Status says how a run ended.
type Status string

const (
	Converged     Status = "converged"
	MaxIterations Status = "max_iterations"
	MaxTime       Status = "max_time"
	Interrupted   Status = "interrupted"
	Stalled       Status = "stalled" // rounding, or the rank that is allowed, lets no more progress be proven
	Solved        Status = "solved"  // the method's own criterion holds, such as the ε of AtomDescent
)

// An Event is what is known after a step. The state is the run's own, which overwrites it and uses its memory again: what is to be kept is
// cloned.
type Event struct {
	State   *gcg.State
	Iter    int
	Elapsed time.Duration
	Split   Split
	Status  Status // empty while the run goes on

	p     *gcg.Problem // of Solution
	polar *gcg.Polar
}

// Split is the time spent so far.
type Split struct {
	Polar, Step, Improve, Certificate time.Duration
}

// A Result is the best iterate and its certificate.
type Result struct {
	State    *gcg.State
	Status   Status
	Iter     int
	Elapsed  time.Duration
	CPU      time.Duration // user and system time of all threads, 0 where it is not known
	Split    Split
	Warnings []string
	Drift    float64 // relative change of the loss when predictions that were moved along with W were recomputed from it in the end
	// Solution is the optimality at the last polar; NaN where an earlier iterate was the best, or the run ended within a step.
	Solution Solution
	// Screened is the number of blocks that were proven to be 0 at the optimum; see Options.Screen.
	Screened int
}

// Acceptance is the rule by which Run keeps what an improver did [Yu17 Definition 7].
type Acceptance int

const (
	// Descent keeps W unless F rose, but for rounding.
	Descent Acceptance = iota
	// Monotone asks that neither F nor the gauge's bound rises.
	Monotone
	// Relaxed asks only that F is no more than after the step or, if that was more, at the best iterate.
	Relaxed
)
