package task_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

// repeated are rows of each kind that count as often as the weights say: by weights, or by rows that occur so often.
func repeated(t *testing.T, k task.Kind, byWeight bool) *dataset.Rows {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	x := &dataset.Matrix{Cols: 4}
	r := &dataset.Rows{Name: "rows", XName: "rows", X: x}
	var targets []float64
	var tasks []string
	for i := range 60 {
		row := make([]float64, 4)
		for j := range row {
			row[j] = float64(1+j) * rng.NormFloat64()
		}
		y, times := row[0]-row[1]/2+rng.NormFloat64(), rng.IntN(4)
		if byWeight {
			r.Weights = append(r.Weights, float64(times))
			times = 1
		}
		for range times {
			x.Dense = append(x.Dense, row...)
			targets = append(targets, y, 3-y)
			tasks = append(tasks, strconv.Itoa(i%3))
			r.Labels = append(r.Labels, strconv.Itoa(int(math.Min(2, math.Abs(y)))))
			x.Rows++
		}
	}
	if k == task.Classification {
		return r
	}
	r.Labels = nil
	r.Targets = &dataset.Matrix{Rows: x.Rows, Cols: 2, Dense: targets}
	if k == task.MultiTask {
		r.Targets = &dataset.Matrix{Rows: x.Rows, Cols: 1}
		for i := range x.Rows {
			r.Targets.Dense = append(r.Targets.Dense, targets[2*i])
		}
		if err := r.SetTasks(tasks); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// A row of weight w counts as w equal rows do, in the fit, the standard deviations and the scores; weights that are all alike
// change no mean.
func TestWeightsRepeatRows(t *testing.T) {
	for _, k := range []task.Kind{task.Regression, task.Classification, task.MultiTask} {
		for _, standardize := range []bool{false, true} {
			var found []*task.LinearResult
			for _, byWeight := range []bool{false, true} {
				l := &task.Linear{Kind: k, Train: repeated(t, k, byWeight), Intercept: true, Standardize: standardize}
				found = append(found, fitAt(t, l, 0.3))
			}
			same := func(what string, a, b float64) {
				if math.Abs(a-b) > 1e-5*math.Max(1, math.Abs(a)) {
					t.Errorf("%v, standardized %v: the %s is %v by rows and %v by weights", k, standardize, what, a, b)
				}
			}
			a, b := found[0], found[1]
			same("objective", a.Result.State.Cert.Objective, b.Result.State.Cert.Objective)
			for i, s := range scoresOf(a) {
				same(s.Name, s.Value, scoresOf(b)[i].Value)
			}
			w, v := a.Model.Coef().RawMatrix().Data, b.Model.Coef().RawMatrix().Data
			for e := range w {
				same("weight", w[e], v[e])
			}
		}
	}
	l := &task.Linear{Kind: task.Classification, Train: repeated(t, task.Classification, false)}
	once := fitAt(t, l, 0.05).Result.State.Cert.Objective
	l.Train.Weights = slices.Repeat([]float64{7}, l.Train.X.Rows)
	if alike := fitAt(t, l, 0.05).Result.State.Cert.Objective; math.Abs(alike-once) > 1e-6*once {
		t.Errorf("weights of 7 change the mean loss from %v to %v", once, alike)
	}
}

// Weights that weigh nothing are refused, and each fold leaves out what it should.
func TestWeightsAreChecked(t *testing.T) {
	for name, w := range map[string]float64{"negative": -1, "not a number": math.NaN(), "infinite": math.Inf(1)} {
		r := repeated(t, task.Regression, true)
		r.Weights[3] = w
		if _, err := (&task.Linear{Kind: task.Regression, Train: r}).Prepare(); err == nil {
			t.Errorf("a %s weight is taken", name)
		}
	}
	r := repeated(t, task.Regression, true)
	clear(r.Weights)
	if _, err := (&task.Linear{Kind: task.Regression, Train: r}).Prepare(); err == nil {
		t.Error("weights of 0 are taken")
	}
}

// fitAt fits at a part of the smallest λ that has W = 0.
func fitAt(t *testing.T, l *task.Linear, part float64) *task.LinearResult {
	t.Helper()
	r, err := l.Fit(context.Background(), task.Options{LambdaRatio: part, Run: solver.Options{Tol: 1e-9}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// scoresOf are those of numbers or of classes.
func scoresOf(r *task.LinearResult) selection.Scores {
	if r.Values != nil {
		return r.Values.Scores()
	}
	return r.Classes.Scores()
}
