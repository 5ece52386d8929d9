package lowranksparse_test

import (
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/baseline/lowranksparse"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
)

// A method that comes to rest elsewhere than at the optimum, or with a wide bound, ends as stalled, with its bracket.
func TestRestIsStalled(t *testing.T) {
	const n = 12
	op, err := operator.NewIdentity(n, n)
	if err != nil {
		t.Fatal(err)
	}
	y := make([]float64, n*n)
	for e := range y {
		i, j := e/n, e%n
		y[e] = math.Sin(float64(i))*math.Cos(float64(2*j)) + math.Sin(float64(3*e*e))/2
	}
	const lambda, l1 = 1.5, 0.2
	squares := &loss.WithL1{Loss: &loss.Squared{Y: y}, Lambda: l1}
	for _, k := range []struct {
		method solver.Method
		loss   gcg.Loss
	}{
		{&lowranksparse.IPD{}, squares},
		{&lowranksparse.IALM{Growth: 1e3}, &loss.Deviation{Y: y, Lambda: l1}},
	} {
		p := &gcg.Problem{Operator: op, Loss: k.loss, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: lambda}}
		r, err := solver.Run(t.Context(), p, k.method, solver.Options{Tol: 1e-8, MaxIter: 20_000})
		if err != nil {
			t.Fatal(err)
		}
		if c := r.State.Cert; r.Status != solver.Stalled || !(c.LowerBound <= c.Objective) || math.IsInf(c.LowerBound, 0) {
			t.Errorf("%s: %s after %d steps in [%v, %v]", k.method.Name(), r.Status, r.Iter, c.LowerBound, c.Objective)
		}
	}
}
