package operator

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// A ridgeBatch is the regressions of all rows of x, half the squares of the residuals plus ridge/2 ‖x_i‖² in each. It works on
// mul_i x_i, for which the ridge is ridge/mul_i².
type ridgeBatch struct {
	x        *gcg.Factor32
	mul      []float64
	counts   []float64
	mean     []float32 // the preconditioner is diag(ridge + counts·mean)
	ridge    float64
	residual func(g *gcg.Factor32) (square float64) // adds the negative gradient of half the squares
	normal   func(h, d *gcg.Factor32)               // adds their Hessian times d
}

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

// scaledRidge is that of mul_i·x_i, for a ridge of x_i. A nil mul is of ones.
func scaledRidge(ridge float64, mul []float64, i int) float32 {
	if mul == nil {
		return float32(ridge)
	}
	return float32(ridge / (mul[i] * mul[i]))
}

// rows adds f over ranges of rows.
func (b *ridgeBatch) rows(f func(lo, hi int) float64) float64 {
	blocks := par.Grain(b.x.Rows, 512, 64)
	return par.Sum(blocks, func(t int) float64 { return f(par.Range(t, blocks, b.x.Rows)) })
}
