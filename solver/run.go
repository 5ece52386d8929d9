package solver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/clock"
	"github.com/seed-b18ef778/gcg/internal/enum"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
)

// Run minimises the problem with a method, and is the only outer loop: certificate, stop or step, improve.
//
// It returns the best iterate with its certificate, also where a limit is reached: the status says which. Where ctx ends it
// returns the same with the status Interrupted and a warning, and an error that wraps ctx.Err(); the result is nil where the
// run had no start and ctx ended before the first step, so that nothing was found. MaxTime is a limit. Other errors,
// without a result, are for a problem, a start or options that do not fit together or hold numbers that are not finite; for
// what the method, the improver, the gauge or the loss's data refuse; for an objective that stops being finite with no earlier
// iterate to go back to; and for a checkpoint that cannot be written.
func Run(ctx context.Context, p *gcg.Problem, method Method, opt Options) (*Result, error) {
	if ctx == nil || p == nil || method == nil {
		return nil, errors.New("solver: a run takes a context, a problem and a method, none of them nil")
	}
	if !opt.checked {
		if err := checkLoss(p); err != nil {
			return nil, err
		}
	}
	r, err := newRun(ctx, view.Of(p), method, opt)
	if err != nil {
		return nil, err
	}
	outer := ctx
	var release func()
	r.watch, ctx, release = startWatch(ctx, opt.MaxTime)
	defer release()
	res, err := r.loop(ctx, outer)
	if err == nil && res.Status == Interrupted {
		if err = interruption(outer, fmt.Sprintf("at iteration %d", res.Iter)); !r.started && res.Iter == 0 {
			return nil, interruption(outer, "before anything was found")
		}
	}
	return res, err
}

// interruption is the error of work that ctx has ended.
func interruption(ctx context.Context, at string) error {
	return fmt.Errorf("solver: interrupted %s: %w", at, ctx.Err())
}

// loop goes on until the run stops. ctx ends with the time of the run; outer, the caller's, does not.
func (r *run) loop(ctx, outer context.Context) (*Result, error) {
	if r.opt.late && outer.Err() == nil && !r.polarless() {
		if err := r.certifyUncharged(outer); err != nil {
			return r.interrupted(outer, err)
		}
	}
	for {
		if err := r.assess(ctx, outer); err != nil { // the certificate of the present iterate
			return r.interrupted(ctx, err)
		}
		if r.opt.Later != nil {
			if err := r.boundWithoutLater(ctx); err != nil {
				return r.interrupted(ctx, err)
			}
			r.opt.Later = nil // of the start
		}
		r.progress()
		if status := r.stop(ctx); status != "" {
			return r.end(ctx, outer, status)
		}
		r.event("")
		r.keepBest()
		if err := r.checkpoint(false); err != nil {
			return nil, err
		}
		if err := r.step(ctx); err != nil { // of the method, then of the improver
			return r.interrupted(ctx, err)
		}
		if f := r.s.Objective(r.p); math.IsNaN(f) || math.IsInf(f, 0) {
			return r.diverged(ctx, f)
		}
	}
}

// A run is a call of Run: its arguments, the state, and what it has seen on the way.
type run struct {
	p        *gcg.Problem
	view     *view.Problem // of p
	method   Method
	opt      Options
	s        *gcg.State
	did      gcg.Moved // in the last step, with the complement of the last polar
	watch    *stopwatch
	nextDue  int        // the step after which a method without polars is certified again
	began    clock.Mark // by the clock that ranks share, so that they save together
	saved    time.Duration
	split    Split
	best     best
	still    int // steps since the gap or the objective last moved
	lastGap  float64
	moved    moved
	warnings []string
	// shiftPrice is about the gap that a unit of ‖Δ‖² leaves at the dual point G - Δ, and 0 before the first.
	shiftPrice float64
	asked      *gcg.Ask   // for the polar of the present iterate
	last       *gcg.Polar // of the final iterate
	// unbounded says that the gauge gave no bound with the last polar.
	unbounded bool
	admitted  bool          // the first polar was checked
	started   bool          // the run began at a start or a checkpoint, which is there to return before the first step
	polarTime time.Duration // of the oracle, when the step or the improvement began
}

