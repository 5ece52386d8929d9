package operator_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/operator"
)

// Grams are the products with the data, column by column, of observations less their weighted mean where they are centred. A task
// has no weights, and one no samples.
func TestTaskGramsEqualProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	const n, p, tasks = 90, 5, 4
	_, all := features(t, rng, n, p)
	task, d := make([]int32, n), make([]float64, n)
	for i := range n {
		if task[i] = int32(rng.IntN(tasks - 1)); task[i] != 0 {
			d[i] = rng.Float64()
		}
	}
	for name, x := range all {
		op, err := operator.NewTasks(x, task, tasks)
		if err != nil {
			t.Fatal(err)
		}
		for _, centred := range []bool{false, true} {
			for c, g := range op.Grams(d, centred) {
				for j := range p {
					z := make([]float64, n)
					op.AtomTo(z, 0, &gcg.Atom{Rows: []int32{int32(j)}, Cols: []int32{int32(c)}, Vals: []float64{1}})
					var mean, total float64
					for i := range z {
						if int(task[i]) == c {
							mean += d[i] * z[i]
							total += d[i]
						}
					}
					for i := range z {
						if centred && int(task[i]) == c && total > 0 {
							z[i] -= mean / total
						}
						z[i] *= d[i]
					}
					want := make([]float64, p)
					unit := make([]float64, tasks)
					unit[c] = 1
					op.Adjoint(z).MulTo(want, unit)
					for i, w := range want {
						if math.Abs(g.Row(i)[j]-w) > 1e-12 {
							t.Errorf("%s, task %d, centred %v: entry %d, %d is %g, not %g", name, c, centred, i, j,
								g.Row(i)[j], w)
						}
					}
				}
			}
		}
	}
}

// Of few samples with many features Grams would be larger than the data.
func TestNoGramsOfFewSamples(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	_, all := features(t, rng, 8, 60)
	for name, x := range all {
		op, err := operator.NewTasks(x, []int32{0, 1, 2, 3, 4, 5, 6, 7}, 8)
		if err != nil {
			t.Fatal(err)
		}
		if op.Grams(make([]float64, 8), false) != nil {
			t.Errorf("%s: Gram matrices were formed", name)
		}
	}
}
