package operator

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// A ridgeBatch is the regressions of all rows x_i of x, solved at once. Each minimises half the sum of squares of the row's
// residuals plus ridge/2 ‖x_i‖². It works on mul_i x_i, for which the ridge is ridge/mul_i².
type ridgeBatch struct {
	x        *gcg.Factor32
	mul      []float64 // the scale of each row, or nil for 1
	counts   []float64 // the number of observations of each row
	mean     []float32 // mean squares of the other factor's columns: the preconditioner of row i is diag(ridge + counts_i·mean)
	ridge    float64
	residual func(g *gcg.Factor32) (square float64) // adds the negative gradient of half the sum of squares to g, and returns the sum
	normal   func(h, d *gcg.Factor32)               // adds the Hessian of half the sum of squares, times d, to h
}

// solve takes so many conjugate gradient steps on every row of x, all rows at once. It returns the sum of squares of the
// residuals at the start, and what the steps gain.
func (b *ridgeBatch) solve(steps int) (square, gain float64) {
	scaleRows(b.x, b.mul)
	rows, k := b.x.Rows, b.x.Stride
	g, d, h := gcg.NewFactorOf[float32](rows, b.x.K), gcg.Room[float32](rows, b.x.K), gcg.Room[float32](rows, b.x.K)
	defer gcg.Repay(g, d, h)
	numbers := make([]float32, 3*rows)
	counts, ridge, old := numbers[:rows], numbers[rows:2*rows], numbers[2*rows:]
	for i := range ridge {
		counts[i], ridge[i] = float32(b.counts[i]), scaledRidge(b.ridge, b.mul, i)
	}
	square = b.residual(g)
	b.rows(func(lo, hi int) float64 {
		kernel.RidgeBegin(b.x.Data[lo*k:hi*k], g.Data[lo*k:], d.Data[lo*k:], h.Data[lo*k:], b.mean, k, counts[lo:], ridge[lo:hi], old[lo:])
		return 0
	})
	for range steps {
		b.normal(h, d)
		gain += b.rows(func(lo, hi int) float64 {
			return kernel.RidgeStep(b.x.Data[lo*k:hi*k], g.Data[lo*k:], d.Data[lo*k:], h.Data[lo*k:], b.mean, k, counts[lo:], ridge[lo:hi], old[lo:])
		})
	}
	unscaleRows(b.x, b.mul)
	return square, gain
}

// scaledRidge is the ridge of mul_i·x_i, for a ridge of x_i. A nil mul stands for ones.
func scaledRidge(ridge float64, mul []float64, i int) float32 {
	if mul == nil {
		return float32(ridge)
	}
	return float32(ridge / (mul[i] * mul[i]))
}

// rows calls f on ranges of rows, at once, and adds what it returns.
func (b *ridgeBatch) rows(f func(lo, hi int) float64) float64 {
	blocks := par.Grain(b.x.Rows, 512, 64)
	return par.Sum(blocks, func(t int) float64 { return f(par.Range(t, blocks, b.x.Rows)) })
}
