package views_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/views"
)

// Two views of the same samples have one code, here of one number: the first view of a new sample says what the second is.
func ExampleTask_Fit() {
	x, y := &dataset.Matrix{Rows: 6, Cols: 2}, &dataset.Matrix{Rows: 6, Cols: 3}
	for i := range 6 {
		h := float64(i + 1)
		x.Dense = append(x.Dense, h, -h)
		y.Dense = append(y.Dense, 2*h, 0, h)
	}
	t := &views.Task{Views: []views.View{{Name: "x", X: x}, {Name: "y", X: y}}}
	r, err := t.Fit(context.Background(), task.Options{LambdaRatio: 1e-3})
	if err != nil {
		log.Fatal(err)
	}
	e, err := views.NewEncoder(r.Model)
	if err != nil {
		log.Fatal(err)
	}
	codes, err := e.Codes([]views.Given{{View: 0, X: &dataset.Matrix{Rows: 1, Cols: 2, Dense: []float64{10, -10}}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("rank %d, the other view is %.0f\n", r.Result.State.W.Rank(), e.Predict(1, codes).Dense)
	// Output: rank 1, the other view is [20 0 10]
}
