package solver_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
)

// Two penalties: a matrix that is sparse and of low rank. The ℓ1 norm enters by its envelope, whose width is made smaller from
// run to run; objective and bound are those of the problem without it.
func ExampleRun_twoPenalties() {
	y := []float64{
		2, 0.1, 2, 0, // two groups of rows and columns, and a little noise
		2, 0, 1.9, 0.1,
		0, 1, 0.1, 1,
		0.1, 1, 0, 1,
	}
	id, err := operator.NewIdentity(4, 4)
	if err != nil {
		log.Fatal(err)
	}
	both, err := operator.Stack(id, id)
	if err != nil {
		log.Fatal(err)
	}
	l := loss.Stack(&loss.Squared{Y: y}, &loss.MoreauEnvelope{Penalty: &loss.L1Norm{N: 16, Lambda: 0.2}, Beta: 0.1})
	p := &gcg.Problem{Operator: both, Loss: l, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 0.3}}
	opt := solver.Options{Tol: 1e-6, Improver: &solver.Local{}}
	for _, width := range []float64{1e-1, 1e-3, 1e-6} {
		l.SetWidth(width)
		r, err := solver.Run(context.Background(), p, &solver.GCG{OutsideW: true}, opt)
		if err != nil {
			log.Fatal(err)
		}
		c := r.State.Cert
		fmt.Printf("width %g: F* in [%.4f, %.4f], rank %d\n", width, c.LowerBound, c.Objective, r.State.W.Rank())
		opt.Start = r.State.W
	}
	// Output:
	// width 0.1: F* in [3.6964, 3.7020], rank 2
	// width 0.001: F* in [3.6965, 3.6966], rank 2
	// width 1e-06: F* in [3.6965, 3.6965], rank 2
}

// The proximity operator of the trace norm at a matrix of low rank plus a sparse one, known through products.
func ExampleRun_innerProblem() {
	u, v := gcg.NewFactor(3, 1), gcg.NewFactor(4, 1)
	u.SetColumn(0, []float64{1, 2, 2}, 1)
	v.SetColumn(0, []float64{2, 2, 2, 2}, 1)
	sampled, err := operator.NewSampling(3, 4, []int64{0, 1, 1, 2}, []int32{3, 0})
	if err != nil {
		log.Fatal(err)
	}
	target := gcg.Sum(gcg.LowRank(u, v), gcg.Scaled(sampled.Adjoint([]float64{1, -1}), 0.5))
	prox, err := operator.NewProximal(target, 2)
	if err != nil {
		log.Fatal(err)
	}
	p := &gcg.Problem{Operator: prox, Loss: prox, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 3}}
	r, err := solver.Run(context.Background(), p, &solver.GCG{OutsideW: true}, solver.Options{Tol: 1e-9, Improver: &solver.Local{}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s, rank %d, trace norm %.4f\n", r.Status, r.State.W.Rank(), r.State.Rho)
	// Output:
	// converged, rank 1, trace norm 10.4272
}
