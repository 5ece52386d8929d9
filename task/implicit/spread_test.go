package implicit_test

import (
	"bytes"
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/implicit"
)

// Clicks over ranks have the same model, to the last bit, on any number of them, and the same lists; it is the one that one
// process proves, with scales of users and items, too.
func TestClicksOverRanks(t *testing.T) {
	for _, c := range []struct {
		name string
		of   implicit.Task
		opt  task.Options
	}{
		{"given", implicit.Task{Alpha: 2}, task.Options{LambdaRatio: 0.05, Run: solver.Options{Tol: 1e-6}}},
		{"weights", implicit.Task{Alpha: 1, Background: 0.5, Positive: 2, Weights: task.Weights{Rule: task.Power, Alpha: 0.5}},
			task.Options{LambdaRatio: 0.1, Run: solver.Options{Tol: 1e-6}}},
		{"chosen", implicit.Task{Alpha: 2, Split: dataset.Split{PerUser: 0.8}, Seed: 3}, task.Options{}},
	} {
		t.Run(c.name, func(t *testing.T) { clicksOverRanks(t, c.of, c.opt) })
	}
}

// clicksOverRanks is TestClicksOverRanks of one task.
func clicksOverRanks(t *testing.T, of implicit.Task, opt task.Options) {
	t.Helper()
	whole := of
	whole.Train = clicks(t, 120, 50, 4)
	one, err := whole.Fit(t.Context(), opt)
	if err != nil || one.Solution.Result.Status != solver.Converged {
		t.Fatal(one, err)
	}
	var mutex sync.Mutex
	var want string
	var cert gcg.Certificate
	for _, ranks := range []int{1, 2, 4} {
		own := clicks(t, 120, 50, 4)
		err := cluster.InProcess(ranks, func(c *cluster.Comm) error {
			f, r := of, own
			if c.Rank() > 0 {
				r = &dataset.Ratings{RowIDs: &dataset.IDs{}, ColIDs: &dataset.IDs{}}
			}
			var err error
			if f.Train, err = r.OverRanks(c, nil); err != nil {
				return err
			}
			got, err := f.Fit(t.Context(), opt)
			if err != nil {
				return err
			}
			var file bytes.Buffer
			if err := got.Model.Whole().Write(&file); err != nil {
				return err
			}
			text := fmt.Sprint(got.Solution.Result.Status, got.Solution.Lambda, got.Warnings) + file.String()
			if got.Ranked != nil {
				text += fmt.Sprint(got.Ranked.Model.At, got.Ranked.Popular.At)
			}
			mutex.Lock()
			defer mutex.Unlock()
			if want == "" {
				want, cert = text, got.Solution.Result.State.Cert
			}
			if text != want || got.Solution.Result.Status != solver.Converged {
				return fmt.Errorf("%d ranks fit another model: %+v, not %+v", ranks, got.Solution.Result.State.Cert, cert)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	a, b := cert, one.Solution.Result.State.Cert
	if opt.LambdaRatio > 0 && math.Max(a.LowerBound, b.LowerBound) > math.Min(a.Objective, b.Objective)*(1+1e-9) {
		t.Errorf("ranks: %+v, one process: %+v", a, b)
	}
}
