package task_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/task"
)

// Three schools with few pupils each: scores depend on the same two things, more or less strongly. The trace norm finds that they
// do, and λ is chosen by cross-validation.
func ExampleLinear_multiTask() {
	x := [][]float64{{1, 2}, {2, 1}, {3, 5}, {4, 4}, {2, 2}, {5, 1}, {1, 4}, {3, 3}, {4, 2}, {1, 1}, {2, 4}, {5, 5}}
	school := []string{"a", "a", "a", "a", "b", "b", "b", "b", "c", "c", "c", "c"}
	score := []float64{5.1, 4.0, 13.2, 11.9, 11.8, 14.1, 18.2, 18.1, 24.2, 8.8, 30.1, 45.2}
	rows, err := dataset.NewRows(x)
	if err == nil {
		err = rows.SetTargets(score)
	}
	if err == nil {
		err = rows.SetTasks(school)
	}
	if err != nil {
		log.Fatal(err)
	}
	fit, err := (&task.Linear{Kind: task.MultiTask, Train: rows}).Fit(context.Background(), task.Options{Folds: 4})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s, rank %d, RMSE %.1f; the means of the schools have %.1f\n", fit.Result.Status, fit.Model.Rank, fit.Values.RMSE,
		*fit.Constant.TaskMeans)
	// Output: converged, rank 1, RMSE 0.1; the means of the schools have 8.0
}
