package hessian_test

import (
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// The second derivatives of multinomial logistic loss on a support, as Newton steps under l1 and groups form them. "GF/s" is of
// the flops that each way cannot avoid, for n rows, m features, C classes and t entries: nm²C²/2 by pairs of features and of
// classes, nt² by class, and s² for a row of s entries by rows, which are added one by one. On a Xeon core at a third of its
// speed, for what else ran there,
//
//	go test -run '^$' -bench SecondDerivatives -cpu 1 ./solver/hessian
//
// gave 9 and 11 by pairs, 6 and 7 by class, where numbers are scaled and packed for 10 to 20 flops each, and 0.10 by rows.
func BenchmarkSecondDerivatives(b *testing.B) {
	for _, c := range []struct {
		name                 string
		n, features, classes int
		every                int // of the entries that may be in the support
		sparse               int // a row has one feature of so many; 0 for a dense design
	}{
		{"pairs/20000x16x26", 20000, 16, 26, 1, 0},
		{"pairs/2000x216x10", 2000, 216, 10, 1, 0},
		{"classes/2000x216x10", 2000, 216, 10, 10, 0},
		{"classes/1000x250x100", 1000, 250, 100, 10, 0},
		{"rows/5000x2000x10", 5000, 2000, 10, 10, 50},
	} {
		b.Run(c.name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(3, 4))
			p := randomClasses(b, rng, c.n, c.features, c.classes, c.sparse)
			s, err := gcg.NewState(p, nil)
			if err != nil {
				b.Fatal(err)
			}
			var rows, cols []int32
			for e := range c.features * c.classes {
				if rng.IntN(c.every) == 0 {
					rows, cols = append(rows, int32(e/c.classes)), append(cols, int32(e%c.classes))
				}
			}
			columns := p.Operator.(view.ColumnOperator).Columns(rows, cols)
			flops := float64(c.n) * float64(len(columns)) * float64(len(columns))
			if c.every == 1 {
				flops /= 2
			}
			if c.sparse > 0 {
				flops = meetingPairs(columns, c.n, c.classes)
			}
			for b.Loop() {
				hessian.NewParts(view.Of(p), s, columns).From(view.Of(p), s, columns).Complete(0)
			}
			b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GF/s")
		})
	}
}

// randomClasses is multinomial logistic regression on Gaussian features.
func randomClasses(b *testing.B, rng *rand.Rand, n, features, classes, sparse int) *gcg.Problem {
	var x []float64
	var index []int32
	ptr := []int64{0}
	labels := make([]int32, n)
	for i := range labels {
		labels[i] = int32(rng.IntN(classes))
		for j := range features {
			if sparse == 0 || rng.IntN(sparse) == 0 {
				x, index = append(x, rng.NormFloat64()), append(index, int32(j))
			}
		}
		ptr = append(ptr, int64(len(index)))
	}
	f, err := operator.DenseFeatures(n, features, x)
	if sparse > 0 {
		f, err = operator.SparseFeatures(n, features, ptr, index, x)
	}
	if err != nil {
		b.Fatal(err)
	}
	return testproblem.ClassesOf(b, f, labels, classes)
}

// meetingPairs is the sum of s² over rows of s entries.
func meetingPairs(columns []gcg.Column, rows, stride int) (sum float64) {
	count := make([]float64, rows)
	for i := range columns {
		for t := range columns[i].Values {
			count[columns[i].At(t)/stride]++
		}
	}
	for _, s := range count {
		sum += s * s
	}
	return sum
}
