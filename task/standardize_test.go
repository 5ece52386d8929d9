package task_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

// A standardized fit does not depend on the units of features, and its weights are for features as they are: those of a fit of
// features that were divided by hand, over the divisors. The optimum is that fit's.
func TestStandardize(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	units := []float64{1, 1000, 0.001, 7}
	var x, byHand [][]float64
	var y []float64
	for range 40 {
		row := make([]float64, 5) // the last is constant
		for j, u := range units {
			row[j] = u * (2 + rng.NormFloat64())
		}
		row[4] = 3
		x, y = append(x, row), append(y, row[0]-row[1]/1000+3*rng.NormFloat64())
	}
	sigma := make([]float64, 5)
	for j := range sigma {
		mean, square := 0.0, 0.0
		for _, row := range x {
			mean += row[j] / 40
		}
		for _, row := range x {
			square += (row[j] - mean) * (row[j] - mean) / 40
		}
		if sigma[j] = math.Sqrt(square); j == 4 {
			sigma[j] = 1
		}
	}
	for _, row := range x {
		divided := make([]float64, 5)
		for j := range row {
			divided[j] = row[j] / sigma[j]
		}
		byHand = append(byHand, divided)
	}
	for _, g := range []*task.Linear{{Gauge: gauge.L1{}}, {Gauge: gauge.Trace{}}} {
		for _, intercept := range []bool{false, true} {
			fit := func(x [][]float64, standardize bool) *task.LinearResult {
				l := &task.Linear{Kind: task.Regression, Gauge: g.Gauge, Intercept: intercept, Standardize: standardize,
					Train: targetsOf(t, x, y...), Test: targetsOf(t, x, y...)}
				return fitLinear(t, l, task.Options{Lambda: 2, Run: solver.Options{Tol: 1e-10}})
			}
			want, got := fit(byHand, false), fit(x, true)
			a, b := want.Result.State.Cert.Objective, got.Result.State.Cert.Objective
			if math.Abs(a-b) > 1e-8*a || math.Abs(want.Values.RMSE-got.Values.RMSE) > 1e-6 {
				t.Errorf("%s, intercept %v: objective %v, by hand %v; RMSE %v, %v", g.Gauge.Name(), intercept, b, a, got.Values.RMSE,
					want.Values.RMSE)
			}
			w, z, score, other := make([]float64, 1), make([]float64, 1), make([]float64, 1), make([]float64, 1)
			for j := range sigma {
				got.Model.Linear().WeightsTo(w, j)
				want.Model.Linear().WeightsTo(z, j)
				if math.Abs(w[0]*sigma[j]-z[0]) > 1e-4*(1+math.Abs(z[0])) {
					t.Errorf("%s: weight %d is %v, by hand %v/%v", g.Gauge.Name(), j, w[0], z[0], sigma[j])
				}
			}
			got.Model.Linear().ScoresTo(score, nil, x[7])
			want.Model.Linear().ScoresTo(other, nil, byHand[7])
			if math.Abs(score[0]-other[0]) > 1e-4 {
				t.Errorf("prediction %v, by hand %v", score, other)
			}
		}
	}
}

// Sparse rows are standardized as dense ones are: what is not stored is 0.
func TestStandardizeSparse(t *testing.T) {
	dense := [][]float64{{0, 2}, {4, 0}, {0, 6}, {8, 1}}
	sparse := &dataset.Matrix{Rows: 4, Cols: 2, Ptr: []int64{0, 1, 2, 3, 5}, Index: []int32{1, 0, 1, 0, 1},
		Values: []float64{2, 4, 6, 8, 1}}
	fit := func(r *dataset.Rows) float64 {
		if err := r.SetTargets([]float64{1, -2, 3, 1}); err != nil {
			t.Fatal(err)
		}
		l := &task.Linear{Kind: task.Regression, Standardize: true, Train: r}
		return fitLinear(t, l, task.Options{Lambda: 0.3, Run: solver.Options{Tol: 1e-10}}).Result.State.Cert.Objective
	}
	if a, b := fit(rowsOf(t, dense)), fit(&dataset.Rows{Name: "s", XName: "s", X: sparse}); math.Abs(a-b) > 1e-9 {
		t.Errorf("dense %v, sparse %v", a, b)
	}
}

// Rows that are held out, by a fold or to choose λ by, scale no features: however large they are there, the problem of the rest
// is the same.
func TestStandardizeFolds(t *testing.T) {
	const n = 40
	fitting := func(heldOut float64, held []int) (*selection.Fitting, []int) {
		rng := rand.New(rand.NewPCG(9, 2))
		var x [][]float64
		var y []float64
		for range n {
			row := []float64{rng.NormFloat64(), 5 * rng.NormFloat64(), 1 + rng.NormFloat64()}
			x, y = append(x, row), append(y, row[0]-row[1])
		}
		for _, i := range held {
			for j := range x[i] {
				x[i][j] *= heldOut
			}
		}
		l, err := (&task.Linear{Kind: task.Regression, Standardize: true, Train: targetsOf(t, x, y...), Seed: 3}).Prepare()
		if err != nil {
			t.Fatal(err)
		}
		f, err := l.Fold(1, 4)
		if err != nil {
			t.Fatal(err)
		}
		var out []int
		for i, w := range f.Problem.Loss.(*loss.Squared).Omega {
			if w == 0 {
				out = append(out, i)
			}
		}
		return f, out
	}
	best := func(f *selection.Fitting) float64 {
		f.Problem.Penalty = gauge.Linear{Lambda: 3}
		m, im, _ := solver.For(f.Problem)
		r, err := solver.Run(context.Background(), f.Problem, m, solver.Options{Tol: 1e-10, Improver: im})
		if err != nil {
			t.Fatal(err)
		}
		return r.State.Cert.Objective
	}
	f, held := fitting(1, nil)
	if len(held) != n/4 {
		t.Fatalf("%d rows are held out", len(held))
	}
	g, _ := fitting(1000, held)
	if a, b := best(f), best(g); math.Abs(a-b) > 1e-8*a {
		t.Errorf("the optimum of the rows that are left is %v, and %v where the others are large", a, b)
	}
}
