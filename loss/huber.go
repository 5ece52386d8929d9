package loss

import (
	"github.com/seed-b18ef778/gcg"
)

// Huber is L(z) = c Σ ωᵢ ℓ(zᵢ-yᵢ), ℓ(t) = t²/(2μ) where |t| ≤ μ and |t|-μ/2 elsewhere: the absolute value smoothed with
// width μ, the conventional Huber function divided by μ. c = 1 for a sum and 1/N for a mean. Its curvature is c max ωᵢ/μ,
// its conjugate c Σ ωᵢ(μuᵢ²/2 + uᵢyᵢ) with |uᵢ| = |pᵢ|/(cωᵢ) ≤ 1. It is at most μ/2·c Σωᵢ below the absolute value.
type Huber struct {
	Y     []float64
	Mu    float64   // width > 0
	Omega []float64 // weights ≥ 0, or nil for ones
	Mean  bool
	Group int // outputs of a row, which blocks do not cut; 0 is 1
}

func (l *Huber) envelope() *envelope {
	return &envelope{absolute, l.Y, l.Omega, l.Mu, scale(l.Mean, len(l.Y))}
}

func (l *Huber) Len() int           { return len(l.Y) }
func (l *Huber) Stride() int        { return max(1, l.Group) }
func (l *Huber) Separable() bool    { return true }
func (l *Huber) Curvature() float64 { return l.envelope().curvature() }

// Check names the first target that is not finite, the first weight that is negative or not finite, a width that is not
// positive, or rows that are cut.
func (l *Huber) Check() error {
	n := len(l.Y)
	return first(checkTargets(l.Y), checkWidth(l.Mu), checkWeights(l.Omega, n), checkGroup(l.Group, n))
}

func (l *Huber) Eval(lo int, z, r []float64) float64 { return l.envelope().eval(lo, z, r) }

// HessTo multiplies by the generalised second derivative, cω/μ where |z-y| < μ and 0 elsewhere.
func (l *Huber) HessTo(dst []float64, lo int, z, e []float64) { l.envelope().hessTo(dst, lo, z, e) }

func (l *Huber) Conjugate(lo int, r []float64, s float64) float64 {
	return l.envelope().conjugate(lo, r, s)
}

// Widened is the loss with the largest width for which it is at most short below the absolute value, or with its own where that
// is larger.
func (l *Huber) Widened(short float64) gcg.Loss {
	wide := *l
	wide.Mu = widened(l.Mu, short, l.Mean, l.Omega, len(l.Y), 1)
	return &wide
}

// Absolute is the sum of the absolute values |zᵢ-yᵢ|; smoothed it is Huber.
type Absolute struct{ Y []float64 }

func (l *Absolute) Len() int        { return len(l.Y) }
func (l *Absolute) Stride() int     { return 1 }
func (l *Absolute) Radius() float64 { return 1 }

// Check names the first target that is not finite.
func (l *Absolute) Check() error { return checkTargets(l.Y) }

func (l *Absolute) SmoothTo(value, u []float64, lo int, z []float64, mu float64) {
	absolute.smoothTo(value, u, l.Y[lo:lo+len(z)], z, mu)
}

func (l *Absolute) SlopeTo(dst []float64, lo int, z, e []float64, mu float64) {
	absolute.slopeTo(dst, l.Y[lo:lo+len(z)], z, e, mu)
}

// ConjugateTo writes uᵢyᵢ where |uᵢ| ≤ 1.
func (l *Absolute) ConjugateTo(value []float64, lo int, u []float64) {
	absolute.conjugateTo(value, l.Y[lo:lo+len(u)], u)
}
