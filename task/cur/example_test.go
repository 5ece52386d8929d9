package cur_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/cur"
)

// Two rows and two columns stand for a matrix of rank 2: all others are sums of these.
func ExampleTask_Fit() {
	d := &dataset.Matrix{Rows: 5, Cols: 4, Names: []string{"a", "b", "c", "d"}, Dense: []float64{
		9, 0, 1, 4,
		0, 8, 4, 1,
		1, 1, 0.6, 0.5,
		2, 0, 0.2, 0.9,
		0, 1, 0.5, 0.1,
	}}
	t := &cur.Task{D: d, Rows: 2, Columns: 2}
	r, err := t.Fit(context.Background(), task.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range r.Columns[:2] {
		fmt.Println("column", c.Name)
	}
	for _, c := range r.Rows[:2] {
		fmt.Println("row", c.Name)
	}
	fmt.Printf("C U R leaves %.0f %% of D\n", 100*r.Error.CUR)
	// Output:
	// column a
	// column b
	// row 1
	// row 2
	// C U R leaves 1 % of D
}
