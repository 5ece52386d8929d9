package testproblem

import (
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
)

// Tasks is logistic regression of several tasks at W = 0, and the random numbers that come next.
func Tasks(t testing.TB, n, features, tasks int, intercept bool) (*gcg.Problem, *gcg.State, *rand.Rand) {
	rng := rand.New(rand.NewPCG(3, 4))
	x, y, of := make([]float64, n*features), make([]float64, n), make([]int32, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	for i := range y {
		y[i], of[i] = float64(2*rng.IntN(2)-1), int32(i%tasks)
	}
	dense, err := operator.DenseFeatures(n, features, x)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewTasks(dense, of, tasks)
	if err != nil {
		t.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Logistic{Y: y}, Gauge: gauge.Group{}, Penalty: gauge.Linear{Lambda: 1},
		Intercept: intercept}
	s, err := gcg.NewState(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p, s, rng
}
