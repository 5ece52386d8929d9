package solver

import (
	"context"
	"time"

	"github.com/seed-b18ef778/gcg"
)

// A Method is an algorithm as a start and a step; it keeps its own memory between the steps of a run.
type Method interface {
	// Name is what errors and results call it.
	Name() string
	// Init begins a run at s: it forgets earlier runs, and returns an error that names both sides where the problem lacks
	// what the method needs. It may move s, as Step does, and s.Polar is what it knows of the gauge there.
	Init(p *gcg.Problem, s *gcg.State, set gcg.Settings) error
	// Ask is what the next step wants of the polar: how many atoms, how accurate. Run adds the seed, the start and the bound
	// that the certificate needs.
	Ask(p *gcg.Problem, s *gcg.State) gcg.Ask
	// Step moves s. Polar is that of the present W when it begins. Afterwards Z, R, Loss and Rho belong to the new W, and
	// Polar is nil unless W has not moved. It returns what it did, and the new polar where it knows that; an improver and the
	// next polar go by it. Errors are those of the context and of data that the method refuses.
	Step(ctx context.Context, p *gcg.Problem, s *gcg.State) (gcg.Moved, error)
}

// A Descender is a Method that says whether its steps never raise F. A run of one stalls after Options.Plateau steps without
// progress; others may go without for 60 times as many, and for as many as they had taken before.
type Descender interface{ Descends() bool }

// A Finisher is a Method with a stopping criterion of its own. The run ends with the status Solved where it holds.
type Finisher interface {
	Solved(p *gcg.Problem, s *gcg.State) bool
}

// A Limiter is a Method that can come to a limit of its own, such as a rank. The run ends with the status Stalled there.
type Limiter interface {
	Limited(p *gcg.Problem, s *gcg.State) bool
}

// An Improver lowers F between steps, without knowing which method called it. Improve does not raise F by more than
// rounding; afterwards Z, R, Loss and Rho belong to the new W. When ctx ends it returns what it has, without an error. It is
// told what the step did, and returns the same with what it knows better: that none of the atoms belong, or products of the
// gradient.
type Improver interface {
	// Name is what errors and results call it.
	Name() string
	// Init begins a run, and returns an error that names both sides where the problem lacks what the improver needs.
	Init(p *gcg.Problem, set gcg.Settings) error
	Improve(ctx context.Context, p *gcg.Problem, s *gcg.State, did gcg.Moved) (gcg.Moved, error)
}

// A replacer is an Improver that does not overwrite the factors of W but puts new ones in their place. Run then keeps the
// old ones as they are, to go back to, and needs no copy of them: memory may not hold two of the largest iterates.
type replacer interface{ Replaces() }

// Options are the limits of a run and what it reports to. The zero value asks for a relative gap of 1e-3 and has no other
// limit.
type Options struct {
	Tol float64 // relative certified gap; 0 means 1e-3
	// steps to take whatever the gap is, unless it is below Tol/1000: near the solution for another λ it is small without any
	MinIter  int
	MaxIter  int           // steps; 0 means no limit
	MaxTime  time.Duration // 0 means no limit
	Improver Improver      // nil means none
	Accept   Acceptance
	// Start is a warm start. nil means W = 0, or the best atom of W = 0 where the penalty holds κ at ζ. W = 0 also takes the
	// place of a start at which F is larger.
	Start *gcg.Iterate
	// Intercept is where the constants begin, one for each place of the operator's intercept; nil means 0. They are fitted
	// at once, which takes long from far away.
	Intercept []float64
	// Later are observations that Start was not fitted to, as they came in since. Where they are few, a dual point without them
	// bounds F* much better than the gradient at the start does.
	Later []int32
	// continue a run of the same problem from its checkpoint, which is given away, factors included: Start is ignored
	Resume *gcg.State
	Seed   uint64
	Exact  bool // prove the final bound, see gcg.Ask; where time is up before, a warning says so
	// CertifyEvery is the number of steps between certificates of a Polarless method; 0 lets the distance grow with the steps,
	// by a quarter.
	CertifyEvery int
	// Plateau is the number of steps without progress of the gap after which a run is Stalled; 0 means 6. Where steps may raise
	// F it is 60 times as many, and at least half of all.
	Plateau int

	// Event is called after each certificate, the first and the last included. It must not keep the state, nor change it.
	Event func(Event)
	// Checkpoint is called with a consistent state every CheckpointEvery, and when the context is cancelled. It must not keep
	// the state.
	Checkpoint      func(*gcg.State) error
	CheckpointEvery time.Duration // 0 means a minute

	spent   int        // of MaxIter, by the runs before this one
	late    bool       // the stages before this one took all of MaxTime: the start is certified without regard to it
	from    *gcg.State // Start with what belongs to it, of a run of the same operator and loss
	kept    *kept      // of the runs before this one
	checked bool       // the loss, by who runs the same problem several times: a Check may cost as much as a run
}

