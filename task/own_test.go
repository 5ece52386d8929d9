package task_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

// A loss of one's own has the optimum of the same one by its name, and its mean is the score that chooses λ.
func TestOwnLoss(t *testing.T) {
	own := func(y, omega []float64) gcg.Loss { return &loss.Huber{Y: y, Mu: 0.3, Omega: omega} }
	train, test := ratingsAgain(t, 1, false), ratingsAgain(t, 2, false)
	opt := task.Options{Lambda: 2, Run: solver.Options{Tol: 1e-8}}
	named := &task.Completion{Train: train, Loss: task.Loss{Kind: task.Huber, Mu: 0.3}, Center: dataset.NoCentre,
		Weights: task.Weights{Rule: task.NoWeights}}
	c := &task.Completion{Train: train, Own: own, Weights: task.Weights{Rule: task.NoWeights}}
	want, got := fit(t, named, opt), fit(t, c, opt)
	f, g := got.Result.State.Cert.Objective, want.Result.State.Cert.Objective
	near(t, "the objective", f, g, 1e-7*g)
	near(t, "the score", got.Scores.Scores().First(), got.Result.State.Loss/float64(train.Len()), 1e-9)
	c.Test = test
	chosen, err := c.Fit(context.Background(), task.Options{Points: 6})
	if err != nil {
		t.Fatal(err)
	}
	z := make([]float64, len(test.Values))
	for e := range z {
		z[e] = chosen.Model.PredictID(test.RowIDs.Text(int(test.Rows[e])), test.ColIDs.Text(int(test.Cols[e])))
	}
	near(t, "the loss of the test", *chosen.Scores.Own, own(test.Values, nil).Eval(0, z, nil)/float64(len(z)), 1e-12)
	if chosen.Choice == nil || chosen.Choice.Curve.Points[0].Scores[0].Name != "loss" || math.IsInf(chosen.Lambda, 0) {
		t.Errorf("λ was chosen by %+v", chosen.Choice)
	}
	for what, wrong := range map[string]task.Completion{"Loss": {Own: own, Loss: task.Loss{Kind: task.Huber}},
		"Center": {Own: own, Center: dataset.GlobalMean}, "Float32": {Own: own, Float32: true},
		"of 0 observations": {Own: func([]float64, []float64) gcg.Loss { return &loss.Huber{Mu: 1} }}} {
		wrong.Train = train
		if _, err := wrong.Fit(context.Background(), opt); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
