package views_test

import (
	"context"
	"testing"
	"time"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/views"
)

// Views with labels close under Huber's loss, however narrow, also where its bends are not narrow against the residuals at W = 0.
func TestLabelsUnderHuber(t *testing.T) {
	const samples = 14
	a, b := &dataset.Matrix{Rows: samples, Cols: 2}, &dataset.Matrix{Rows: samples, Cols: 3}
	labels := &views.Labels{Name: "labels", Outputs: []string{"0", "1"}, Classes: true}
	for i := 1; i <= samples; i++ {
		a.Dense = append(a.Dense, float64(i*7%5-2), float64(i*3%4))
		b.Dense = append(b.Dense, float64(i*5%7-3), float64(i*11%6), float64(i%3))
		labels.Y = append(labels.Y, float64(2*(i%2)-1))
	}
	for _, mu := range []float64{0.1, 0.01, 0.001} {
		huber := task.Loss{Kind: task.Huber, Mu: mu}
		v := &views.Task{Views: []views.View{{Name: "a", X: a, Loss: huber}, {Name: "b", X: b, Loss: huber}}, Labels: labels}
		r, err := v.Fit(context.Background(), task.Options{Lambda: 1, Run: solver.Options{MaxTime: 20 * time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		if gap := r.Solution.Result.State.Cert.Relative; r.Solution.Result.Status != solver.Converged {
			t.Errorf("μ = %v: %s at a relative gap of %.2g", mu, r.Solution.Result.Status, gap)
		}
	}
}