// step lets the method and the improver work in turn.
func (r *run) step(ctx context.Context) error {
	s := r.s
	start := time.Now()
	s.Exact, r.polarTime = false, s.PolarTime
	before := r.lastIterate()
	did, err := r.method.Step(ctx, r.p, s)
	s.Iter++
	if did.Polar != nil {
		s.Polar, did.Polar = did.Polar, nil
	}
	did.Complement = r.did.Complement
	r.split.Step += r.withoutPolars(start)
	if err == nil && r.opt.Improver != nil {
		start = time.Now()
		s.Count.Improvements++
		did, err = r.improve(ctx, did)
		r.split.Improve += r.withoutPolars(start)
	}
	if f := s.Objective(r.p); err == nil && before != nil && !(f <= before.objective+view.Rounding*s.RoundingScale(f)) {
		before.Restore(s)
		s.RefreshWarm(r.p)
		s.Polar, did.Projections = nil, nil
	}
	r.did = did
	return err
}

// lastIterate is the present one, to go back to where the rule is Monotone; nil otherwise.
func (r *run) lastIterate() *best {
	if r.opt.Accept != Monotone || r.descends() {
		return nil
	}
	return &best{view.CopyOf(r.s), r.s.Objective(r.p)}
}

// withoutPolars is the time since start less that of the polars that were asked for meanwhile, which it adds to the polars'.
func (r *run) withoutPolars(start time.Time) time.Duration {
	asked := r.s.PolarTime - r.polarTime
	r.polarTime = r.s.PolarTime
	r.split.Polar += asked
	return time.Since(start) - asked
}

// newRun checks the arguments and begins at the start that they give.
func newRun(ctx context.Context, p *view.Problem, method Method, opt Options) (*run, error) {
	if opt.Tol == 0 {
		opt.Tol = defaultTol
	}
	if err := enum.Check("solver: Accept", opt.Accept, "Descent", "Monotone", "Relaxed"); err != nil {
		return nil, err
	}
	if !(opt.Tol > 0) || math.IsInf(opt.Tol, 0) {
		return nil, fmt.Errorf("solver: the tolerance is %v; it is a positive relative gap", opt.Tol)
	}
	if opt.MaxIter < 0 || opt.MinIter < 0 || opt.MaxTime < 0 || opt.Plateau < 0 || opt.CheckpointEvery < 0 || opt.CertifyEvery < 0 {
		return nil, errors.New("solver: MaxIter, MinIter, MaxTime, Plateau and CheckpointEvery are not negative; 0 means " +
			"what each says")
	}
	if err := checkSquares(p, method, opt.Improver); err != nil {
		return nil, err
	}
	if err := view.CheckPenalty(p.Penalty); err != nil {
		return nil, err
	}
	if opt.Plateau == 0 {
		opt.Plateau = 6
	}
	if opt.CheckpointEvery == 0 {
		opt.CheckpointEvery = time.Minute
	}
	s, err := begin(ctx, p.Problem, opt)
	if err != nil {
		return nil, err
	}
	for _, e := range opt.Later {
		if s.R != nil && (e < 0 || int(e) >= len(s.R)) {
			return nil, fmt.Errorf("solver: Later has observation %d; there are 0 to %d", e, len(s.R)-1)
		}
	}
	if err := checkAdjoint(p.Problem, s); err != nil {
		return nil, err
	}
	set := gcg.Settings{Tol: opt.Tol, Improved: opt.Improver != nil}
	if err := method.Init(p.Problem, s, set); err != nil {
		return nil, err
	}
	if opt.Improver != nil {
		if err := opt.Improver.Init(p.Problem, set); err != nil {
			return nil, err
		}
	}
	return &run{p: p.Problem, view: p, method: method, opt: opt, s: s, began: clock.Begin(ctx), lastGap: math.Inf(1),
		started: opt.Start != nil || opt.Resume != nil, best: best{objective: math.Inf(1)},
		moved: moved{s.Iter, math.Inf(1), math.Inf(1)}}, nil
}

