package testproblem

import (
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
)

// Classes is multinomial logistic regression on correlated features, dense or sparse.
func Classes(t testing.TB, n, features, classes int, sparse bool) *gcg.Problem {
	rng := rand.New(rand.NewPCG(5, 6))
	x, labels := make([]float64, n*features), make([]int32, n)
	var ptr []int64
	var index []int32
	var values []float64
	for i := range n {
		ptr = append(ptr, int64(len(index)))
		common := rng.NormFloat64()
		for j := range features {
			v := rng.NormFloat64() + common
			x[i*features+j] = v
			if j%3 == i%3 {
				index, values = append(index, int32(j)), append(values, v)
			}
		}
		labels[i] = int32(rng.IntN(classes))
		if v := x[i*features]; v > 0 {
			labels[i] = int32(v) % int32(classes)
		}
	}
	f, err := operator.DenseFeatures(n, features, x)
	if sparse {
		f, err = operator.SparseFeatures(n, features, append(ptr, int64(len(index))), index, values)
	}
	if err != nil {
		t.Fatal(err)
	}
	return ClassesOf(t, f, labels, classes)
}

// ClassesOf is multinomial logistic regression on the features.
func ClassesOf(t testing.TB, f *operator.Features, labels []int32, classes int) *gcg.Problem {
	t.Helper()
	op, err := operator.NewDesign(f, classes)
	if err != nil {
		t.Fatal(err)
	}
	return &gcg.Problem{Operator: op, Loss: &loss.Softmax{Labels: labels, Classes: classes, Mean: true}, Gauge: gauge.Group{},
		Penalty: gauge.Linear{Lambda: 1}}
}
