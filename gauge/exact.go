package gauge

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/spectral"
)

// ExactLimit is the shorter side up to which a proven bound is computed: its Gram matrix takes 8·n² bytes.
const ExactLimit = 20000

// provenBound is a τ ≥ σ₁(G): a Cholesky factorization proves that τ²I - GᵀG is positive definite. It is sought from just
// above the estimate on, to the relative tolerance tol. What rounding could hide is taken off the diagonal first:
// (n+2)·ε·trace for the factorization [Rump 2006, Theorem 2.3], and m·ε·trace for GᵀG, whose entries are sums of up to m
// terms.
func provenBound(ctx context.Context, g gcg.Map, estimate, tol float64) (float64, error) {
	m, n := g.Dims()
	if n > m {
		g, n = gcg.Transposed(g), m
	}
	if err := provable(n); err != nil {
		return 0, err
	}
	gram, err := gramOf(ctx, g, n)
	if err != nil {
		return 0, err
	}
	trace := gram.Trace()
	if trace == 0 {
		return 0, nil
	}
	lost := spectral.GramRounding(g, trace)
	proves := func(tau float64) bool { return gram.ShiftedNegative(tau*tau - lost).CholeskyIn(ctx) }
	frobenius := math.Sqrt(trace + lost)
	step := math.Max(estimate*tol/16, rounding.Product*frobenius)
	return spectral.LeastProven(ctx, proves, estimate, step, estimate*tol, frobenius)
}

// provable refuses a shorter side beyond ExactLimit.
func provable(n int) error {
	if n > ExactLimit {
		return fmt.Errorf("gauge: an exact certificate needs a dense %d×%d matrix; the limit is %d, use the probable one", n, n,
			ExactLimit)
	}
	return nil
}

// gramOf is the lower triangle of GᵀG (n×n), by products with panels of the identity.
func gramOf(ctx context.Context, g gcg.Map, n int) (*linalg.Lower, error) {
	m, _ := g.Dims()
	gram := linalg.NewLower(n)
	for lo := 0; lo < n; lo += linalg.PanelWidth {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w := min(linalg.PanelWidth, n-lo)
		eye, ge, gge := gcg.NewFactor(n, w), gcg.NewFactor(m, w), gcg.NewFactor(n, w)
		for j := range w {
			eye.Row(lo + j)[j] = 1
		}
		gcg.MulBlock(g, ge, eye)
		gcg.TMulBlock(g, gge, ge)
		for i := lo; i < n; i++ {
			copy(gram.Row(i, lo), gge.Row(i))
		}
	}
	return gram, nil
}
