package extending

import (
	"math"

	"github.com/seed-b18ef778/gcg"
)

// Poisson is the loss of counts: L(z) = Σ ωᵢ (exp(zᵢ) - yᵢzᵢ), the negative log likelihood of counts yᵢ of mean exp(zᵢ), but for a
// constant. Omega are weights, nil for 1.
type Poisson struct{ Y, Omega []float64 }

// NewPoisson is what task.Completion.Own takes.
func NewPoisson(y, omega []float64) gcg.Loss { return Poisson{y, omega} }

func (l Poisson) weight(i int) float64 {
	if l.Omega == nil {
		return 1
	}
	return l.Omega[i]
}

// Len is the number of observations.
func (l Poisson) Len() int { return len(l.Y) }

// Stride is 1: no observations belong together.
func (l Poisson) Stride() int { return 1 }

// Eval returns the loss of the observations from lo on, and writes r = -∂L/∂z.
func (l Poisson) Eval(lo int, z, r []float64) (sum float64) {
	for i, x := range z {
		y, w, mean := l.Y[lo+i], l.weight(lo+i), math.Exp(x)
		sum += w * (mean - y*x)
		if r != nil {
			r[i] = w * (y - mean)
		}
	}
	return sum
}

// HessTo writes dst = ∇²L(z) e, for Newton steps.
func (l Poisson) HessTo(dst []float64, lo int, z, e []float64) {
	for i := range e {
		dst[i] = l.weight(lo+i) * math.Exp(z[i]) * e[i]
	}
}

// Infimum is Σ ωᵢ (yᵢ - yᵢ log yᵢ), where exp(z) = y: it bounds κ at the optimum, of which a certificate under λκ is made.
func (l Poisson) Infimum() (sum float64) {
	for i, y := range l.Y {
		if y > 0 {
			sum += l.weight(i) * (y - y*math.Log(y))
		}
	}
	return sum
}

// Curvature is +Inf: no number bounds exp(z).
func (l Poisson) Curvature() float64 { return math.Inf(1) }
