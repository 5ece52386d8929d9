package spca_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/spca"
)

// Two variables go together, and two others apart from these: a component has the variables of one pair alone.
func ExampleTask_Fit() {
	c := &dataset.Matrix{Rows: 4, Cols: 4, Names: []string{"height", "weight", "income", "rent"}, Dense: []float64{
		4, 3, 0.2, 0,
		3, 4, 0, 0.1,
		0.2, 0, 2, 1.5,
		0, 0.1, 1.5, 2,
	}}
	t := &spca.Task{Covariance: c, Components: 2}
	r, err := t.Fit(context.Background(), task.Options{Lambda: 0.3})
	if err != nil {
		log.Fatal(err)
	}
	for k, x := range r.Components {
		fmt.Printf("component %d explains %.0f %%:", k+1, 100*x.Variance/r.Total)
		for _, j := range x.Support {
			fmt.Printf(" %.2f %s", x.Loading[j], c.Names[j])
		}
		fmt.Println()
	}
	// Output:
	// component 1 explains 58 %: 0.71 height 0.71 weight
	// component 2 explains 29 %: 0.71 income 0.71 rent
}
