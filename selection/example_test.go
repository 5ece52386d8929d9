package selection_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/task"
)

// A path of the lasso by ten folds: the error of each λ, and the λ that the rule of one standard error takes.
func ExampleCrossValidate() {
	x, y := make([][]float64, 40), make([]float64, 40) // y = 3x₁ - 2x₂ and a disturbance; x₃ and x₄ have nothing to do with it
	for i := range x {
		t := float64(i)
		x[i] = []float64{math.Sin(t), math.Cos(2 * t), math.Sin(5*t + 1), math.Cos(7 * t)}
		y[i] = 3*x[i][0] - 2*x[i][1] + 0.5*math.Sin(11*t*t)
	}
	rows, err := dataset.NewRows(x)
	if err == nil {
		err = rows.SetTargets(y)
	}
	if err != nil {
		log.Fatal(err)
	}
	lasso, err := (&task.Linear{Kind: task.Regression, Train: rows}).Prepare()
	if err != nil {
		log.Fatal(err)
	}
	curve, err := selection.CrossValidate(context.Background(), lasso, selection.Options{Points: 5, Ratio: 0.001, Folds: 10})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range curve.Points {
		fmt.Printf("λ %7.3f  %s  RMSE %.2f ± %.2f\n", p.Lambda, p.Size, p.Scores.First(), p.StdErr)
	}
	taken, err := selection.OneStd.Select(curve.Points)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("1se takes λ = %.3f\n", curve.Points[taken].Lambda)
	// Output:
	// λ  60.696  nonzeros 0  RMSE 2.50 ± 0.22
	// λ  10.794  nonzeros 2  RMSE 0.63 ± 0.06
	// λ   1.919  nonzeros 2  RMSE 0.36 ± 0.03
	// λ   0.341  nonzeros 3  RMSE 0.36 ± 0.04
	// λ   0.061  nonzeros 4  RMSE 0.37 ± 0.04
	// 1se takes λ = 1.919
}
