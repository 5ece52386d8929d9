package solver

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/support"
)

// farBelow is how many times below the tolerance a gap ends a run whatever MinIter says.
const farBelow = 1000

// stop is the status to end with at the present certificate, or "" to go on. Steps asked for by MinIter are still taken at a
// gap below the tolerance, unless it is a thousand times below.
func (r *run) stop(ctx context.Context) Status {
	s := r.s
	r.watch.look()
	switch {
	case s.Cert.Relative <= r.opt.Tol && (s.Iter >= r.opt.MinIter || s.Cert.Relative <= r.opt.Tol/farBelow):
		return Converged
	case r.solved():
		return Solved
	case ctx.Err() != nil:
		return ended(ctx)
	case r.opt.MaxIter > 0 && r.opt.spent+s.Iter >= r.opt.MaxIter:
		return MaxIterations
	case r.limited() || r.stalled():
		return Stalled
	}
	return ""
}

// solved is the criterion of a Finisher.
func (r *run) solved() bool {
	m, ok := r.method.(Finisher)
	return ok && m.Solved(r.p, r.s)
}

// limited is the limit of a Limiter, which no run begins at.
func (r *run) limited() bool {
	m, ok := r.method.(Limiter)
	return ok && r.s.Iter > 0 && m.Limited(r.p, r.s)
}

const (
	// slowGap is the part of a gap that it must fall to for a step to count as progress.
	slowGap = 0.9
	// crawlPart is the part of the gap by which F falls at least while the gap does not, unless the run crawls.
	crawlPart = 0.05
	// crawlPlateaus is how many times Options.Plateau a run may crawl for: bounds come in leaps, which are far apart near the
	// optimum of a loss with bends, and F falls in leaps where a step may raise it.
	crawlPlateaus = 60
)

// progress counts the steps in a row in which neither the gap fell by a tenth nor the objective by more than rounding.
func (r *run) progress() {
	s := r.s
	f := s.Cert.Objective
	if r.still++; s.Cert.Gap < slowGap*r.lastGap || f < r.best.objective-view.Rounding*s.RoundingScale(f) {
		r.lastGap = math.Min(r.lastGap, s.Cert.Gap)
		r.still = 0
	}
	part := crawlPart * s.Cert.Gap
	if math.IsInf(part, 1) { // no bound is known
		part = crawlPart * r.opt.Tol * math.Abs(f)
	}
	if s.Cert.Gap < slowGap*r.moved.gap || r.moved.f-f > part {
		r.moved = moved{s.Iter, f, s.Cert.Gap}
	}
}

// moved is where the gap last fell by a tenth, or F by a part of the gap: the step, F and the gap there.
type moved struct {
	iter   int
	f, gap float64
}

// crawls says that F falls by next to nothing of the gap, for as long as half the steps: at that pace the gap never closes. So it
// is where W interpolates, where rounding is coarser in the bound than in F, and where a method comes to rest elsewhere than at
// the optimum.
func (r *run) crawls() bool {
	most := crawlPlateaus * r.opt.Plateau
	if !r.descends() {
		most *= 2 // F oscillates for long before it falls, as hcgs's does
	}
	return r.s.Iter-r.moved.iter > max(most, r.s.Iter/2)
}

// stalled says that these steps are too many. A method whose steps may raise F closes its gap like 1/t, and long stretches
// without progress are normal: it may crawl.
func (r *run) stalled() bool { return r.crawls() || r.descends() && r.still > r.opt.Plateau }

// descends says that no step of the method raises F.
func (r *run) descends() bool {
	d, ok := r.method.(Descender)
	return ok && d.Descends()
}

// end gives the last iterate the certificate and the proof that it is owed, and ends the run.
func (r *run) end(ctx, outer context.Context, status Status) (*Result, error) {
	if err := r.owed(outer); err != nil {
		return r.interrupted(outer, err)
	}
	if err := r.proveLast(ctx); err != nil {
		return r.interrupted(ctx, err)
	}
	return r.finish(status)
}

// interrupted ends a run on an error. If that is the end of the context, what was found so far is the result.
func (r *run) interrupted(ctx context.Context, err error) (*Result, error) {
	if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		return nil, err
	}
	r.s.Refresh(r.p)
	r.s.Certify(r.p)
	return r.finish(ended(ctx))
}

// ended tells the caller's end of the context from that of Options.MaxTime.
func ended(ctx context.Context) Status {
	if context.Cause(ctx) == errTime {
		return MaxTime
	}
	return Interrupted
}

