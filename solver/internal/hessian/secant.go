package hessian

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// ReachPart is the length of secants in parts of what the last step changed in z, by root mean squares. With 0.3, 1 and 10
// more steps are taken.
const ReachPart = 3

// A secant is a separable loss with the second derivatives that steps of some length r meet,
//
//	(ℓ'ᵢ(zᵢ+r) - ℓ'ᵢ(zᵢ-r))/2r,
//
// in place of those at z. Where ℓ' has kinks, as that of hinges and of Huber has, the latter are blind to what lies behind the
// next one, and steps end at kinks, of which there are as many as observations. As r goes with the length of steps, both agree
// in the end.
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

// TakesSecants says that second derivatives of the loss are taken along secants: it is separable, and they vary.
func TakesSecants(p *view.Problem) bool {
	return !p.Quadratic() && p.Separable
}

// SecantAt is p with the secants between z - reach and z + reach.
func SecantAt(p *view.Problem, z []float64, reach float64) *view.Problem {
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

// RmsDistance is the root mean square of y - z.
func RmsDistance(p *gcg.Problem, y, z []float64) float64 {
	sum := p.Sum(func(lo, hi int) (sum float64) {
		for i, x := range y[lo:hi] {
			sum += (x - z[lo+i]) * (x - z[lo+i])
		}
		return sum
	})
	return math.Sqrt(sum / float64(p.Observations()))
}

// MostKept bounds the fall of F over the fall that a model promised, for the model to count as good. The quotient is 2 where
// second derivatives have become far smaller than those of the model.
const MostKept = 1.5
