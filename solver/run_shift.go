package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// shift asks for a dual point that closes the gap to the tolerance, where any matrix is one. What a change of the gradient costs
// is about proportional to its square. The factor is learnt where it is not known from the start.
func (r *run) shift() *gcg.ShiftAsk {
	s := r.s
	lambda, price := view.Lambda(r.p, s), s.Rho*r.p.Penalty.Deriv(s.Rho)
	if r.opt.Exact || !(lambda > 0 && price > 0) || math.IsInf(price, 0) || !r.p.FreeDual() {
		return nil
	}
	if r.shiftPrice == 0 {
		r.shiftPrice = shiftShare * r.p.ShiftPrice()
	}
	want := r.opt.Tol * math.Abs(s.Objective(r.p))
	var tried float64 // ‖Δ‖²
	return &gcg.ShiftAsk{
		Level: lambda,
		Enough: func(square float64) float64 {
			tried = square
			if left := goalPart*want - r.shiftPrice*square; left > 0 {
				return lambda * (1 + left/price) // a relative error of the norm costs as much of ρh'(ρ)
			}
			return 0
		},
		At: func(u, v *gcg.Factor, norm float64) *gcg.Shift {
			h := r.p.Shifted(u, v, norm)
			gap := r.p.Objective(s) - h.Bound()
			if gap <= want {
				return h
			}
			r.shiftPrice = gap / tried
			return nil
		},
	}
}

// shiftShare of the price that cells without a click have is what clicks, which weigh more, leave of it.
const shiftShare = 0.85
