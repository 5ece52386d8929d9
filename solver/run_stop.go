package solver

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg/internal/view"
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
	// optimum of a loss with bends.
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
	if s.Cert.Gap < slowGap*r.moved.gap || r.moved.f-f > crawlPart*s.Cert.Gap {
		r.moved = moved{s.Iter, f, s.Cert.Gap}
	}
}

// moved is where the gap last fell by a tenth, or F by a part of the gap: the step, F and the gap there.
type moved struct {
	iter   int
	f, gap float64
}

// crawls says that F falls by more than rounding, but by next to nothing of the gap, for as long as half the steps: at that pace
// the gap never closes. So it is where W interpolates, and where rounding is coarser in the bound than in F.
func (r *run) crawls() bool {
	return r.s.Iter-r.moved.iter > max(crawlPlateaus*r.opt.Plateau, r.s.Iter/2)
}

// stalled says that these steps are too many. A method whose steps may raise F closes its gap like 1/t, and long stretches
// without progress are normal: it is allowed as many as it has taken.
func (r *run) stalled() bool {
	if !r.descends() {
		return r.still > max(r.opt.Plateau, r.s.Iter)
	}
	return r.still > r.opt.Plateau || r.crawls()
}

// descends says that no step of the method raises F.
func (r *run) descends() bool {
	d, ok := r.method.(Descender)
	return ok && d.Descends()
}
