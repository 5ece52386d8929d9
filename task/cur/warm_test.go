package cur_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/cur"
)

// The W of a model is where a fit of the same D begins, and of its transpose as well as of a wide D; another size is refused.
func TestWarm(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	opt := task.Options{LambdaRatio: 0.05, Run: solver.Options{Tol: 1e-6}}
	for _, size := range [][2]int{{12, 30}, {30, 12}} {
		d := &dataset.Matrix{Rows: size[0], Cols: size[1], Dense: make([]float64, size[0]*size[1])}
		for e := range d.Dense {
			d.Dense[e] = rng.NormFloat64()
		}
		fit := func(warm *model.Model, event func(solver.Event)) *cur.Result {
			o := opt
			o.Run.Event = event
			r, err := (&cur.Task{D: d, Warm: warm}).Fit(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		cold := fit(nil, nil)
		first := -1.0
		warm := fit(cold.Model, func(e solver.Event) {
			if first < 0 {
				first = e.State.Cert.Objective
			}
		})
		if f := cold.Result.State.Cert.Objective; first < f*(1-1e-9) || first > f*(1+1e-9) || warm.Result.Iter >= cold.Result.Iter {
			t.Errorf("%v: begins at %v after %v, with %d steps after %d", size, first, f, warm.Result.Iter, cold.Result.Iter)
		}
		other := &dataset.Matrix{Rows: 2, Cols: 3, Dense: []float64{1, 2, 3, 4, 5, 7}}
		if _, err := (&cur.Task{D: other, Warm: cold.Model}).Fit(context.Background(), opt); err == nil ||
			!strings.Contains(err.Error(), "2 rows and 3 columns") {
			t.Errorf("%v: a model of another size: %v", size, err)
		}
	}
}