// begin is the state that a run starts from: a checkpoint, a warm start or W = 0. W is scaled into the penalty's domain, and
// replaced by 0 if F is larger there than at W = 0 without an intercept.
func begin(ctx context.Context, p *gcg.Problem, opt Options) (s *gcg.State, err error) {
	if s = opt.Resume; s == nil {
		if s, err = fresh(ctx, p, opt); err != nil {
			return nil, err
		}
	} else if s.W == nil {
		return nil, errors.New("solver: the state to resume has no W: it is not one of NewState or of a checkpoint")
	}
	if s.Oracle == nil {
		s.Oracle = new(gcg.Oracle)
	}
	if s.Rho > p.Penalty.Max() {
		s.W.Scale(p.Penalty.Max() / s.Rho)
		s.Rho = p.Penalty.Max()
		s.Refresh(p)
	}
	if math.IsInf(p.Penalty.Value(s.Rho), 1) {
		return nil, fmt.Errorf("solver: κ(W) = %v at the start is outside the domain of the penalty %T: give a start "+
			"within it", s.Rho, p.Penalty)
	}
	f := s.Objective(p)
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return nil, fmt.Errorf("solver: the objective at the start is %v: the observations or the start hold numbers that "+
			"are not finite or too large", f)
	case opt.Resume != nil && s.Cert.LowerBound > p.Objective(s)+otherProblem*s.RoundingScale(f):
		return nil, fmt.Errorf("solver: the state to resume has a lower bound of %v, above its objective %v: it is of "+
			"another problem", s.Cert.LowerBound, p.Objective(s))
	case opt.Resume == nil && f > s.LossAtZero+p.Penalty.Value(0):
		toZero(p, s)
	}
	return s, nil
}

// otherProblem is the part of F's RoundingScale that a bound may be above F by rounding. One further above is of another problem.
const otherProblem = 1e-9

// fresh is the state at the start that is given, or at W = 0 where the penalty allows it, with its intercept fitted.
func fresh(ctx context.Context, p *gcg.Problem, opt Options) (*gcg.State, error) {
	if opt.from != nil {
		if s := opt.from.At(p); s != nil {
			s.Seed = opt.Seed
			return s, nil
		}
	}
	s, err := gcg.NewState(p, opt.Start)
	if err == nil && opt.Start == nil {
		err = makeFeasible(ctx, p, s)
	}
	if err != nil {
		return nil, err
	}
	if len(opt.Intercept) > 0 {
		if len(opt.Intercept) != len(s.Intercept) {
			return nil, fmt.Errorf("solver: the start has %d constants, the problem %d", len(opt.Intercept), len(s.Intercept))
		}
		copy(s.Intercept, opt.Intercept)
		s.RefreshWarm(p)
	}
	s.Seed = opt.Seed
	return s, nil
}

// makeFeasible moves W = 0 to κ = ζ, at its best atom, where a penalty holds κ at ζ.
func makeFeasible(ctx context.Context, p *gcg.Problem, s *gcg.State) error {
	if !(p.Penalty.Value(0) > p.Penalty.Value(p.Penalty.Max())) {
		return nil
	}
	polar, err := p.Gauge.Polar(ctx, s.Gradient(p), gcg.Ask{Count: 1, Tol: defaultTol})
	if err != nil || len(polar.Atoms) == 0 {
		return err
	}
	s.W.Add(polar.Atoms[:1], []float64{p.Penalty.Max()})
	s.Rho = p.Penalty.Max()
	s.Refresh(p)
	return nil
}

// toZero moves the state to W = 0.
func toZero(p *gcg.Problem, s *gcg.State) {
	s.W, s.Rho = &gcg.Iterate{M: s.W.M, N: s.W.N}, 0
	if s.Intercept == nil {
		s.Refresh(p)
	} else {
		clear(s.Intercept)
		s.RefreshWarm(p)
	}
}

// checkAdjoint refuses an operator whose adjoint has another size than W.
func checkAdjoint(p *gcg.Problem, s *gcg.State) error {
	g := s.Gradient(p)
	if g == nil {
		return fmt.Errorf("solver: the adjoint of %T is nil", p.Operator)
	}
	m, n, _ := p.Operator.Dims()
	if rows, cols := g.Dims(); rows != m || cols != n {
		return fmt.Errorf("solver: the adjoint of %T is %d×%d, and W %d×%d", p.Operator, rows, cols, m, n)
	}
	return nil
}