// defaultTol is the Tol of a run that says none. On four MovieLens problems F was within 1e-7 to 6e-6 of the optimum then: a
// gap is of first order in the error, and F of second.
const defaultTol = 1e-3

// Status says how a run ended.
type Status string

const (
	Converged     Status = "converged"      // the gap is at most Options.Tol
	MaxIterations Status = "max_iterations" // Options.MaxIter steps were taken
	MaxTime       Status = "max_time"       // Options.MaxTime is over
	Interrupted   Status = "interrupted"    // the caller's context has ended: Run returns an error, too
	Stalled       Status = "stalled"        // rounding, or the rank that is allowed, lets no more progress be proven
	Solved        Status = "solved"         // the method's own criterion holds, such as the ε of AtomDescent
)

// An Event is what is known at an iterate. The state belongs to the run, which overwrites it and uses its memory again:
// clone what is to be kept.
type Event struct {
	State   *gcg.State // where ranks share the rows of W, with those of this rank
	Iter    int
	Elapsed time.Duration
	Split   Split
	Status  Status // empty while the run goes on

	p     *gcg.Problem // of Solution
	polar *gcg.Polar
	watch *stopwatch
}

// Uncharged calls f while the clock of the run stands still: what a comparison measures at an event is not charged to the
// method, in its times or against Options.MaxTime.
func (e Event) Uncharged(f func()) {
	if e.watch == nil { // of no run
		f()
		return
	}
	e.watch.pause(f)
}

// Split is the time spent so far.
type Split struct {
	Polar, Step, Improve, Certificate time.Duration
}

// A Result is the best iterate and its certificate.
type Result struct {
	State   *gcg.State
	Status  Status
	Iter    int
	Elapsed time.Duration // without what was not charged
	CPU     time.Duration // user and system time of all threads meanwhile, 0 where it is not known
	// Uncharged is the time that the clock stood still: see Event.Uncharged and Polarless.
	Uncharged time.Duration
	Split     Split
	Warnings  []string
	Drift     float64 // relative change of the loss when predictions that were moved along with W were recomputed from it in the end
	// Solution is the optimality at the last polar; NaN where an earlier iterate was the best, or the run ended within a
	// step.
	Solution Solution
	// Polar is that of the gauge at State.R, or nil where the solution is NaN. In the Polar of State, which has none, it saves a run
	// that resumes from there a polar.
	Polar *gcg.Polar
}

// Acceptance is the rule by which Run keeps what a step and an improver did [Yu17 Definition 7].
type Acceptance int

const (
	// Descent keeps W unless F rose, but for rounding.
	Descent Acceptance = iota
	// Monotone asks the same, and that F is no more than at the last iterate, before the step: else Run goes back to that, and the
	// next step is tried from there.
	Monotone
	// Relaxed asks only that F is no more than after the step or, if that was more, at the best iterate.
	Relaxed
)
