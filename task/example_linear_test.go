package task_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/task"
	"gonum.org/v1/gonum/mat"
)

// A lasso of a matrix of gonum, and predictions as one.
func ExampleLinear() {
	x := mat.NewDense(6, 3, []float64{1, 0, 2, 0, 1, 1, 1, 1, 0, 2, 0, 1, 0, 2, 2, 1, 2, 1})
	y := []float64{3.1, 1.0, 3.9, 7.0, 1.1, 3.0} // 1 + 3x₁, and noise
	rows, err := dataset.RowsOf(x)
	if err == nil {
		err = rows.SetTargets(y)
	}
	if err != nil {
		log.Fatal(err)
	}
	lasso := task.Linear{Kind: task.Regression, Train: rows, Gauge: gauge.L1{}, Intercept: true}
	fit, err := lasso.Fit(context.Background(), task.Options{Lambda: 0.5})
	if err != nil {
		log.Fatal(err)
	}
	z, err := fit.Predict(mat.NewDense(1, 3, []float64{3, 0, 0}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f + %.2f x, so %.1f\n", fit.Model.Intercept(), mat.Formatted(fit.Model.Coef().T()), z.At(0, 0))
	// Output:
	// [1.18] + [ 2.60  -0.07  -0.08] x, so 9.0
}
