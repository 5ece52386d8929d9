package task_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

var _ selection.Source = &task.PreparedLinear{}

// rowsOf are rows of features, with labels or none.
func rowsOf(t *testing.T, x [][]float64, labels ...string) *dataset.Rows {
	t.Helper()
	r, err := dataset.NewRows(x)
	if err != nil {
		t.Fatal(err)
	}
	if len(labels) > 0 {
		r.Labels = labels
	}
	return r
}

// targetsOf are rows with targets.
func targetsOf(t *testing.T, x [][]float64, y ...float64) *dataset.Rows {
	t.Helper()
	r := rowsOf(t, x)
	if err := r.SetTargets(y); err != nil {
		t.Fatal(err)
	}
	return r
}

func fitLinear(t *testing.T, l *task.Linear, opt task.Options) *task.LinearResult {
	t.Helper()
	r, err := l.Fit(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// unit is the n×n identity.
func unit(n int) [][]float64 {
	x := make([][]float64, n)
	for i := range x {
		x[i] = make([]float64, n)
		x[i][i] = 1
	}
	return x
}

// With orthonormal features the lasso thresholds each target by λ, and the group lasso the norm of each row of targets.
func TestRegressionOfOrthonormalFeatures(t *testing.T) {
	y := []float64{3, 4, -0.5, 0.2, 0, 2, 1, -6}
	for _, group := range []bool{false, true} {
		l := &task.Linear{Kind: task.Regression, Train: targetsOf(t, unit(4), y...)}
		if group {
			l.Gauge = gauge.Group{}
		}
		const lambda = 1.5
		r := fitLinear(t, l, task.Options{Lambda: lambda, Run: solver.Options{Tol: 1e-10}})
		optimum, made := 0.0, r.Model.Linear()
		for i := range 4 {
			a, b := y[2*i], y[2*i+1]
			shrink := func(x, size float64) float64 { return x * math.Max(0, 1-lambda/size) }
			want := []float64{shrink(a, math.Abs(a)), shrink(b, math.Abs(b)+1e-300)}
			if group {
				norm := math.Hypot(a, b)
				want = []float64{shrink(a, norm), shrink(b, norm)}
				optimum += lambda * math.Hypot(want[0], want[1])
			} else {
				optimum += lambda * (math.Abs(want[0]) + math.Abs(want[1]))
			}
			optimum += (math.Pow(a-want[0], 2) + math.Pow(b-want[1], 2)) / 2
			got := make([]float64, 2)
			made.WeightsTo(got, i)
			near(t, fmt.Sprintf("group %v: W[%d,0]", group, i), got[0], want[0], 1e-4)
			near(t, fmt.Sprintf("group %v: W[%d,1]", group, i), got[1], want[1], 1e-4)
		}
		if c := r.Result.State.Cert; c.LowerBound > optimum+1e-12 || c.Objective < optimum-1e-12 || c.Relative > 1e-10 {
			t.Errorf("group %v: %v is not in [%v, %v]", group, optimum, c.LowerBound, c.Objective)
		}
	}
}

// blobs are rows around three centres, by class, with labels.
func blobs(seed uint64, n int) (x [][]float64, labels []string) {
	rng := rand.New(rand.NewPCG(seed, 9))
	names := []string{"red", "green", "blue"}
	for i := range n {
		c := i % 3
		row := []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		row[c] += 4
		x, labels = append(x, row), append(labels, names[c])
	}
	return x, labels
}

// Classes that lie apart are told apart on new rows, with probabilities, and an unknown label is never right.
func TestClassification(t *testing.T) {
	x, labels := blobs(1, 150)
	for folds, rule := range map[int]selection.Rule{0: "", 3: selection.OneStd} {
		r := fitLinear(t, &task.Linear{Kind: task.Classification, Train: rowsOf(t, x, labels...), Split: 0.8, Intercept: true, Seed: 2},
			task.Options{Folds: folds, Points: 10, Ratio: 0.01, Rule: rule})
		if r.Classes == nil || r.Classes.N != 30 || r.Classes.Accuracy < 0.9 || r.Values != nil || len(r.Classes.Confusion) != 3 {
			t.Errorf("%d folds: %+v", folds, r.Classes)
		}
		if (r.Choice == nil) == (folds == 0) || (r.Curve == nil) != (folds == 0) || !(r.Lambda > 0) || r.Model.Info.Lambda != r.Lambda {
			t.Errorf("%d folds: λ %v of choice %v, curve %v", folds, r.Lambda, r.Choice != nil, r.Curve != nil)
		}
		near(t, "the accuracy of the largest class", *r.Constant.Majority, 1.0/3, 1e-12)
		near(t, "the log loss of class frequencies", *r.Constant.LogLoss, math.Log(3), 1e-12)
		by, err := task.NewPredictor(r.Model)
		if err != nil {
			t.Fatal(err)
		}
		fresh, truth := blobs(7, 60)
		truth[0] = "yellow"
		p, err := by.Predict(rowsOf(t, fresh, truth...))
		if err != nil {
			t.Fatal(err)
		}
		unknown, got := p.Measure()
		right := 0
		for i := range fresh {
			probabilities := p.Probabilities(i)
			var sum float64
			for _, q := range probabilities {
				sum += q
			}
			near(t, "the sum of probabilities", sum, 1, 1e-12)
			if p.Class(i) == truth[i] {
				right++
			}
		}
		if scores := got.(*task.ClassScores); unknown != 1 || scores.Accuracy != float64(right)/60 || right < 54 || right > 59 {
			t.Errorf("%d folds: %d right, %d unknown, %+v", folds, right, unknown, scores)
		}
	}
}

// Tasks whose weights are of rank one are predicted better together than by their means, and rows of a task nobody knows have
// no prediction.
func TestMultiTask(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	var x [][]float64
	var names []string
	var y []float64
	for i := range 120 {
		row := []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		at := i % 4
		x, names = append(x, row), append(names, fmt.Sprint("t", at))
		y = append(y, float64(at+1)*(row[0]-2*row[2])+0.1*rng.NormFloat64()+3)
	}
	for _, labels := range []bool{false, true} {
		train := targetsOf(t, x, y...)
		l := &task.Linear{Kind: task.MultiTask, Train: train, Split: 0.75, Intercept: true}
		if labels { // 0 and 1, of which most are right
			for i, v := range y {
				train.Targets.Dense[i] = 0
				if v > 3 {
					train.Targets.Dense[i] = 1
				}
			}
			l.Loss = task.Loss{Kind: task.Logistic}
		}
		if err := train.SetTasks(names); err != nil {
			t.Fatal(err)
		}
		r := fitLinear(t, l, task.Options{})
		by, err := task.NewPredictor(r.Model)
		if err != nil {
			t.Fatal(err)
		}
		rows := rowsOf(t, [][]float64{{1, 0, -1}, {1, 0, -1}})
		if err := rows.SetTasks([]string{"t2", "t9"}); err != nil {
			t.Fatal(err)
		}
		p, err := by.Predict(rows)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := by.Predict(rowsOf(t, [][]float64{{1, 0, -1}})); err == nil {
			t.Error("rows of no task are predicted")
		}
		if unknown, got := p.Measure(); unknown != 1 || got != nil || !math.IsNaN(p.Value(1)) {
			t.Errorf("labels %v: %d unknown, %v, %v", labels, unknown, got, p.Value(1))
		}
		if labels {
			if label, q := by.Label(p.Value(0)); label != "1" || q < 0.9 || r.Classes.Accuracy < 0.9 || len(r.Classes.Tasks) != 4 {
				t.Errorf("label %s with probability %v, %+v", label, q, r.Classes)
			}
			continue
		}
		near(t, "a prediction for task t2", p.Value(0), 12, 0.5)
		if r.Values.RMSE > 0.3 || !(*r.Constant.TaskMeans > 3) || len(r.Values.Tasks) != 4 || r.Model.Rank != 1 &&
			r.Result.State.W.Rank() > 3 {
			t.Errorf("%+v beside %+v", r.Values, r.Constant)
		}
	}
}

// A model is a start at its own optimum, whatever order the data has its features and outputs in; one of other features is none.
func TestLinearWarmStart(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	x, y := make([][]float64, 30), make([]float64, 60)
	for i := range x {
		x[i] = []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		y[2*i], y[2*i+1] = x[i][0]+rng.NormFloat64(), x[i][2]-x[i][0]+rng.NormFloat64()
	}
	named := func(names ...string) *dataset.Rows {
		r := targetsOf(t, x, y...)
		r.X.Names = names
		return r
	}
	for _, k := range []task.Linear{{Kind: task.Regression}, {Kind: task.Regression, Gauge: gauge.Trace{}}} {
		l := k
		l.Train, l.Intercept = named("a", "b", "c"), true
		opt := task.Options{Lambda: 3, Run: solver.Options{Tol: 1e-9}}
		first := fitLinear(t, &l, opt)
		again := k
		again.Train, again.Intercept, again.Warm = named("b", "a", "c"), true, first.Model
		for i := range x { // the features change places with their names
			row := again.Train.X.Dense[3*i:]
			row[0], row[1] = row[1], row[0]
		}
		began := math.Inf(1)
		opt.Run.Event = func(e solver.Event) {
			if e.Iter == 0 {
				began = e.State.Cert.Relative
			}
		}
		fitLinear(t, &again, opt)
		if began > 1e-8 {
			t.Errorf("%T: begins at the gap %v", l.Gauge, began)
		}
		other := k
		other.Train, other.Warm, other.Intercept = named("a", "b", "d"), first.Model, true
		var wrong *task.OtherModelError
		if _, err := other.Fit(context.Background(), opt); !errors.As(err, &wrong) || wrong.What != "features" {
			t.Errorf("%T: a model of other features: %v", l.Gauge, err)
		}
	}
}

// Doubts are values that say what they are of.
func TestLinearWarnings(t *testing.T) {
	x := [][]float64{{1, 2}, {1, 4}, {1, 7}}
	for want, l := range map[string]*task.Linear{
		"the rows: feature 1 is constant": {Kind: task.Regression, Intercept: true,
			Train: targetsOf(t, x, 1, 2, 4)},
		"the rows: every row has a class of its own": {Kind: task.Classification, Train: rowsOf(t, x, "1", "2", "4")},
		"its width 1 is 3e-07 of the standard deviation": {Kind: task.Regression, Loss: task.Loss{Kind: task.Huber},
			Train: targetsOf(t, x, 1e6, 2e6, 9.5e6)},
		"feature 2 is in no group and stays 0": {Kind: task.Regression, Gauge: gauge.Group{Index: [][]int32{{0}}},
			Train: targetsOf(t, x, 1, 2, 4)},
		"the rows: row 2 has no feature but 0": {Kind: task.Regression,
			Train: targetsOf(t, [][]float64{{1, 2}, {0, 0}}, 1, 2)},
		"the model's RMSE on the training rows, 2.6458, is w": {Kind: task.Regression, Train: targetsOf(t, x, 1, 2, 4)},
	} {
		r := fitLinear(t, l, task.Options{Lambda: 1e7})
		if !slices.ContainsFunc(r.Warnings, func(w task.Warning) bool { return strings.HasPrefix(w.String(), want) }) {
			t.Errorf("%v; want %q", r.Warnings, want)
		}
	}
}

// What cannot be learnt from is refused.
func TestLinearMisuse(t *testing.T) {
	x := [][]float64{{1, 2}, {3, 4}, {5, 7}}
	for want, l := range map[string]*task.Linear{
		"needs rows to train on":    {},
		"has no answers to learn":   {Kind: task.Classification, Train: rowsOf(t, x)},
		"has 2 labels for 3 rows":   {Kind: task.Classification, Train: rowsOf(t, x, "a", "b")},
		"all 3 rows have the label": {Kind: task.Classification, Train: rowsOf(t, x, "a", "a", "a")},
		"the label 3 is a third one; there are 3, such as 1, 2, 3, and not two": {Kind: task.Regression,
			Loss: task.Loss{Kind: task.Logistic}, Train: targetsOf(t, x, 1, 2, 3)},
		"all 3 labels are 2; there must be two classes": {Kind: task.Regression, Loss: task.Loss{Kind: task.Logistic},
			Train: targetsOf(t, x, 2, 2, 2)},
		`the label "maybe" does not occur`: {Kind: task.Regression, Loss: task.Loss{Kind: task.Logistic},
			Train: rowsOf(t, x, "yes", "no", "yes"), Test: rowsOf(t, x[:2], "no", "maybe")},
		"the huber loss is of numbers": {Kind: task.Classification, Loss: task.Loss{Kind: task.Huber},
			Train: rowsOf(t, x, "a", "b", "a")},
		"needs a width": {Kind: task.Regression, Loss: task.Loss{Kind: task.Absolute},
			Train: targetsOf(t, x, 1, 2, 1)},
		"Split 1.5": {Kind: task.Regression, Split: 1.5, Train: targetsOf(t, x, 1, 2, 1)},
		"has 1 feature; there are 2 in training": {Kind: task.Regression, Train: targetsOf(t, x, 1, 2, 1),
			Test: targetsOf(t, [][]float64{{1}}, 1)},
	} {
		if _, err := l.Fit(context.Background(), task.Options{Lambda: 1}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	short := targetsOf(t, x, 1, 2, 1)
	short.X.Dense = short.X.Dense[:5]
	unmeasured := &task.Linear{Kind: task.Regression, Train: targetsOf(t, x, 1, 2, 1), Test: rowsOf(t, x)}
	for want, l := range map[string]*task.Linear{"no matrix of the size": {Kind: task.Regression, Train: short},
		"has no answers to measure by": unmeasured} {
		if _, err := l.Fit(context.Background(), task.Options{Lambda: 1}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	l, err := (&task.Linear{Kind: task.Regression, Train: targetsOf(t, x, 1, 2, 1)}).Prepare()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Fold(0, 4); !errors.Is(err, task.ErrTooFew) {
		t.Errorf("four folds of three rows: %v", err)
	}
	if _, err := task.NewPredictor(fit(t, &task.Completion{Train: someRatings(t)}, task.Options{Lambda: 1}).Model); err == nil {
		t.Error("a model of ratings predicts rows")
	}
}

func someRatings(t *testing.T) *dataset.Ratings {
	train, _ := generated(t)
	return train
}

// Where the penalty leaves an intercept alone it is the quantile of the targets, and the scores have the loss without smoothing.
func TestQuantileOfTargets(t *testing.T) {
	x, y := make([][]float64, 41), make([]float64, 41)
	for i := range x {
		x[i], y[i] = []float64{math.Sin(float64(i))}, float64(i*i)
	}
	const quantile = 36 * 36 // 36 targets are below it, 4 above
	var want float64
	for _, y := range y {
		want += math.Max(0.9*(y-quantile), 0.1*(quantile-y)) / float64(len(x))
	}
	r := fitLinear(t, &task.Linear{Kind: task.Regression, Loss: task.Loss{Kind: task.Quantile, Tau: 0.9}, Intercept: true,
		Train: targetsOf(t, x, y...)}, task.Options{Lambda: 1e3, Run: solver.Options{Tol: 1e-9}})
	if r.Result.Status != solver.Converged {
		t.Errorf("ended %s", r.Result.Status)
	}
	first := r.Values.Scores()[0]
	near(t, "the "+first.Name, first.Value, want, 1e-4)
}

// Counts and amounts in two groups: without a penalty the prediction is the mean of each group, the deviance is the score, and 1
// less its part of that of the mean is d2. The model predicts means.
func TestDevianceOfTargets(t *testing.T) {
	x, y := [][]float64{{0}, {0}, {0}, {1}, {1}}, []float64{1, 2, 6, 8, 12}
	const low, high = 3.0, 10.0
	for kind, unit := range map[task.LossKind]func(y, mean float64) float64{
		task.Poisson: func(y, mean float64) float64 { return 2 * (y*math.Log(y/mean) - y + mean) },
		task.Gamma:   func(y, mean float64) float64 { return 2 * (y/mean - 1 - math.Log(y/mean)) },
	} {
		r := fitLinear(t, &task.Linear{Kind: task.Regression, Loss: task.Loss{Kind: kind}, Intercept: true,
			Train: targetsOf(t, x, y...)}, task.Options{Lambda: 1e-9, Run: solver.Options{Tol: 1e-10}})
		var model, constant float64
		for i, v := range y {
			mean := low
			if x[i][0] > 0 {
				mean = high
			}
			model += unit(v, mean) / 5
			constant += unit(v, 5.8) / 5
		}
		name := r.Model.Info.Loss
		near(t, name+" deviance", *r.Values.Deviance, model, 1e-6)
		near(t, name+" d2", *r.Values.D2, 1-model/constant, 1e-6)
		near(t, name+" deviance of the mean", *r.Constant.Deviance, constant, 1e-9)
		if first := r.Values.Scores()[0]; first.Name != "deviance" {
			t.Errorf("%s: λ is chosen by %s", name, first.Name)
		}
		by, err := task.NewPredictor(r.Model)
		if err != nil {
			t.Fatal(err)
		}
		got, err := by.Predict(targetsOf(t, x, y...))
		if err != nil {
			t.Fatal(err)
		}
		near(t, name+" prediction", got.Value(4), high, 1e-5)
		for cells, err := range got.Records().Rows {
			near(t, name+" first record", cells[0].Number, low, 1e-5)
			if err != nil {
				t.Error(err)
			}
			break
		}
	}
	for kind, y := range map[task.LossKind][]float64{task.Poisson: {1, -1}, task.Gamma: {1, 0}} {
		l := task.Linear{Kind: task.Regression, Loss: task.Loss{Kind: kind}, Train: targetsOf(t, unit(2), y...)}
		if _, err := l.Prepare(); err == nil || !strings.Contains(err.Error(), "2: the target") {
			t.Errorf("loss %d: %v", kind, err)
		}
	}
}

// Words of losses are read as they are written, and say what they take.
func TestLossWords(t *testing.T) {
	for _, k := range []task.Kind{task.Classification, task.MultiTask, task.Regression} {
		for _, word := range task.LossWords(k) {
			name, _, _ := strings.Cut(word, "[")
			name, _, _ = strings.Cut(name, " ")
			name = strings.NewReplacer("μ", "0.5", "quantile:τ", "quantile:0.9,2").Replace(name)
			if l, err := task.ParseLoss(k, name); err != nil || l.String() != name {
				t.Errorf("%s: %q is read as %q, %v", k, name, l, err)
			}
		}
	}
	for word, want := range map[string]string{"huber:0": "positive number", "absolute": "absolute:0.1",
		"quantile": "between 0 and 1", "quantile:1": "between 0 and 1", "quantile:0.5,-1": "as in quantile:0.5,0.1",
		"squared:1": "regression has", "": "regression has", "cubed": "regression has"} {
		if _, err := task.ParseLoss(task.Regression, word); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", word, err, want)
		}
	}
}
