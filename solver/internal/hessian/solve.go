package hessian

import (
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// SolveCG is the solution for r, which is overwritten, or nil where the matrix is not positive definite.
func SolveCG(c *linalg.ConjugateGradients, r []float64) []float64 {
	x := make([]float64, len(r))
	if _, ok := c.Solve(x, r); !ok {
		return nil
	}
	return x
}
