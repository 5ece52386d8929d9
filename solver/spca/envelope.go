package spca

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/operator"
)

// An Envelope is g_β(z) - ⟨C, z⟩ with the envelope of g = λ‖·‖₁ of width β [Argyriou14 §6.2], for the hybrid method and other
// conditional gradient steps. Its residual C - U has U = clip(z/β, λ), a dual point of λ‖z‖₁ - ⟨C, z⟩ itself, which is the loss
// whose certificate counts.
type Envelope struct {
	C      []float64
	Lambda float64
	Beta   float64 // > 0
}

// Smoothed is the problem of an n×n covariance C, row-major, with the ℓ1 norm by its envelope.
func Smoothed(c []float64, n int, lambda float64) (*gcg.Problem, error) {
	op, err := operator.NewIdentity(n, n)
	if err != nil {
		return nil, err
	}
	return &gcg.Problem{Operator: op, Loss: &Envelope{C: c, Lambda: lambda, Beta: 1}, Gauge: gauge.Spectrahedron{},
		Penalty: gauge.Equal{Zeta: 1}}, nil
}

// Single is eᵢeᵢᵀ for the variable of the largest C_ii of a row-major n×n C, to start from.
func Single(c []float64, n int) *gcg.Iterate {
	top := 0
	for i := range n {
		if c[i*n+i] > c[top*n+top] {
			top = i
		}
	}
	return single(n, top)
}

// single is eᵢeᵢᵀ.
func single(n, i int) *gcg.Iterate {
	w := &gcg.Iterate{M: n, N: n, U: gcg.NewFactor(n, 1), V: gcg.NewFactor(n, 1)}
	w.U.Row(i)[0], w.V.Row(i)[0] = 1, 1
	return w
}

// Len is the number of entries.
func (l *Envelope) Len() int { return len(l.C) }

// Stride is 1.
func (l *Envelope) Stride() int { return 1 }

// Separable is true.
func (l *Envelope) Separable() bool { return true }

// Curvature is 1/β.
func (l *Envelope) Curvature() float64 { return 1 / l.Beta }

// SetWidth sets β.
func (l *Envelope) SetWidth(beta float64) { l.Beta = beta }

// Eval is Σ uz - ½βu² - cz, with r = c - u.
func (l *Envelope) Eval(lo int, z, r []float64) (sum float64) {
	c := l.C[lo : lo+len(z)]
	for i, x := range z {
		u := math.Max(-l.Lambda, math.Min(l.Lambda, x/l.Beta))
		sum += u*(x-l.Beta/2*u) - c[i]*x
		if r != nil {
			r[i] = c[i] - u
		}
	}
	return sum
}

// HessTo is d/β where |z| < λβ.
func (l *Envelope) HessTo(dst []float64, _ int, z, d []float64) {
	for i, x := range z {
		if math.Abs(x) < l.Lambda*l.Beta {
			dst[i] = d[i] / l.Beta
		} else {
			dst[i] = 0
		}
	}
}

// Original is the loss that is not smooth.
func (l *Envelope) Original() gcg.Loss { return exact{l.C, l.Lambda} }
