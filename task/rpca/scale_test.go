package rpca_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/rpca"
	"gonum.org/v1/gonum/mat"
)

// drawn is a small random task: of some rank, with noise, large entries, missing ones, and numbers of any size.
func drawn(seed uint64) (*rpca.Task, float64) {
	rng := rand.New(rand.NewPCG(seed, 46))
	m, n, rank, part, scale := 1+rng.IntN(12), 1+rng.IntN(9), 1+rng.IntN(3), 1.0, math.Pow(10, 4*rng.Float64()-2)
	equal := seed%3 == 2
	if equal {
		scale = math.Pow(10, 580*rng.Float64()-290)
	}
	if seed%2 == 0 {
		part = 0.3 + 0.6*rng.Float64()
	}
	tk := &rpca.Task{Name: "D", Rows: m, Cols: n, Ptr: []int64{0}, Equal: equal}
	u, v := mat.NewDense(m, rank, nil), mat.NewDense(n, rank, nil)
	for _, x := range [][]float64{u.RawMatrix().Data, v.RawMatrix().Data} {
		for i := range x {
			x[i] = rng.NormFloat64()
		}
	}
	for i := range m {
		for j := range n {
			x := mat.Dot(u.RowView(i), v.RowView(j)) + 0.1*rng.NormFloat64()
			if rng.Float64() < 0.1 {
				x += 5 * rng.NormFloat64()
			}
			if rng.Float64() < part || len(tk.Values) == 0 {
				tk.Index, tk.Values = append(tk.Index, int32(j)), append(tk.Values, scale*x)
			}
		}
		tk.Ptr = append(tk.Ptr, int64(len(tk.Values)))
	}
	lambda := math.Pow(10, 6*rng.Float64()-5)
	if equal {
		lambda = 1
	}
	tk.L1 = lambda * math.Pow(10, 4*rng.Float64()-2.5)
	if !equal {
		lambda, tk.L1 = lambda*scale, tk.L1*scale
	}
	return tk, lambda
}

// Matrices of any size close, whatever λ and λ₁ are beside them: splitting by itself takes a weight that suits a Huber loss far
// narrower than its targets, and units in which squares are in range. The objective is what both parts cost, by a decomposition
// of gonum's.
func TestAnyScaleCloses(t *testing.T) {
	two := &rpca.Task{Name: "D", Rows: 2, Cols: 2, Values: []float64{4, 1, 1, 3}, L1: 0.006}
	for seed := range uint64(90) {
		tk, lambda := drawn(seed)
		if seed == 0 {
			tk, lambda = two, 0.004
		}
		run := solver.Options{Tol: 1e-6, MaxIter: 1000, Plateau: 1000}
		res, err := tk.Fit(context.Background(), task.Options{Lambda: lambda, Run: run})
		if err != nil {
			t.Fatal(err)
		}
		c := res.Result.State.Cert
		if res.Result.Status != solver.Converged {
			t.Errorf("task %d, λ = %v, λ₁ = %v, of %v: %s after %d, gap %v", seed, lambda, tk.L1, linalg.MaxAbs(tk.Values),
				res.Result.Status, res.Result.Iter, c.Relative)
		}
		unit := linalg.MaxAbs(tk.Values)
		l := mat.NewDense(tk.Rows, tk.Cols, nil)
		for i, x := range res.Parts.LowRank {
			l.Set(i/tk.Cols, i%tk.Cols, x/unit)
		}
		var svd mat.SVD
		svd.Factorize(l, mat.SVDNone)
		cost := tk.L1 * res.Parts.Norm
		for _, s := range svd.Values(nil) {
			cost += lambda * unit * s
		}
		if !tk.Equal {
			cost += res.Parts.Residual * res.Parts.Residual / 2
		}
		if math.Abs(cost-c.Objective) > 1e-7*c.Objective {
			t.Errorf("task %d: both parts cost %v, and the objective is %v", seed, cost, c.Objective)
		}
	}
}
