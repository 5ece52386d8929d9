package solver_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
)

// lowRankEntries are noisy entries of a matrix of rank 3 by rows.
func lowRankEntries(m, n int) (ptr []int64, cols []int32, y []float64) {
	rng := rand.New(rand.NewPCG(4, 4))
	u, v := make([]float64, 3*m), make([]float64, 3*n)
	for _, x := range [][]float64{u, v} {
		for i := range x {
			x[i] = rng.NormFloat64()
		}
	}
	ptr = make([]int64, m+1)
	for i := range m {
		for j := range n {
			if rng.Float64() < 0.3 {
				cols = append(cols, int32(j))
				y = append(y, u[3*i]*v[3*j]+u[3*i+1]*v[3*j+1]+u[3*i+2]*v[3*j+2]+0.3*rng.NormFloat64())
			}
		}
		ptr[i+1] = int64(len(cols))
	}
	return ptr, cols, y
}

// A run over ranks takes the same steps to the last bit, however many there are, and comes to the optimum that one process
// proves: no solver knows of ranks. G is decomposed whole on the first shape, cut by the spaces of W on the second, and turned
// on the third; a rank of 24 and more has the steps in factors and in the core.
func TestRunOverRanks(t *testing.T) {
	for _, c := range []struct {
		m, n   int
		lambda float64
	}{{220, 90, 12}, {330, 290, 18}, {280, 310, 8}} {
		t.Run(fmt.Sprint(c.m, "x", c.n), func(t *testing.T) { runOverRanks(t, c.m, c.n, c.lambda) })
	}
}

// runOverRanks is TestRunOverRanks of one shape.
func runOverRanks(t *testing.T, m, n int, lambda float64) {
	t.Helper()
	ptr, cols, y := lowRankEntries(m, n)
	run := func(op gcg.Squares) (*solver.Result, error) {
		p := &gcg.Problem{Operator: op, Loss: op, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: lambda}}
		method, improver, _ := solver.For(p)
		return solver.Run(t.Context(), p, method, solver.Options{Tol: 1e-6, Improver: improver})
	}
	q, err := operator.NewSquares(m, n, ptr, slices.Clone(cols), slices.Clone(y), false)
	if err != nil {
		t.Fatal(err)
	}
	one, err := run(q)
	if err != nil || one.Status != solver.Converged {
		t.Fatal(one, err)
	}
	var first *solver.Result
	var mutex sync.Mutex
	for _, ranks := range []int{1, 2, 4, 7} {
		err := cluster.InProcess(ranks, func(c *cluster.Comm) error {
			s, err := spreadSquares(c, n, ptr, cols, y)
			if err != nil {
				return err
			}
			r, err := run(s)
			if err != nil {
				return err
			}
			if hi := r.State.W.U.Rows; c.Size() > 1 && hi > (m+1)/2+m/4 {
				return fmt.Errorf("a rank of %d has %d of %d rows", c.Size(), hi, m)
			}
			r.State.W = r.State.W.Whole()
			mutex.Lock()
			defer mutex.Unlock()
			if first == nil {
				first = r
			}
			if r.State.Cert != first.State.Cert || r.Iter != first.Iter || !slices.Equal(r.State.W.U.Data, first.State.W.U.Data) ||
				!slices.Equal(r.State.W.V.Data, first.State.W.V.Data) {
				return fmt.Errorf("%v, not %v", r.State.Cert, first.State.Cert)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%d ranks: %v", ranks, err)
		}
	}
	a, b := first.State.Cert, one.State.Cert
	if first.Status != solver.Converged || math.Max(a.LowerBound, b.LowerBound) > math.Min(a.Objective, b.Objective)*(1+1e-12) {
		t.Errorf("ranks: %v %+v, one process: %+v", first.Status, a, b)
	}
}

// spreadSquares are the entries of the rows of one rank.
func spreadSquares(c *cluster.Comm, n int, ptr []int64, cols []int32, y []float64) (*operator.SpreadSquares[float64], error) {
	counts := make([]int64, len(ptr)-1)
	for i := range counts {
		counts[i] = ptr[i+1] - ptr[i]
	}
	rows, err := cluster.Spread(c, counts)
	if err != nil {
		return nil, err
	}
	lo, hi := rows.OwnRows()
	own := make([]int64, len(ptr))
	for i := range counts {
		own[i+1] = min(max(ptr[i+1], ptr[lo]), ptr[hi]) - ptr[lo]
	}
	return operator.NewSpreadSquares(rows, n, own, slices.Clone(cols[ptr[lo]:ptr[hi]]), slices.Clone(y[ptr[lo]:ptr[hi]]), false)
}

// What is made of factors whose rows ranks share is the same on any number of ranks, and but for rounding that of one process.
func TestSharedFactors(t *testing.T) {
	const m, n, k = 300, 70, 9
	rng := rand.New(rand.NewPCG(7, 7))
	u, v := gcg.NewFactor(m, k), gcg.NewFactor(n, k)
	for _, f := range []*gcg.Factor{u, v} {
		for i := range f.Rows {
			for c := range k {
				f.Row(i)[c] = rng.NormFloat64()
			}
		}
	}
	want := factorAlgebra(u, v)
	var first []float64
	var mutex sync.Mutex
	for _, ranks := range []int{1, 2, 3, 8} {
		err := cluster.InProcess(ranks, func(c *cluster.Comm) error {
			rows, err := cluster.Spread(c, slices.Repeat([]int64{0, 1, 2, 3, 4}, m/5))
			if err != nil {
				return err
			}
			got := factorAlgebra(u.SharedBy(rows), v.SharedBy(rows.Beside(n)))
			mutex.Lock()
			defer mutex.Unlock()
			if first == nil {
				first = got
			}
			if !slices.Equal(got, first) {
				return errors.New("not the bits of one rank")
			}
			return nil
		})
		if err != nil {
			t.Errorf("%d ranks: %v", ranks, err)
		}
	}
	for i, x := range want {
		if !(math.Abs(x-first[i]) <= 1e-6*math.Abs(x)+1e-9) {
			t.Fatalf("number %d is %v, of one process %v", i, first[i], x)
		}
	}
}

// factorAlgebra has numbers of what solvers make of factors.
func factorAlgebra(u, v *gcg.Factor) []float64 {
	p, s, _ := gcg.SVD(u, v, 1e-14)
	w := u.Clone()
	w.Project(p)
	b, _ := gcg.Orthonormal(gcg.Beside(u, p), 1e-8)
	huge := u.Clone()
	huge.Scale(1e200)
	x := gcg.Like[float32](v, 3)
	x.AddScaled(1, gcg.FactorIn[float32](v.Widen(3)))
	signs := make([]float64, p.Stride) // of singular vectors are free
	copy(signs, p.Whole().Row(0))
	p.ScaleColumns(signs)
	return slices.Concat(s, u.ColumnNorms(), w.ColumnNorms(), huge.ColumnNorms(), p.Whole().Data,
		[]float64{u.SpectralNorm(), huge.SpectralNorm(), float64(b.K), x.Dot(x)})
}
