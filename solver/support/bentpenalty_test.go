package support_test

import (
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/testrun"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
)

// bent is λc²/2 up to c = 1 and linear beyond, so that its derivatives at 1 and 2 are the same though it is not linear.
type bent struct{ lambda float64 }

func (h bent) Value(rho float64) float64 {
	if rho <= 1 {
		return h.lambda * rho * rho / 2
	}
	return h.lambda * (rho - 0.5)
}
func (h bent) Deriv(rho float64) float64 { return h.lambda * math.Min(rho, 1) }
func (h bent) Max() float64              { return math.Inf(1) }
func (h bent) Conj(polar, rhoMax float64) (value, at float64) {
	switch {
	case polar <= 0:
	case polar <= h.lambda:
		at = math.Min(polar/h.lambda, rhoMax)
	default:
		at = rhoMax
	}
	return at*polar - h.Value(at), at
}

// A penalty that bends below 1 is not linear: the corrective improver solves for it in a few iterations.
func TestBentPenalty(t *testing.T) {
	op, y, _, _ := testproblem.Regression(t, 120, 40, 3)
	for i := range y {
		y[i] *= 0.03 // so that κ(W) < 1
	}
	for _, k := range []gcg.Gauge{gauge.L1{}, gauge.Group{}} {
		for _, lambda := range []float64{0.01, 0.1, 1, 10, 100} {
			p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: k, Penalty: bent{lambda}}
			r := testrun.Must(t, p, &conditional.GCG{}, solver.Options{Tol: 1e-8, Improver: &solver.Corrective{}, MaxIter: 300})
			if r.Status != solver.Converged || r.Iter > 8 {
				t.Errorf("%s, λ = %g: %s after %d iterations, gap %g, κ(W) = %g", k.Name(), lambda, r.Status, r.Iter,
					r.State.Cert.Relative, r.State.Rho)
			}
		}
	}
}