// diverged ends a run whose objective has become f, which is not finite: at the best iterate, or with an error where none is
// kept.
func (r *run) diverged(ctx context.Context, f float64) (*Result, error) {
	s := r.s
	if r.best.W == nil {
		return nil, fmt.Errorf("solver: the objective became %v at iteration %d", f, s.Iter)
	}
	r.warnings = append(r.warnings, fmt.Sprintf("the objective became %v at iteration %d; this is the best iterate before", f,
		s.Iter))
	r.best.Restore(s)
	s.RefreshWarm(r.p)
	s.Certify(r.p)
	return r.finish(Stalled)
}

// finish ends a run: it goes back to the best iterate where the last is worse, tightens ρ, and recomputes the predictions
// from W unless they just were, so that the reported objective and certificate are those of the returned W.
func (r *run) finish(status Status) (*Result, error) {
	s := r.s
	r.last = s.Polar
	back := r.best.W != nil && r.best.objective < s.Cert.Objective-view.Rounding*s.RoundingScale(s.Cert.Objective)
	if back {
		r.best.Restore(s)
		r.last, s.Exact = nil, false
	}
	lower := s.Cert
	r.settleRho(support.MergeBlocks(r.view.Problem, s))
	if r.opt.Improver == nil && s.W.Rank() > min(s.W.M, s.W.N) {
		s.W.Merge(s.Rho)
	}
	var drift float64
	if moved := s.Loss; !s.Exact {
		if s.RefreshWarm(r.p); !back {
			drift = math.Abs(s.Loss-moved) / math.Max(math.Abs(moved), 1e-300)
		}
	}
	s.Cert, s.Polar = lower, nil
	s.Certify(r.p)
	if status = r.judge(status); status == Interrupted {
		r.warnings = append(r.warnings, fmt.Sprintf("interrupted at iteration %d: this is the best iterate so far", s.Iter))
	}
	r.event(status)
	if err := r.checkpoint(true); err != nil {
		return nil, err
	}
	return &Result{State: s, Status: status, Iter: s.Iter, Elapsed: r.watch.elapsed(), CPU: r.watch.cpuTime(),
		Uncharged: r.watch.uncharged, Split: r.split,
		Warnings: r.warnings, Drift: drift, Solution: solutionOf(r.p, s, r.last), Polar: r.last}, nil
}

// settleRho takes κ(W) for ρ, unless rounding puts it outside a ball. It is at most ρ but for rounding, as W has atoms of these
// weights: where it is not, a polar gave atoms of a gauge above 1.
func (r *run) settleRho(kappa float64) {
	s := r.s
	switch {
	case kappa > s.Rho*(1+longAtom) && s.W.Merged > 0: // the gauge bounds κ(W) by columns that are no atoms
		kappa = s.Rho
	case kappa > s.Rho*(1+longAtom):
		r.warnings = append(r.warnings, fmt.Sprintf("κ(W) is %v, and the atoms of W weigh %v: gauge %s has atoms whose "+
			"gauge is above 1, which conform.Gauge finds",
			kappa, s.Rho, r.p.Gauge.Name()))
	default:
		kappa = math.Min(kappa, s.Rho)
	}
	if !(kappa > r.p.Penalty.Max()) {
		s.Rho = kappa
	}
}

// contradiction is the part of F's RoundingScale by which a lower bound above F is no rounding.
const contradiction = 1e-6

// judge corrects the status by the last certificate, as the last step may have closed the gap when its time was up. What is
// wrong with the certificate, or missing from it, becomes a warning.
func (r *run) judge(status Status) Status {
	s := r.s
	f, lower := s.Cert.Objective, s.Cert.LowerBound
	warn := func(format string, args ...any) { r.warnings = append(r.warnings, fmt.Sprintf(format, args...)) }
	switch {
	case lower > f+contradiction*s.RoundingScale(f):
		warn("the lower bound %v is above the objective %v: operator, loss, gauge and penalty contradict each other; "+
			"conform.Problem finds where", lower, f)
		return Stalled
	case r.opt.Exact && s.Cert.Kind == gcg.Probable:
		warn("the bound is not proven: the run ended before there was time for it")
	case status != Solved && s.Cert.Relative <= r.opt.Tol:
		return Converged
	case math.IsInf(lower, -1) && r.unbounded:
		warn("no lower bound is known: gauge %s gives no upper bound of its polar", r.p.Gauge.Name())
	case math.IsInf(lower, -1) && !r.view.HasBound():
		warn("no lower bound is known: the loss %T has no conjugate and no infimum, and the penalty does not bound κ(W)",
			r.p.Loss)
	}
	return status
}
