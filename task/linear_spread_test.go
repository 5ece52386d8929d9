package task_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

// sharedRows are n rows of p features, of which most are 0 where they are sparse, with answers of three outputs that a W of rank
// 2 predicts: classes, numbers of one of three tasks, or three targets.
func sharedRows(kind task.Kind, n, p int, sparse bool) (*dataset.Rows, error) {
	rng := rand.New(rand.NewPCG(7, uint64(kind)))
	w := make([][]float64, p)
	for j := range w {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		w[j] = []float64{a, b, a - b}
		if j%3 > 0 {
			w[j] = make([]float64, 3)
		}
	}
	x, labels, targets, tasks := make([][]float64, n), []string(nil), []float64(nil), []string(nil)
	for i := range x {
		x[i] = make([]float64, p)
		z := []float64{0.5, -0.5, 1}
		for j := range x[i] {
			if sparse && rng.Float64() < 0.8 {
				continue
			}
			x[i][j] = rng.NormFloat64() + 0.3
			for c := range z {
				z[c] += x[i][j] * w[j][c]
			}
		}
		for c := range z {
			z[c] += rng.NormFloat64()
		}
		best := 0
		for c := range z {
			if z[c] > z[best] {
				best = c
			}
		}
		labels, tasks = append(labels, fmt.Sprint("class", best)), append(tasks, fmt.Sprint("task", i%3))
		if targets = append(targets, z...); kind == task.MultiTask {
			targets = append(targets[:i], z[i%3])
		}
	}
	r, err := dataset.NewRows(x)
	if err != nil {
		return nil, err
	}
	switch kind {
	case task.Classification:
		r.Labels = labels
		return r, nil
	case task.MultiTask:
		if err := r.SetTasks(tasks); err != nil {
			return nil, err
		}
	}
	return r, r.SetTargets(targets)
}

// Rows of features over ranks have the same model, to the last bit, on any number of them, and it is the one that one process
// proves: with λ as a part of the largest, and chosen on a part of the rows.
func TestLinearOverRanks(t *testing.T) {
	sharp := solver.Options{Tol: 1e-6}
	for _, c := range []struct {
		name   string
		of     task.Linear
		sparse bool
		opt    task.Options
	}{
		{"classes", task.Linear{Kind: task.Classification, Intercept: true}, false, task.Options{LambdaRatio: 0.1, Run: sharp}},
		{"classes, sparse", task.Linear{Kind: task.Classification}, true, task.Options{LambdaRatio: 0.1, Run: sharp}},
		{"squared hinge", task.Linear{Kind: task.Classification, Loss: task.Loss{Kind: task.SquaredHinge}, Normalize: task.Sum,
			Intercept: true}, false, task.Options{LambdaRatio: 0.1, Run: sharp}},
		{"tasks", task.Linear{Kind: task.MultiTask, Intercept: true}, false, task.Options{LambdaRatio: 0.1, Run: sharp}},
		{"targets", task.Linear{Kind: task.Regression, Gauge: gauge.Trace{}, Intercept: true, Standardize: true}, false,
			task.Options{LambdaRatio: 0.1, Run: sharp}},
		{"huber", task.Linear{Kind: task.Regression, Gauge: gauge.Trace{}, Loss: task.Loss{Kind: task.Huber, Mu: 0.7}}, true,
			task.Options{LambdaRatio: 0.2, Run: sharp}},
		{"l1", task.Linear{Kind: task.Regression, Intercept: true}, false, task.Options{LambdaRatio: 0.05, Run: sharp}},
		{"l1, sparse", task.Linear{Kind: task.MultiTask, Gauge: gauge.L1{}, Intercept: true}, true,
			task.Options{LambdaRatio: 0.1, Run: sharp}},
		{"l1 of classes", task.Linear{Kind: task.Classification, Gauge: gauge.L1{}, Intercept: true}, false,
			task.Options{LambdaRatio: 0.1, Run: sharp}},
		{"groups", task.Linear{Kind: task.Regression, Gauge: gauge.Group{}, Loss: task.Loss{Kind: task.Huber, Mu: 0.5},
			Intercept: true}, false, task.Options{LambdaRatio: 0.1, Run: sharp}},
		{"groups of classes", task.Linear{Kind: task.Classification, Gauge: gauge.Group{}}, true,
			task.Options{LambdaRatio: 0.1, Run: sharp}},
		{"chosen l1", task.Linear{Kind: task.Regression, Intercept: true, Split: 0.8}, false, task.Options{}},
		{"chosen", task.Linear{Kind: task.Classification, Intercept: true, Split: 0.8}, false, task.Options{}},
		{"folds", task.Linear{Kind: task.MultiTask, Standardize: true, Split: 0.8}, false, task.Options{Folds: 3}},
		{"filled", task.Linear{Kind: task.Regression, Missing: task.FillMean, Standardize: true, Intercept: true, Split: 0.8}, false,
			task.Options{}},
		{"weighed", task.Linear{Kind: task.Classification, Intercept: true, Standardize: true}, true, task.Options{Folds: 3}},
		{"few to test", task.Linear{Kind: task.MultiTask, Intercept: true, AutoStandardize: true, Split: 0.99}, false,
			task.Options{LambdaRatio: 0.1, Run: sharp}},
	} {
		t.Run(c.name, func(t *testing.T) { linearOverRanks(t, c.of, c.sparse, c.opt) })
	}
}

