package loss

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/memory"
)

// Smoothed is L_μ(z) = c Σ ω_g max over u of ⟨u, z_g⟩ - ℓ_g*(u) - μ/2‖u‖², a Lipschitz loss c Σ ω_g ℓ_g(z_g) smoothed with
// width μ: its Moreau envelope [Argyriou14 eq 4.2]. c = 1 for a sum and 1/n for a mean over the n groups. Its
// curvature is c max ω/μ, its conjugate that of the loss plus c Σ ω_g μ/2‖u_g‖². With R the loss's radius,
//
//	L - SmoothingError ≤ L_μ ≤ L,  SmoothingError = μ·c Σω·½R²
//
// so a lower bound of a problem with L_μ is one of the problem with L, and an objective is short by SmoothingError at
// most. Unsmoothed gives the two without that loss.
type Smoothed struct {
	Loss  Lipschitz
	Mu    float64   // width > 0
	Omega []float64 // weights ≥ 0 of the groups, or nil for ones
	Mean  bool
	Group int // predictions of a row, a multiple of the loss's stride, which blocks do not cut; 0 is that stride
}

func (l *Smoothed) Len() int           { return l.Loss.Len() }
func (l *Smoothed) Stride() int        { return max(l.Loss.Stride(), l.Group) }
func (l *Smoothed) Separable() bool    { return l.Loss.Stride() == 1 }
func (l *Smoothed) Curvature() float64 { return heaviest(l.Omega) * l.scale() / l.Mu }

func (l *Smoothed) groups() int    { return l.Loss.Len() / l.Loss.Stride() }
func (l *Smoothed) scale() float64 { return scale(l.Mean, l.groups()) }

// SmoothingError bounds how far L_μ is below L, at every z.
func (l *Smoothed) SmoothingError() float64 {
	radius := l.Loss.Radius()
	return l.Mu * l.scale() * total(l.Omega, l.groups()) * radius * radius / 2
}

// Unsmoothed is L itself, to judge a smoothed solution by. Eval gives L(z). Conjugate gives L* where it is finite, at the r that
// the smoothed loss wrote; its lower bound is better by c Σ ω μ/2‖u‖². Its own r is a subgradient and its curvature is infinite:
// it is not for a solver.
func (l *Smoothed) Unsmoothed() *Smoothed {
	sharp := *l
	sharp.Mu = 0
	return &sharp
}

// Widened is the loss with the largest width for which SmoothingError ≤ short, or with its own where that is larger.
func (l *Smoothed) Widened(short float64) gcg.Loss {
	wide := *l
	wide.Mu = widened(l.Mu, short, l.Mean, l.Omega, l.groups(), l.Loss.Radius())
	return &wide
}

// Check is that of the loss; then it names the first weight of a group that is negative or not finite, a width that is
// not positive, or rows that are cut.
func (l *Smoothed) Check() error {
	if l.Loss == nil {
		return fmt.Errorf("loss: Smoothed needs a Loss to smooth, such as loss.Absolute")
	}
	if c, ok := l.Loss.(interface{ Check() error }); ok {
		if err := c.Check(); err != nil {
			return err
		}
	}
	if stride := l.Loss.Stride(); l.Group%stride != 0 {
		return fmt.Errorf("loss: Group = %d cuts the groups of %d predictions of %T", l.Group, stride, l.Loss)
	}
	return first(checkWidth(l.Mu), checkWeights(l.Omega, l.groups()), checkGroup(l.Group, l.Len()))
}

func (l *Smoothed) Eval(lo int, z, r []float64) float64 {
	stride, c := l.Loss.Stride(), l.scale()
	count := len(z) / stride
	buf := memory.Borrow[float64](count + len(z))
	defer memory.Repay(buf)
	values, u := buf[:count], buf[count:]
	l.Loss.SmoothTo(values, u, lo, z, l.Mu)
	var sum float64
	for g, value := range values {
		w := c * weight(l.Omega, lo/stride+g)
		sum += w * value
		if r != nil {
			for i := g * stride; i < (g+1)*stride; i++ {
				r[i] = -w * u[i]
			}
		}
	}
	return sum
}

// HessTo multiplies by the generalised second derivative.
func (l *Smoothed) HessTo(dst []float64, lo int, z, e []float64) {
	stride, c := l.Loss.Stride(), l.scale()
	l.Loss.SlopeTo(dst, lo, z, e, l.Mu)
	for i := range dst {
		dst[i] *= c * weight(l.Omega, (lo+i)/stride)
	}
}

// Conjugate of the block at p = -s r is c Σ ω_g (ℓ_g*(u) + μ/2‖u‖²), u = p_g/(cω_g); a group of weight 0 asks for p_g = 0.
func (l *Smoothed) Conjugate(lo int, r []float64, s float64) float64 {
	stride, c := l.Loss.Stride(), l.scale()
	count := len(r) / stride
	buf := memory.Borrow[float64](count + len(r))
	defer memory.Repay(buf)
	values, u := buf[:count], buf[count:]
	for i, ri := range r {
		w := c * weight(l.Omega, (lo+i)/stride)
		if w == 0 {
			if s*ri != 0 {
				return math.Inf(1)
			}
			u[i] = 0
			continue
		}
		u[i] = -s * ri / w
	}
	l.Loss.ConjugateTo(values, lo, u)
	var sum float64
	for g, value := range values {
		w := c * weight(l.Omega, lo/stride+g)
		if w == 0 {
			continue
		}
		for _, x := range u[g*stride : (g+1)*stride] {
			value += l.Mu * x * x / 2
		}
		sum += w * value
	}
	return sum
}
