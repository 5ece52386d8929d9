package als_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/allcells"
	"github.com/seed-b18ef778/gcg/internal/baseline/als"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
)

// clicks are those of people who like one of a few kinds of items, and a few more.
func clicks(t *testing.T, m, n int, scaled bool) *gcg.Problem {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 5))
	ptr := make([]int64, m+1)
	var cols []int32
	var a []float64
	for i := range m {
		for j := range n {
			share := 0.03
			if i%4 == j%4 {
				share = 0.3
			}
			if rng.Float64() < share {
				cols, a = append(cols, int32(j)), append(a, 2+3*rng.Float64())
			}
		}
		ptr[i+1] = int64(len(cols))
	}
	c, err := allcells.New(m, n, ptr, cols, a, 1)
	if err != nil {
		t.Fatal(err)
	}
	if scaled {
		own, at := make([]float64, m), make([]float64, n)
		for _, x := range [][]float64{own, at} {
			for i := range x {
				x[i] = 0.8 + 0.4*rng.Float64()
			}
		}
		if c, err = c.Scaled(own, at); err != nil {
			t.Fatal(err)
		}
	}
	return &gcg.Problem{Operator: c, Loss: c, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 8}}
}

// Iterations that have converged, at more columns than the optimum has, come to the objective of the solvers: one of the rare
// places where factors that are not convex are certified.
func TestComesToTheOptimum(t *testing.T) {
	const tol = 1e-5
	for _, scaled := range []bool{false, true} {
		p := clicks(t, 60, 50, scaled)
		method, improver, _ := solver.For(p)
		want, err := solver.Run(context.Background(), p, method, solver.Options{Improver: improver, Tol: tol})
		if err != nil || want.State.Cert.Relative > tol {
			t.Fatalf("%v, %v", want.Status, err)
		}
		rank := want.State.W.Rank()
		if rank < 2 || rank > 40 {
			t.Fatalf("rank %d is no test", rank)
		}
		got, err := solver.Run(context.Background(), p, &als.Method{Rank: rank + 2}, solver.Options{Tol: tol, MaxIter: 3000})
		if err != nil {
			t.Fatal(err)
		}
		f, best := got.State.Objective(p), want.State.Objective(p)
		if f < want.State.Cert.LowerBound-1e-9*best || math.Abs(f-best) > 2*tol*best || got.State.Cert.Relative > 3*tol {
			t.Errorf("scaled %v: objective %v with a gap of %v after %d iterations, want %v", scaled, f, got.State.Cert.Relative,
				got.Iter, best)
		}
	}
}

func TestRefuses(t *testing.T) {
	p := clicks(t, 8, 6, false)
	ball := *p
	ball.Penalty = gauge.Ball{Zeta: 1}
	sparse := *p
	sparse.Gauge = gauge.L1{}
	plain := *p
	op, err := operator.NewIdentity(8, 6)
	if err != nil {
		t.Fatal(err)
	}
	plain.Operator, plain.Loss = op, &loss.Squared{Y: make([]float64, 48), Omega: make([]float64, 48)}
	for name, c := range map[string]struct {
		p    *gcg.Problem
		rank int
	}{"no rank": {p, -1}, "a ball": {&ball, 2}, "another gauge": {&sparse, 2}, "weights": {&plain, 2}} {
		if err := (&als.Method{Rank: c.rank}).Init(c.p, &gcg.State{W: &gcg.Iterate{M: 8, N: 6}}, gcg.Settings{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
