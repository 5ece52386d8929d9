package loss

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/memory"
)

// WithL1 is L(z) + λ‖z‖₁ for a loss L that is a sum over observations: a sparse and low-rank matrix has its ℓ1 penalty here, in
// the loss, and its trace norm as the gauge [Argyriou14 eq 6.1]. Entries that are not observed have the weight 0 in L. It is not
// smooth. Methods that take proximity operators solve it; its certificate is exact. Its conjugate is
//
//	(ℓ + λ|·|)*(p) = min over |u| ≤ λ of ℓ*(p-u) = ℓ*(q),   q = the point of [p-λ, p+λ] nearest to ℓ'(0)
//
// as ℓ* is least at ℓ'(0).
type WithL1 struct {
	Loss   gcg.ConjugateLoss // separable
	Lambda float64           // ≥ 0
	// Constant is added to the loss, with the first observation: the cost of entries that were taken out of the problem.
	Constant float64
}

// Len is that of L.
func (l *WithL1) Len() int { return l.Loss.Len() }

// Stride is 1.
func (l *WithL1) Stride() int { return 1 }

// Separable is true.
func (l *WithL1) Separable() bool { return true }

// Infimum is -L*(0), taken entry by entry.
func (l *WithL1) Infimum() float64 { return -l.Conjugate(0, make([]float64, l.Len()), 0) }

// Check is that of L. It refuses an L that is no sum over observations, and a λ that is negative or not finite.
func (l *WithL1) Check() error {
	if l.Loss == nil || !gcg.Separable(l.Loss) {
		return fmt.Errorf("loss: WithL1 needs a loss that is a sum over observations; %T is none", l.Loss)
	}
	if !(l.Lambda >= 0) || math.IsInf(l.Lambda, 1) {
		return fmt.Errorf("loss: the weight Lambda of the ℓ1 norm is %v; it must be a finite number, 0 or more", l.Lambda)
	}
	if c, ok := l.Loss.(interface{ Check() error }); ok {
		return c.Check()
	}
	return nil
}

// Eval writes the shortest of the subgradients.
func (l *WithL1) Eval(lo int, z, r []float64) float64 {
	var norm float64
	for _, x := range z {
		norm += math.Abs(x)
	}
	norm *= l.Lambda
	if lo == 0 {
		norm += l.Constant
	}
	if r == nil {
		return l.Loss.Eval(lo, z, nil) + norm
	}
	signs := memory.Borrow[float64](len(z)) // r may be z
	defer memory.Repay(signs)
	for i, x := range z {
		signs[i] = sign(x)
	}
	f := l.Loss.Eval(lo, z, r) + norm
	for i, s := range signs {
		if s == 0 {
			r[i] = linalg.Soft(r[i], l.Lambda)
		} else {
			r[i] -= s * l.Lambda
		}
	}
	return f
}

// Conjugate is L*(q), see WithL1.
func (l *WithL1) Conjugate(lo int, r []float64, s float64) float64 {
	constant := 0.0
	if lo == 0 {
		constant = l.Constant
	}
	if q, ok := l.Loss.(*Squared); ok {
		return l.conjugateSquared(q, lo, r, s) - constant
	}
	buf := memory.Borrow[float64](2 * len(r))
	defer memory.Repay(buf)
	at, zero := buf[:len(r)], buf[len(r):]
	clear(zero)
	l.Loss.Eval(lo, zero, at) // -ℓ'(0)
	for i, x := range r {
		at[i] = l.nearest(-at[i], -s*x)
		at[i] = -at[i]
	}
	return l.Loss.Conjugate(lo, at, 1) - constant
}

// ConjugateAlong is Conjugate, and a constant for r = 0.
func (l *WithL1) ConjugateAlong(lo int, r []float64) func(s float64) float64 {
	kept := append([]float64(nil), r...)
	if linalg.MaxAbs(r) == 0 {
		c := l.Conjugate(lo, kept, 0)
		return func(float64) float64 { return c }
	}
	return func(s float64) float64 { return l.Conjugate(lo, kept, s) }
}

// nearest is the point of [p-λ, p+λ] nearest to q₀, moved back onto it where rounding alone is between.
func (l *WithL1) nearest(q0, p float64) float64 {
	q := math.Max(p-l.Lambda, math.Min(p+l.Lambda, q0))
	if math.Abs(q-q0) <= domainRounding*l.Lambda {
		return q0
	}
	return q
}

// conjugateSquared is Σ ½w(|y + p/w| - λ/w)₊² - ½wy²: a pass without work space.
func (l *WithL1) conjugateSquared(sq *Squared, lo int, r []float64, s float64) (sum float64) {
	c := sq.Scale()
	for i, x := range r {
		p := -s * x
		w := c * weight(sq.Omega, lo+i)
		if w == 0 {
			if !(math.Abs(p) <= l.Lambda*(1+domainRounding)) {
				return math.Inf(1)
			}
			continue
		}
		wy := w * sq.Y[lo+i]
		left := max(math.Abs(wy+p)-l.Lambda, 0)
		sum += (left*left - wy*wy) / (2 * w)
	}
	return sum
}

// ProxTo writes argmin over z of ℓ(zᵢ) + λ|zᵢ| + ½ρ(zᵢ-vᵢ)² for the observations from lo on: a closed form for the squared loss,
// and else the roots of the derivatives, found together by secants in brackets. z may be v.
func (l *WithL1) ProxTo(z, v []float64, lo int, rho float64) {
	q, ok := l.Loss.(*Squared)
	if !ok {
		l.rootsTo(z, v, lo, rho)
		return
	}
	c := q.Scale()
	for i, x := range v {
		w := c * weight(q.Omega, lo+i)
		z[i] = linalg.Soft(w*q.Y[lo+i]+rho*x, l.Lambda) / (w + rho)
	}
}
