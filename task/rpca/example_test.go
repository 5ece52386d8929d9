package rpca_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/rpca"
)

// A matrix of rank one with a wrong number in it: the sparse part has that number, and the other part is of rank one.
func ExampleTask_Fit() {
	t := &rpca.Task{Rows: 12, Cols: 10, Equal: true}
	for i := range t.Rows {
		for j := range t.Cols {
			t.Values = append(t.Values, float64((i+1)*(j+2)))
		}
	}
	t.Values[3*t.Cols+4] += 50
	r, err := t.Fit(context.Background(), task.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("rank", r.Result.State.W.Rank())
	for k, v := range r.Parts.Values {
		fmt.Printf("row %d, column %d is off by %.1f\n", r.Parts.Rows[k], r.Parts.Cols[k], v)
	}
	// Output:
	// rank 1
	// row 3, column 4 is off by 50.0
}
