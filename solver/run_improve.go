package solver

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
)

// improve lets the improver work, and undoes it where the rule of acceptance is not met.
func (r *run) improve(ctx context.Context) error {
	s := r.s
	f, old := s.Objective(r.p), r.kept()
	err := r.opt.Improver.Improve(ctx, r.p, s)
	if r.opt.accepts(f, s.Objective(r.p), view.Rounding*s.RoundingScale(f), old.Rho, s.Rho, r.best.objective) {
		factor.RepayFormer(old.W.U, old.W.V, s.W)
		return err
	}
	old.Restore(s)
	s.RefreshWarm(r.p)
	return err
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

// accepts is the rule of acceptance for F and the gauge's bound before and after an improvement; F may rise by
// rounding, and best is the lowest F before.
func (o *Options) accepts(before, after, rounding, rhoBefore, rhoAfter, best float64) bool {
	switch o.Accept {
	case Monotone:
		return after <= before+rounding && rhoAfter <= rhoBefore*(1+view.DomainRounding)
	case Relaxed:
		return after <= math.Max(before, best)+rounding
	}
	return after <= before+rounding
}