// linearOverRanks is TestLinearOverRanks of one task.
func linearOverRanks(t *testing.T, of task.Linear, sparse bool, opt task.Options) {
	t.Helper()
	fit := func(ranks *cluster.Comm) (*task.LinearResult, error) {
		l := of
		l.Ranks = ranks
		var err error
		if l.Train, err = sharedRows(l.Kind, 240, 12, sparse); err != nil {
			return nil, err
		}
		for e := 5; l.Missing == task.FillMean && e < 1000; e += 7 {
			l.Train.X.Dense[e] = math.NaN()
		}
		for i := 0; l.Standardize && sparse && i < 240; i++ {
			l.Train.Weights = append(l.Train.Weights, float64(i%3))
		}
		return l.Fit(t.Context(), opt)
	}
	one, err := fit(nil)
	if err != nil || one.Result.Status != solver.Converged {
		t.Fatal(one, err)
	}
	var mutex sync.Mutex
	var want string
	var cert gcg.Certificate
	for _, ranks := range []int{1, 2, 4} {
		err := cluster.InProcess(ranks, func(c *cluster.Comm) error {
			r, err := fit(c)
			if err != nil {
				return err
			}
			var file bytes.Buffer
			if err := r.Model.Write(&file); err != nil {
				return err
			}
			scores, err := json.Marshal([]any{r.Values, r.Classes, r.Constant})
			if err != nil {
				return err
			}
			text := fmt.Sprint(r.Result.Status, r.Lambda, r.Warnings, string(scores)) + file.String()
			mutex.Lock()
			defer mutex.Unlock()
			if want == "" {
				want, cert = text, r.Result.State.Cert
			}
			if !of.Standardize && r.Model.Info.Checksum != one.Model.Info.Checksum {
				return fmt.Errorf("%d ranks have the checksum %s, not %s", ranks, r.Model.Info.Checksum, one.Model.Info.Checksum)
			}
			if text != want || !strings.HasPrefix(text, "converged") {
				return fmt.Errorf("%d ranks fit another model: %v", ranks, r.Result.State.Cert)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	a, b := cert, one.Result.State.Cert
	if opt.LambdaRatio > 0 && math.Max(a.LowerBound, b.LowerBound) > math.Min(a.Objective, b.Objective)*(1+1e-9) {
		t.Errorf("ranks: %+v, one process: %+v", a, b)
	}
}
