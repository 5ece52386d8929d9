package gcg_test

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

// The four nouns, a state, and the certificate at W = 0: F there, and a proven lower bound of the optimum, both from one
// polar. The optimum of ½‖W - diag(3, 1)‖² + 2‖W‖ is 4.5.
func Example() {
	op, err := operator.NewIdentity(2, 2)
	if err != nil {
		log.Fatal(err)
	}
	p := &gcg.Problem{
		Operator: op,
		Loss:     &loss.Squared{Y: []float64{3, 0, 0, 1}},
		Gauge:    gauge.Trace{},
		Penalty:  gauge.Linear{Lambda: 2},
	}
	s, err := gcg.NewState(p, nil)
	if err != nil {
		log.Fatal(err)
	}
	polar, err := p.Gauge.Polar(context.Background(), s.Gradient(p), gcg.Ask{Count: 1})
	if err != nil {
		log.Fatal(err)
	}
	s.Polar = &polar
	s.Certify(p)
	fmt.Printf("polar %.2f (%s)\n", polar.Value, polar.Kind)
	fmt.Printf("optimum between %.2f and %.2f\n", s.Cert.LowerBound, s.Cert.Objective)

	// One step to the atom with the best weight, 3-λ, and the certificate closes.
	s.W.Add(polar.Atoms, []float64{1})
	s.Rho = 1
	s.Refresh(p)
	if polar, err = p.Gauge.Polar(context.Background(), s.Gradient(p), gcg.Ask{Count: 1}); err != nil {
		log.Fatal(err)
	}
	s.Polar = &polar
	s.Certify(p)
	fmt.Printf("optimum between %.2f and %.2f\n", s.Cert.LowerBound, s.Cert.Objective)
	// Output:
	// polar 3.00 (proven)
	// optimum between 4.44 and 5.00
	// optimum between 4.50 and 4.50
}

// A run of the method that suits the problem, as the documentation of the package shows it.
func Example_run() {
	ctx, y := context.Background(), []float64{3, 0, 0, 1}
	op, err := operator.NewIdentity(2, 2)
	if err != nil {
		log.Fatal(err)
	}
	p := &gcg.Problem{
		Operator: op, // of operator.NewSampling, NewDesign, NewTasks, NewIdentity
		Loss:     &loss.Squared{Y: y},
		Gauge:    gauge.Trace{},
		Penalty:  gauge.Linear{Lambda: 2},
	}
	method, improver, _ := solver.For(p)
	r, err := solver.Run(ctx, p, method, solver.Options{Tol: 1e-4, Improver: improver})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s, rank %d, objective %.3f\n", r.Status, r.State.W.Rank(), r.State.Cert.Objective)
	// Output: converged, rank 1, objective 4.500
}

// A product of factors is decomposed without being formed.
func ExampleSVD() {
	w := &gcg.Iterate{M: 3, N: 2}
	w.Add([]gcg.Atom{gcg.RankOne([]float64{1, 0, 0}, []float64{0, 1}), gcg.RankOne([]float64{0, 1, 0}, []float64{1, 0})},
		[]float64{2, 5})
	_, s, _ := gcg.SVD(w.U, w.V, 1e-15)
	fmt.Printf("%.1f\n", s)
	// Output: [5.0 2.0]
}
