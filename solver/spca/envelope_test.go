package spca_test

import (
	"context"
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/hybrid"
	"github.com/seed-b18ef778/gcg/solver/spca"
)

// The hybrid method on the problem with the ℓ1 norm by its envelope: its bracket, of the problem itself, holds the optimum after
// every step, and comes near.
func TestHybrid(t *testing.T) {
	const n = 16
	for k, c := range [][]float64{sampled(n, 2*n, 1), paper(n, 3), blocks(n)} {
		for _, part := range []float64{0, 0.1, 0.6} {
			lambda := part * largest(c, n)
			optimum := solve(t, c, n, lambda, 1e-9).State.Cert.Objective
			p, err := spca.Smoothed(c, n, lambda)
			if err != nil {
				t.Fatal(err)
			}
			m := &hybrid.HCGS{}
			if lambda > 0 {
				m.Beta = 2 * math.Sqrt2 / (lambda * n)
			}
			rounding := 1e-8 * math.Abs(optimum)
			r, err := solver.Run(context.Background(), p, m, solver.Options{Tol: 0.05, MaxIter: 3000, Plateau: 3000,
				Start: spca.Single(c, n), Event: func(e solver.Event) {
					if b := e.State.Cert; b.LowerBound > optimum+rounding || b.Objective < optimum-rounding {
						t.Errorf("C %d, λ = %.3g: [%v, %v] after %d steps; the optimum is %v", k, lambda, b.LowerBound,
							b.Objective, e.Iter,
							optimum)
					}
				}})
			if err != nil {
				t.Fatal(err)
			}
			if b := r.State.Cert; b.Objective-optimum > 0.1*math.Abs(optimum) {
				t.Errorf("C %d, λ = %.3g: %s at [%v, %v]; the optimum is %v", k, lambda, r.Status, b.LowerBound,
					b.Objective, optimum)
			}
		}
	}
}
