package task_test

import (
	"context"
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

// skewed are ratings with biases and a low-rank truth, of rows and columns that are rated very differently often.
func skewed(t *testing.T, centred bool) *dataset.Ratings {
	t.Helper()
	g := dataset.Generator{Name: "skewed", Rows: 150, Cols: 100, N: 5000, Rank: 3, RowExponent: 0.5, ColExponent: 0.7, Mean: 3.5,
		Scale: 0.5, Noise: 0.4, Seed: 2}
	if centred {
		g.Mean, g.Scale = 0, 1
	}
	r, err := g.Ratings()
	if err != nil {
		t.Fatal(err)
	}
	if !centred {
		for e := range r.Values {
			r.Values[e] += math.Sin(float64(r.Rows[e])) + math.Cos(float64(3*r.Cols[e]))
		}
	}
	return r
}

// Auto centre and weights predict within three thousandths of the best of all that can be chosen, each fitted in full; the model
// and the result name what was taken.
func TestCompletionChoosesCentreAndWeights(t *testing.T) {
	for _, centred := range []bool{false, true} {
		c := &task.Completion{Train: skewed(t, centred), Split: dataset.Split{Fraction: 0.8}, Seed: 1}
		res := fit(t, c, task.Options{})
		if len(res.Candidates) < 4 {
			t.Fatalf("%+v", res.Candidates)
		}
		taken := res.Candidates[0]
		for _, x := range res.Candidates {
			if x.Lambda == res.Lambda {
				taken = x
			}
			if x.Scores.First() < 0.999*res.Choice.Best().Scores.First() {
				t.Errorf("%s has the error %v, and %+v was chosen", x.Name, x.Scores, res.Choice.Best().Scores)
			}
		}
		info := res.Model.Info
		if info.Center != taken.Center.String() || info.Weights != taken.Weights.String() {
			t.Errorf("the model has %s and %s, and %s was chosen", info.Center, info.Weights, taken.Name)
		}
		best, which := math.Inf(1), ""
		for _, centre := range []dataset.Centring{dataset.NoCentre, dataset.GlobalMean, dataset.ShrunkMeans} {
			for _, w := range []task.Weights{{Rule: task.NoWeights}, {Rule: task.Power, Alpha: 0.5}, {Rule: task.Power, Alpha: 0.8}} {
				c.Center, c.Weights = centre, w
				if full := fit(t, c, task.Options{}); full.Scores.RMSE() < best {
					best, which = full.Scores.RMSE(), "center "+centre.String()+", "+w.String()
				}
			}
		}
		if got := res.Scores.RMSE(); got > 1.003*best {
			t.Errorf("RMSE %v of %s, %v of %s", got, taken.Name, best, which)
		}
	}
}

// What is given stays, and where λ is given, too, what is auto is none.
func TestCompletionKeepsWhatIsGiven(t *testing.T) {
	c := &task.Completion{Train: skewed(t, false), Split: dataset.Split{Fraction: 0.8}, Center: dataset.GlobalMean}
	for _, x := range fit(t, c, task.Options{}).Candidates {
		if x.Center != dataset.GlobalMean {
			t.Errorf("the centre is given, and %s was tried", x.Name)
		}
	}
	c.Center, c.Weights = dataset.AutoCentre, task.Weights{Rule: task.Smoothed, Alpha: 0.1}
	if res := fit(t, c, task.Options{Folds: 2, Points: 4}); len(res.Candidates) != 3 || res.Curve == nil ||
		res.Model.Info.Weights != "smoothed:0.1" || res.Model.Info.Center == "none" {
		t.Errorf("the weights are given: %+v, and %+v was chosen", res.Candidates, res.Model.Info)
	}
	c.Weights = task.Weights{}
	if res := fit(t, c, task.Options{Lambda: 5}); res.Candidates != nil || res.Model.Info.Center != "none" ||
		res.Model.Info.Weights != "none" {
		t.Errorf("λ is given: %+v", res.Model.Info)
	}
}

// A model to start from is carried into the problem that was chosen, not into the plain one.
func TestCompletionStartsTheChosenProblem(t *testing.T) {
	c := &task.Completion{Train: skewed(t, false), Seed: 1}
	first := fit(t, c, task.Options{Run: solver.Options{Tol: 1e-5}})
	if first.Model.Info.Weights == "none" {
		t.Fatalf("%+v: this test is for weights", first.Model.Info)
	}
	c.Warm = first.Model
	again, err := c.Fit(context.Background(), task.Options{Run: solver.Options{Tol: 1e-4}})
	if err != nil || again.Began.Relative > 1e-4 || again.Model.Info.Weights != first.Model.Info.Weights {
		t.Errorf("began at a gap of %v with %+v, %v", again.Began.Relative, again.Model.Info, err)
	}
}
