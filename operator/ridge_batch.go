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
	g, d, h  *gcg.Factor32
	old      []float32 // gᵀ M⁻¹ g by rows
}

func (b *ridgeBatch) solve(steps int) (square, gain float64) {
	scaleRows(b.x, b.mul)
	b.g, b.d, b.h = gcg.NewFactorOf[float32](b.x.Rows, b.x.K), gcg.NewFactorOf[float32](b.x.Rows, b.x.K), gcg.NewFactorOf[float32](b.x.Rows, b.x.K)
	b.old = make([]float32, b.x.Rows)
	square = b.residual(b.g)
	b.rows(func(r regression) float64 {
		r.begin()
		return 0
	})
	for range steps {
		b.normal(b.h, b.d)
		gain += b.rows(regression.step)
	}
	for i, by := range b.mul {
		kernel.Scale32(float32(1/by), b.x.Row(i))
	}
	return square, gain
}

func (b *ridgeBatch) ridgeOf(i int) float32 {
	if b.mul == nil {
		return float32(b.ridge)
	}
	return float32(b.ridge / (b.mul[i] * b.mul[i]))
}

// rows adds f over the rows.
func (b *ridgeBatch) rows(f func(r regression) float64) float64 {
	blocks := par.Grain(b.x.Rows, 512, 64)
	return par.Sum(blocks, func(t int) (sum float64) {
		lo, hi := par.Range(t, blocks, b.x.Rows)
		inverse := make([]float32, len(b.mean))
		for i := lo; i < hi; i++ {
			r := regression{b.x.Row(i), b.mean, float32(b.counts[i]), b.ridgeOf(i), inverse, b.g.Row(i), b.d.Row(i), b.h.Row(i), &b.old[i]}
			r.invert()
			sum += f(r)
		}
		return sum
	})
}
