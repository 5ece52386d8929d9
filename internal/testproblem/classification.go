package testproblem

import (
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
)

// Classification is a classification of rows of features, each of which is the one before it times rho and noise. With an
// intercept features are not about 0.
func Classification(t testing.TB, n, features, classes int, rho float64, intercept bool) *gcg.Problem {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, uint64(classes)))
	x, labels := make([]float64, n*features), make([]int32, n)
	for i := range n {
		labels[i] = int32(i % classes)
		for j := range features {
			x[i*features+j] = rng.NormFloat64()
			if j > 0 {
				x[i*features+j] += rho * x[i*features+j-1]
			}
		}
		x[i*features+i%min(classes, features)] += 2
		if intercept {
			x[i*features] += 3
		}
	}
	f, err := operator.DenseFeatures(n, features, x)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewDesign(f, classes)
	if err != nil {
		t.Fatal(err)
	}
	return &gcg.Problem{Operator: op, Loss: &loss.Softmax{Labels: labels, Classes: classes, Mean: true}, Gauge: gauge.Trace{},
		Penalty: gauge.Linear{Lambda: 0.01}, Intercept: intercept}
}
