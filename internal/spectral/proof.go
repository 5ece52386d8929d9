package spectral

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/roots"
	"github.com/seed-b18ef778/gcg/internal/rounding"
)

// LeastProven is a tau for which proves is true, within width of the least one. The first try is low + step; the step is
// widened by 8 until a proof succeeds, and then the interval is bisected. limit is a bound that needs no proof.
func LeastProven(ctx context.Context, proves func(tau float64) bool, low, step, width, limit float64) (float64, error) {
	lo, hi := low, low+step
	for hi < limit && !proves(hi) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		step *= 8
		lo, hi = hi, low+step
	}
	if !(hi < limit) {
		return limit, nil
	}
	width = math.Max(width, rounding.Product*math.Abs(hi))
	_, hi = roots.Bisect(lo, hi, width, func(tau float64) bool { return ctx.Err() != nil || !proves(tau) })
	return hi, nil
}

// DenseNorm is a τ ≥ σ₁(X) of a row-major m×n X: a Cholesky factorization proves that τ²I - XᵀX is positive definite, on the
// shorter side. It is sought from just above the estimate on, to the relative tolerance tol; one factorization does where the
// estimate is no less than σ₁. What rounding could hide is taken off the diagonal first. Where ctx ends the bound is ‖X‖_F.
func DenseNorm(ctx context.Context, x []float64, m, n int, estimate, tol float64) float64 {
	scale := linalg.MaxAbs(x[:m*n])
	if scale == 0 {
		return 0
	}
	gram, side := unitGram(x, m, n, scale)
	trace := gram.Trace()
	lost := float64(m+n+2) * 4 * linalg.Epsilon * trace
	proves := func(tau float64) bool { return gram.ShiftedNegative(tau*tau - lost).CholeskyIn(ctx) }
	frobenius := math.Sqrt(trace + float64(side)*lost)
	estimate = math.Min(estimate/scale, frobenius)
	step := math.Max(estimate*tol/Tries, rounding.Product*frobenius)
	tau, err := LeastProven(ctx, proves, estimate, step, estimate*tol, frobenius)
	if err != nil {
		return scale * frobenius
	}
	return scale * tau
}

// Tries is the tolerance over the part by which the first proof is above the estimate: what is added to a bound that holds at
// once.
const Tries = 16

// unitGram is the Gram matrix of X/scale on the shorter side.
func unitGram(x []float64, m, n int, scale float64) (l *linalg.Lower, side int) {
	unit := memory.Borrow[float64](m * n)
	defer memory.Repay(unit)
	for i, v := range x[:m*n] {
		unit[i] = v / scale
	}
	side = min(m, n)
	g := memory.Borrow[float64](side * side)
	defer memory.Repay(g)
	clear(g)
	if m <= n {
		kernel.GramNT(g, unit, m, n)
	} else {
		kernel.Gram(g, unit, m, n)
	}
	return lowerRows(g, side), side
}

// lowerRows copies the lower triangle of a row-major n×n matrix.
func lowerRows(g []float64, n int) *linalg.Lower {
	l := linalg.NewLower(n)
	for i := range n {
		for lo := 0; lo <= i; lo += linalg.PanelWidth {
			copy(l.Row(i, lo), g[i*n+lo:i*n+min(lo+linalg.PanelWidth, i+1)])
		}
	}
	return l
}

// DenseEigenvalue is a τ ≥ λ₁(S) of a row-major symmetric n×n S, as DenseNorm is of a norm. It may be negative.
func DenseEigenvalue(ctx context.Context, s []float64, n int, estimate, tol float64) float64 {
	var diagonal, radius float64 // Σ|S_ii|, and the largest row sum Σ_j|S_ij|, which bounds λ₁ by Gershgorin's theorem
	for i := range n {
		var row float64
		for _, x := range s[i*n : (i+1)*n] {
			row += math.Abs(x)
		}
		diagonal, radius = diagonal+math.Abs(s[i*n+i]), math.Max(radius, row)
	}
	if radius == 0 {
		return 0
	}
	radius *= 1 + float64(n)*linalg.Epsilon
	lower := lowerRows(s, n)
	proves := func(tau float64) bool {
		lost := float64(n+2) * 4 * linalg.Epsilon * (float64(n)*math.Abs(tau) + diagonal)
		return lower.ShiftedNegative(tau - lost).CholeskyIn(ctx)
	}
	width := math.Abs(estimate) * tol
	step := math.Max(width/Tries, rounding.Product*radius)
	tau, err := LeastProven(ctx, proves, math.Min(estimate, radius), step, width, radius)
	if err != nil {
		return radius
	}
	return tau
}
