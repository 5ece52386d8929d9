package solver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// Run minimises the problem with a method, and is the only outer loop: certificate, stop or step, improve.
//
// It returns the best iterate with its certificate, also where a limit is reached: the status says which. Where ctx ends it
// returns the same with the status Interrupted and a warning, and an error that wraps ctx.Err(); the result is nil where the
// run had no start and ctx ended before the first certificate, so that nothing was found. MaxTime is a limit. Other errors,
// without a result, are for a problem, a start or options that do not fit together or hold numbers that are not finite; for
// what the method, the improver, the gauge or the loss's data refuse; for an objective that stops being finite with no earlier
// iterate to go back to; and for a checkpoint that cannot be written.
func Run(ctx context.Context, p *gcg.Problem, method Method, opt Options) (*Result, error) {
	if ctx == nil || p == nil || method == nil {
		return nil, errors.New("solver: a run takes a context, a problem and a method, none of them nil")
	}
	if !opt.checked {
		if err := checkLoss(p.Loss); err != nil {
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
		if err = interruption(outer, fmt.Sprintf("at iteration %d", res.Iter)); !r.found {
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
		r.found = true
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
	watch    *stopwatch
	nextDue  int // the step after which a method without polars is certified again
	saved    time.Time
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
	found     bool          // there is more to return than W = 0 without a certificate
	polarTime time.Duration // of the oracle, when the step or the improvement began
}

// step lets the method and the improver work in turn.
func (r *run) step(ctx context.Context) error {
	s := r.s
	start := time.Now()
	s.Exact, r.polarTime = false, s.PolarTime
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
