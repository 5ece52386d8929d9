package solver_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
)

// Where W has full rank and the loss hardly any second derivatives, Newton's method in the spaces of W may lower nothing,
// and no atom lies outside them: the run goes on with atoms within.
func TestStuckAtFullRank(t *testing.T) {
	const n, d, tasks = 240, 6, 12
	rng := rand.New(rand.NewPCG(8, 8))
	x, y, signs, task := make([]float64, n*d), make([]float64, n), make([]float64, n), make([]int32, n)
	truth := make([]float64, d*tasks)
	for i := range truth {
		truth[i] = rng.NormFloat64()
	}
	for i := range n {
		task[i] = int32(i % tasks)
		for j := range d {
			x[i*d+j] = rng.NormFloat64()
			y[i] += x[i*d+j] * truth[j*tasks+i%tasks]
		}
		y[i] += 2 + 0.5*rng.NormFloat64()
		signs[i] = 1
		if y[i] < 2 {
			signs[i] = -1
		}
	}
	f, err := operator.DenseFeatures(n, d, x)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewTasks(f, task, tasks)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []gcg.Loss{&loss.Huber{Y: y, Mu: 0.1, Mean: true}, &loss.SmoothedHinge{Y: signs, Mu: 0.1, Mean: true}} {
		for _, pen := range []gcg.Penalty{gauge.Linear{Lambda: 0.004}, gauge.Square{Lambda: 0.002}, gauge.Ball{Zeta: 5}} {
			p := &gcg.Problem{Operator: op, Loss: l, Gauge: gauge.Trace{}, Penalty: pen}
			r, err := solver.Run(context.Background(), p, &solver.GCG{Fresh: true}, solver.Options{Tol: 1e-6, Improver: &solver.Local{}, MaxIter: 300})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != solver.Converged {
				t.Errorf("%T, %T: %s after %d iterations at a gap of %g", l, pen, r.Status, r.Iter, r.State.Cert.Relative)
			}
		}
	}
}
