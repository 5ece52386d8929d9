package conditional_test

import (
	"context"
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
)

// The weight of the first atom minimises the quadratic bound, which is θ = (σ₁ - λ)/L. [Yu17 Remark 13] prints 1 for λ: on
// Y = diag(5, 1) with λ = 2 that is 4 in place of 3, and F = 9 in place of 8.5.
func TestStepOfTheQuadraticBound(t *testing.T) {
	op, err := operator.NewIdentity(2, 2)
	if err != nil {
		t.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: []float64{5, 0, 0, 1}}, Gauge: gauge.Trace{},
		Penalty: gauge.Linear{Lambda: 2}}
	r, err := solver.Run(context.Background(), p, &conditional.GCG{Rule: conditional.QuadraticBound},
		solver.Options{MaxIter: 1, Tol: 1e-12})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(r.State.Rho-3) > 1e-9 || math.Abs(r.State.Cert.Objective-8.5) > 1e-9 {
		t.Errorf("θ = %v, F = %v", r.State.Rho, r.State.Cert.Objective)
	}
}
