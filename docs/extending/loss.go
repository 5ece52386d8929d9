package extending

import "math"

// LogCosh is the loss L(z) = Σ log cosh(zᵢ - yᵢ): quadratic near the target, linear far from it. Its second derivatives are at
// most 1.
type LogCosh struct{ Y []float64 }

// Len is the number of observations.
func (l LogCosh) Len() int { return len(l.Y) }

// Stride is 1: no observations belong together.
func (l LogCosh) Stride() int { return 1 }

// Eval returns the loss of the observations from lo on, and writes r = -∂L/∂z.
func (l LogCosh) Eval(lo int, z, r []float64) (sum float64) {
	for i, x := range z {
		t := l.Y[lo+i] - x
		sum += math.Abs(t) + math.Log1p(math.Exp(-2*math.Abs(t))) - math.Ln2
		if r != nil {
			r[i] = math.Tanh(t)
		}
	}
	return sum
}

// Infimum is 0: it bounds κ at the optimum, of which a certificate under λκ is made.
func (l LogCosh) Infimum() float64 { return 0 }

// Curvature is an upper bound of the second derivatives.
func (l LogCosh) Curvature() float64 { return 1 }

// HessTo writes dst = ∇²L(z) e, for Newton steps.
func (l LogCosh) HessTo(dst []float64, lo int, z, e []float64) {
	for i := range e {
		c := math.Cosh(l.Y[lo+i] - z[i])
		dst[i] = e[i] / (c * c)
	}
}
