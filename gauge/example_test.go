package gauge_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
)

// The polar of the trace norm is the largest singular value, at its singular pair.
func ExampleTrace() {
	g := conform.Matrix{M: 2, N: 3, Data: []float64{0, 4, 0, 3, 0, 0}}
	p, err := gauge.Trace{}.Polar(context.Background(), g, gcg.Ask{Count: 2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f, %s bound %.2f\n", p.Values, p.Kind, p.Bound)
	// Output: [4.00 3.00], proven bound 4.00
}

// The same matrix under the group lasso of its rows: the row of largest norm.
func ExampleGroup() {
	g := conform.Matrix{M: 2, N: 3, Data: []float64{0, 4, 3, 3, 0, 0}}
	p, err := gauge.Group{}.Polar(context.Background(), g, gcg.Ask{Count: 1})
	if err != nil {
		log.Fatal(err)
	}
	a := p.Atoms[0]
	fmt.Println("value", p.Value, "at rows", a.Rows, "columns", a.Cols, "entries", a.Vals)
	// Output: value 5 at rows [0 0 0] columns [0 1 2] entries [0 0.8 0.6]
}

// The proximity operator of the trace norm takes t off every singular value.
func ExampleSchattenP_ProxTo() {
	w := []float64{3, 0, 0, 1}
	rho := gauge.SchattenP{P: 1}.ProxTo(w, w, 2, 2, 2)
	fmt.Printf("%.1f with trace norm %.1f\n", w, rho)
	// Output: [1.0 0.0 0.0 0.0] with trace norm 1.0
}

// The permutation matrices are the vertices of a polytope that an oracle knows: here it tries both permutations of two. The
// nearest point to Y among the doubly stochastic matrices is a mean of them.
func ExampleHull() {
	oracle := func(vertex, g []float64) {
		copy(vertex, []float64{1, 0, 0, 1})
		if g[1]+g[2] > g[0]+g[3] {
			copy(vertex, []float64{0, 1, 1, 0})
		}
	}
	op, err := operator.NewIdentity(2, 2)
	if err != nil {
		log.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: []float64{1, 0.2, 0.4, 0.8}}, Gauge: gauge.Hull{Oracle: oracle},
		Penalty: gauge.Equal{Zeta: 1}}
	r, err := solver.Run(context.Background(), p, &conditional.GCG{}, solver.Options{Tol: 1e-9, Improver: &solver.Corrective{}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %.2f\n", r.Status, r.State.Z)
	// Output: converged: [0.80 0.20 0.20 0.80]
}
