package dspca_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg/internal/baseline/dspca"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/spca"
)

// covariance is that of 2n normal rows with a spike on a quarter of the variables.
func covariance(n int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	c := make([]float64, n*n)
	x := make([]float64, n)
	for range 2 * n {
		spike := 2 * rng.NormFloat64()
		for j := range x {
			x[j] = rng.NormFloat64()
			if j < n/4 {
				x[j] += spike
			}
		}
		for i := range x {
			for j := range x {
				c[i*n+j] += x[i] * x[j] / float64(2*n)
			}
		}
	}
	return c
}

// Both solvers come to one optimum: the brackets meet.
func TestAgainstSplitting(t *testing.T) {
	for _, n := range []int{10, 24} {
		for _, lambda := range []float64{0.2, 1, 2} {
			c := covariance(n, 5)
			m := &dspca.Method{}
			p, start, err := m.Problem(c, n, lambda)
			if err != nil {
				t.Fatal(err)
			}
			r, err := solver.Run(context.Background(), p, m, solver.Options{Tol: 3e-3, Start: start, MaxIter: 20000})
			if err != nil {
				t.Fatal(err)
			}
			fast, err := spca.New(c, n, lambda)
			if err != nil {
				t.Fatal(err)
			}
			want, err := solver.Run(context.Background(), fast.Problem(), fast, solver.Options{Tol: 1e-7, Start: fast.Start(),
				Plateau: 500})
			if err != nil {
				t.Fatal(err)
			}
			f := want.State.Cert.Objective
			if cert := r.State.Cert; r.Status != solver.Converged || cert.LowerBound > f+1e-6*math.Abs(f) ||
				cert.Objective < f-1e-6*math.Abs(f) {
				t.Errorf("n = %d, λ = %v: %v in [%v, %v] after %d steps, and the optimum is %v", n, lambda, r.Status, cert.LowerBound,
					cert.Objective, r.Iter, f)
			}
		}
	}
}
