package solver_test

import (
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
// proves: no solver knows of ranks.
func TestRunOverRanks(t *testing.T) {
	const m, n = 220, 90
	ptr, cols, y := lowRankEntries(m, n)
	run := func(op gcg.Squares) (*solver.Result, error) {
		p := &gcg.Problem{Operator: op, Loss: op, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 12}}
		method, improver, _ := solver.For(p)
		return solver.Run(t.Context(), p, method, solver.Options{Tol: 1e-7, Improver: improver})
	}
	q, err := operator.NewSquares(m, n, ptr, slices.Clone(cols), slices.Clone(y), false)
	if err != nil {
		t.Fatal(err)
	}
	one, err := run(q)
	if err != nil || one.Status != solver.Converged {
		t.Fatal(one, err)
	}
	counts := make([]int64, m)
	for i := range counts {
		counts[i] = ptr[i+1] - ptr[i]
	}
	var first *solver.Result
	var mutex sync.Mutex
	for _, ranks := range []int{1, 2, 4, 7} {
		err := cluster.InProcess(ranks, func(c *cluster.Comm) error {
			rows, err := cluster.Spread(c, counts)
			if err != nil {
				return err
			}
			lo, hi := rows.OwnRows()
			own := make([]int64, m+1)
			for i := range m {
				own[i+1] = min(max(ptr[i+1], ptr[lo]), ptr[hi]) - ptr[lo]
			}
			s, err := operator.NewSpreadSquares(rows, n, own, slices.Clone(cols[ptr[lo]:ptr[hi]]), slices.Clone(y[ptr[lo]:ptr[hi]]),
				false)
			if err != nil {
				return err
			}
			r, err := run(s)
			if err != nil {
				return err
			}
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
