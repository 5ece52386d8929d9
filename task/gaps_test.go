package task_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

// Targets that are missing are not observed: the optimum is that of several tasks, each on the rows that have its target. So are
// the scores, on a test with gaps too.
func TestMissingTargets(t *testing.T) {
	const n, p, k = 60, 5, 3
	random := rand.New(rand.NewPCG(1, 2))
	x, y := &dataset.Matrix{Rows: n, Cols: p}, &dataset.Matrix{Rows: n, Cols: k, Names: []string{"a", "b", "c"}}
	tasks := &dataset.Rows{X: &dataset.Matrix{Cols: p}, Targets: &dataset.Matrix{Cols: 1}, Tasks: y.Names}
	for i := range n {
		for range p {
			x.Dense = append(x.Dense, random.NormFloat64())
		}
		row := x.Dense[i*p:]
		for j := range k {
			v := row[0] - float64(j)*row[1] + 0.1*random.NormFloat64() + 3
			if (i+2*j)%4 == 0 {
				y.Dense = append(y.Dense, math.NaN())
				continue
			}
			y.Dense = append(y.Dense, v)
			tasks.X.Dense, tasks.X.Rows = append(tasks.X.Dense, row...), tasks.X.Rows+1
			tasks.Targets.Dense, tasks.Targets.Rows = append(tasks.Targets.Dense, v), tasks.Targets.Rows+1
			tasks.Task = append(tasks.Task, int32(j))
		}
	}
	rows := &dataset.Rows{X: x, Targets: y}
	for _, c := range []struct {
		normalize task.Normalization
		lambda    float64
	}{{task.Sum, 2}, {task.Mean, 0.05}} {
		opt := task.Options{Lambda: c.lambda, Run: solver.Options{Tol: 1e-9}}
		fit := func(l task.Linear) *task.LinearResult {
			l.Gauge, l.Normalize, l.Intercept = gauge.Trace{}, c.normalize, true
			f, err := l.Fit(context.Background(), opt)
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
		want := fit(task.Linear{Kind: task.MultiTask, Train: tasks, Test: tasks})
		got := fit(task.Linear{Kind: task.Regression, Train: rows, Test: rows})
		f, g := got.Result.State.Cert.Objective, want.Result.State.Cert.Objective
		near(t, "the objective", f, g, 1e-6*g)
		near(t, "the error", got.Values.RMSE, want.Values.RMSE, 1e-4)
	}
	if _, err := (&task.Linear{Kind: task.Regression, Train: rows, Gauge: gauge.Trace{}}).Fit(context.Background(),
		task.Options{Points: 4}); err != nil {
		t.Errorf("with λ chosen: %v", err)
	}
	for what, l := range map[string]task.Linear{
		`all values of target "b" are missing`: {Kind: task.Regression, Train: &dataset.Rows{X: &dataset.Matrix{Rows: 2, Cols: 1,
			Dense: []float64{1, 2}}, Targets: &dataset.Matrix{Rows: 2, Cols: 2, Names: []string{"a", "b"},
			Dense: []float64{1, math.NaN(), 2, math.NaN()}}}},
	} {
		if _, err := l.Fit(context.Background(), task.Options{Lambda: 1}); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
