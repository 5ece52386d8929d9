package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/solver/view"
)

// A secant is a separable loss with the second derivatives that steps of some length r meet,
//
//	(ℓ'ᵢ(zᵢ+r) - ℓ'ᵢ(zᵢ-r))/2r,
//
// in place of those at z. Where ℓ' has kinks, as that of hinges and of Huber has, the latter are blind to what lies behind the next one, and
// steps end at kinks, of which there are as many as observations. As r goes with the length of steps, both agree in the end.
type secant struct {
	gcg.CurvedLoss
	second []float64
}

func (l secant) Separable() bool { return true }

func (l secant) HessTo(dst []float64, lo int, z, e []float64) {
	for i := range dst {
		dst[i] = l.second[lo+i] * e[i]
	}
}

// takesSecants says that second derivatives of the loss are taken along secants: it is separable, and they vary.
func takesSecants(p *view.Problem) bool {
	return !p.Quadratic() && p.Separable
}

// secantAt is p with the secants between z - reach and z + reach.
func secantAt(p *view.Problem, z []float64, reach float64) *view.Problem {
	second := make([]float64, len(z))
	par.For(p.Blocks(), func(b int) {
		lo, hi := p.Block(b)
		above, below := make([]float64, hi-lo), make([]float64, hi-lo)
		for i, x := range z[lo:hi] {
			above[i], below[i] = x+reach, x-reach
		}
		p.Loss.Eval(lo, above, above) // -ℓ'
		p.Loss.Eval(lo, below, below)
		for i, x := range below {
			second[lo+i] = math.Max(0, (x-above[i])/(2*reach))
		}
	})
	return p.WithLoss(secant{p.Curved, second})
}

// rmsDistance is the root mean square of y - z.
func rmsDistance(p *gcg.Problem, y, z []float64) float64 {
	sums := make([]float64, p.Blocks())
	par.For(p.Blocks(), func(b int) {
		lo, hi := p.Block(b)
		for i, x := range y[lo:hi] {
			sums[b] += (x - z[lo+i]) * (x - z[lo+i])
		}
	})
	var sum float64
	for _, x := range sums {
		sum += x
	}
	return math.Sqrt(sum / float64(len(z)))
}
