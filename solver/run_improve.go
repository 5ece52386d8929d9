package solver

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
)

// improve keeps what the improver did only if the acceptance rule holds, and otherwise rolls back.
func (r *run) improve(ctx context.Context) error {
	s := r.s
	f, rho := s.Objective(r.p), s.Rho
	w, intercept := r.kept(), append([]float64(nil), s.Intercept...)
	err := r.opt.Improver.Improve(ctx, r.p, s)
	if r.opt.accepts(f, s.Objective(r.p), 1e-14*s.Grain(f), rho, s.Rho, r.best.objective) {
		repayFormer(w.U, w.V, s.W)
		return err
	}
	s.W, s.Rho = w, rho
	copy(s.Intercept, intercept)
	s.Refresh(r.p)
	return err
}

// kept is the iterate to go back to.
func (r *run) kept() *gcg.Iterate {
	if _, ok := r.opt.Improver.(replacer); ok {
		w := *r.s.W
		return &w
	}
	return r.s.W.Clone()
}

// accepts compares F before and after an improvement; slack is of rounding.
func (o *Options) accepts(before, after, slack, rhoBefore, rhoAfter, best float64) bool {
	switch o.Accept {
	case Monotone:
		return after <= before+slack && rhoAfter <= rhoBefore*(1+1e-12)
	case Relaxed:
		return after <= math.Max(before, best)+slack
	}
	return after <= before+slack
}