// checkLoss lets a loss say what is wrong with its data, before that becomes a NaN or an index out of range.
func checkLoss(p *gcg.Problem) error {
	if p.IsShared() && p.Loss.Len() == 0 { // other ranks have some
		return nil
	}
	if c := view.OfLoss(p.Loss).Checker; c != nil {
		return c.Check()
	}
	return nil
}

// improve lets the improver work after a step, and undoes it where the rule of acceptance is not met.
func (r *run) improve(ctx context.Context, did gcg.Moved) (gcg.Moved, error) {
	s := r.s
	f, old := s.Objective(r.p), r.kept()
	did, err := r.opt.Improver.Improve(ctx, r.p, s, did)
	if r.opt.accepts(f, s.Objective(r.p), view.Rounding*s.RoundingScale(f), r.best.objective) {
		factor.RepayFormer(old.W.U, old.W.V, s.W)
		return did, err
	}
	old.Restore(s)
	s.RefreshWarm(r.p)
	did.Projections = nil
	return did, err
}

// kept is the point that a rejected improvement goes back to. Of a replacer, which leaves the factors as they are, the header
// of W is enough.
func (r *run) kept() view.Snapshot {
	if _, ok := r.opt.Improver.(replacer); !ok {
		return view.CopyOf(r.s)
	}
	x, w := view.SnapshotOf(r.s), *r.s.W
	x.W = &w
	return x
}

// accepts is the rule of acceptance for F before and after an improvement; F may rise by rounding, and best is the lowest F
// before.
func (o *Options) accepts(before, after, rounding, best float64) bool {
	if o.Accept == Relaxed {
		return after <= math.Max(before, best)+rounding
	}
	return after <= before+rounding
}

// best is the point of the lowest objective so far. Its W is nil where the method descends, as the current iterate is the best
// then.
type best struct {
	view.Snapshot
	objective float64
}

// keepBest remembers the iterate with the lowest objective so far.
func (r *run) keepBest() {
	if f := r.s.Cert.Objective; f < r.best.objective {
		r.best.objective = f
		if r.descends() {
			return // the current iterate stays the best
		}
		r.best.Snapshot = view.CopyOf(r.s)
	}
}

// event reports the present iterate.
func (r *run) event(status Status) {
	if r.opt.Event != nil {
		r.opt.Event(Event{State: r.s, Iter: r.s.Iter, Elapsed: r.watch.elapsed(), Split: r.split, Status: status, p: r.p,
			polar: r.polar(), watch: r.watch})
	}
}

// polar is that of the current iterate, which finish takes out of the state before it reports.
func (r *run) polar() *gcg.Polar {
	if r.s.Polar != nil {
		return r.s.Polar
	}
	return r.last
}

// checkpoint hands the state to Options.Checkpoint, if that is due or to be done now.
func (r *run) checkpoint(now bool) error {
	if r.opt.Checkpoint == nil || !now && r.began.Elapsed()-r.saved < r.opt.CheckpointEvery {
		return nil
	}
	r.saved = r.began.Elapsed()
	if err := r.opt.Checkpoint(r.s); err != nil {
		return fmt.Errorf("solver: the checkpoint was not written: %w", err)
	}
	return nil
}

// Data that keeps its observations to itself (gcg.Squares) has no predictions to look at: the methods that work on it ask for
// passes. They are GCG with its line search, and Local.

// A predictionFree is a Method or an Improver that says whether it works on such data. A type that embeds a GCG or a Local says
// it with it.
type predictionFree interface{ WithoutPredictions() bool }

// checkSquares refuses methods and improvers that need predictions where there are none.
func checkSquares(p *view.Problem, method Method, im Improver) error {
	if p.Squares == nil {
		return nil
	}
	if m, ok := method.(predictionFree); !ok || !m.WithoutPredictions() {
		return fmt.Errorf("solver: %s works on predictions, which %T does not keep; it has GCG with line search",
			method.Name(), p.Operator)
	}
	if im != nil {
		if m, ok := im.(predictionFree); !ok || !m.WithoutPredictions() {
			return fmt.Errorf("solver: the %s improver works on predictions, which %T does not keep; it has local", im.Name(),
				p.Operator)
		}
	}
	return nil
}
