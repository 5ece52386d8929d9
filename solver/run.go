package solver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/view"
)

// Run minimises the problem with a method, and is the only outer loop: certificate, stop or step, improve.
//
// It returns the best iterate with its certificate, also where ctx ends or a limit is reached: the status says which. Errors
// are for a problem, a start or options that do not fit together or hold numbers that are not finite; for what the method,
// the improver, the gauge or the loss's data refuse; for an objective that stops being finite with no earlier iterate to go
// back to; and for a checkpoint that cannot be written.
func Run(ctx context.Context, p *gcg.Problem, method Method, opt Options) (*Result, error) {
	if ctx == nil || p == nil || method == nil {
		return nil, errors.New("solver: a run takes a context, a problem and a method, none of them nil")
	}
	if opt.Screen {
		return nil, errors.New("solver: Screen is of Path")
	}
	if !opt.checked {
		if err := checkLoss(p.Loss); err != nil {
			return nil, err
		}
	}
	r, err := newRun(view.Of(p), method, opt)
	if err != nil {
		return nil, err
	}
	outer := ctx
	var release func()
	r.watch, ctx, release = startWatch(ctx, opt.MaxTime)
	defer release()
	for {
		if err := r.assess(ctx, outer); err != nil {
			return r.interrupted(ctx, err)
		}
		r.progress()
		if status := r.stop(ctx); status != "" {
			if err := r.owed(outer); err != nil {
				return r.interrupted(outer, err)
			}
			if err := r.proveLast(ctx); err != nil {
				return r.interrupted(ctx, err)
			}
			return r.finish(status)
		}
		r.event("")
		r.keepBest()
		if err := r.checkpoint(false); err != nil {
			return nil, err
		}
		if err := r.step(ctx); err != nil {
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
	watch    *stopwatch
	nextDue  int // the step after which a method without polars is certified again
	saved    time.Time
	split    Split
	best     best
	still    int // steps since the gap or the objective last moved
	lastGap  float64
	warnings []string
	asked    *gcg.Ask   // for the polar of the present iterate
	last     *gcg.Polar // of the final iterate
	// unbounded says that the gauge gave no bound with the last polar.
	unbounded bool
	admitted  bool          // the first polar was checked
	polarTime time.Duration // of the oracle, when the step or the improvement began
}

// best is the point of the lowest objective so far. Its W is nil where the method descends, as the current iterate is the best
// then.
type best struct {
	view.Snapshot
	objective float64
}

// newRun checks the arguments and begins at the start that they give.
func newRun(p *view.Problem, method Method, opt Options) (*run, error) {
	if opt.Tol == 0 {
		opt.Tol = defaultTol
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
	s, err := begin(p.Problem, opt)
	if err != nil {
		return nil, err
	}
	if err := checkAdjoint(p.Problem, s); err != nil {
		return nil, err
	}
	if err := method.Init(p.Problem, s); err != nil {
		return nil, err
	}
	return &run{p: p.Problem, view: p, method: method, opt: opt, s: s, saved: time.Now(), lastGap: math.Inf(1),
		best: best{objective: math.Inf(1)}}, nil
}

// certify asks for the polar at the current iterate, unless it is known, and bounds the gap with it. The next step uses the
// same polar.
func (r *run) certify(ctx context.Context) error {
	start := time.Now()
	s := r.s
	if s.Polar == nil {
		r.watch.look()
		if err := ctx.Err(); err != nil {
			return err
		}
		ask := r.ask()
		polar, err := r.polarOf(ctx, ask)
		if err != nil {
			return err
		}
		s.Polar, s.Complement, s.PolarBound, r.asked = polar, polar.Complement(), polar.UpperBound(), &ask
	}
	r.split.Polar += time.Since(start)
	start = time.Now()
	defer func() { r.split.Certificate += time.Since(start) }()
	s.Certify(r.p)
	if r.opt.Exact && s.Cert.Relative <= r.opt.Tol && s.Cert.Kind != gcg.Proven {
		return r.prove(ctx)
	}
	return nil
}

// step lets the screen, the method and the improver work in turn.
func (r *run) step(ctx context.Context) error {
	s := r.s
	start := time.Now()
	s.Exact, r.polarTime = false, s.PolarTime
	if r.opt.screen != nil {
		r.opt.screen.update(r.p, s)
	}
	err := r.method.Step(ctx, r.p, s)
	s.Iter++
	r.split.Step += r.withoutPolars(start)
	if err != nil || r.opt.Improver == nil {
		return err
	}
	start = time.Now()
	s.Count.Improvements++
	err = r.improve(ctx)
	r.split.Improve += r.withoutPolars(start)
	return err
}

// withoutPolars is the time since start less that of the polars that were asked for meanwhile, which it adds to the polars'.
func (r *run) withoutPolars(start time.Time) time.Duration {
	asked := r.s.PolarTime - r.polarTime
	r.polarTime = r.s.PolarTime
	r.split.Polar += asked
	return time.Since(start) - asked
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
	if r.opt.Checkpoint == nil || !now && time.Since(r.saved) < r.opt.CheckpointEvery {
		return nil
	}
	r.saved = time.Now()
	if err := r.opt.Checkpoint(r.s); err != nil {
		return fmt.Errorf("solver: the checkpoint was not written: %w", err)
	}
	return nil
}
