package task_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/task"
)

// A table of a hundred rows whose columns have scales of their own: the error rises at first, while the large columns without
// effect come in, and is smallest far down the path. λ is that of the smallest mean error of the folds on all of the path.
func TestLambdaOfFeaturesOfTheirOwnScales(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	draw := func(n int) (x [][]float64, y []float64) {
		for range n {
			row := make([]float64, 8)
			for j := range row {
				row[j] = rng.NormFloat64() * math.Pow(10, float64(j)/2)
			}
			x, y = append(x, row), append(y, 2*row[0]-row[2]/10+0.7*rng.NormFloat64())
		}
		return x, y
	}
	x, y := draw(100)
	testX, testY := draw(400)
	l := &task.Linear{Kind: task.Regression, Intercept: true, Train: targetsOf(t, x, y...), Test: targetsOf(t, testX, testY...)}
	res := fitLinear(t, l, task.Options{})
	if res.Choice.Curve.Folds != 5 || len(res.Choice.Curve.Points) < 40 {
		t.Errorf("%d λ by %d folds, want all 40 by 5", len(res.Choice.Curve.Points), res.Choice.Curve.Folds)
	}
	if r2 := *res.Values.R2; r2 < 0.85 {
		t.Errorf("R² is %.3f at λ = %.4g, and 0.9 can be had", r2, res.Lambda)
	}
	p, err := l.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	curve, err := selection.CrossValidate(context.Background(), p, selection.Options{Points: 40, Ratio: 1e-4})
	if err != nil {
		t.Fatal(err)
	}
	at, err := selection.Min.Select(curve.Points)
	if err != nil {
		t.Fatal(err)
	}
	if want := curve.Points[at].Lambda; math.Abs(res.Lambda-want) > 1e-6*want {
		t.Errorf("chose %.6g, and folds say %.6g", res.Lambda, want)
	}
}
