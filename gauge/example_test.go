package gauge_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/gauge"
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
