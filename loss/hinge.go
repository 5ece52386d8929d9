package loss

import (
	"math"

	"github.com/seed-b18ef778/gcg"
)

// Hinge is the sum of max(0, 1-yᵢzᵢ) of labels yᵢ = ±1; smoothed it is SmoothedHinge.
type Hinge struct{ Y []float64 }

func (l *Hinge) Len() int        { return len(l.Y) }
func (l *Hinge) Stride() int     { return 1 }
func (l *Hinge) Radius() float64 { return 1 }

// Check names the first label that is not ±1.
func (l *Hinge) Check() error { return checkSigns(l.Y) }

func (l *Hinge) SmoothTo(value, u []float64, lo int, z []float64, mu float64) {
	hinge.smoothTo(value, u, l.Y[lo:lo+len(z)], z, mu)
}

func (l *Hinge) SlopeTo(dst []float64, lo int, z, e []float64, mu float64) {
	hinge.slopeTo(dst, l.Y[lo:lo+len(z)], z, e, mu)
}

// ConjugateTo writes uᵢyᵢ where -uᵢyᵢ is in [0, 1].
func (l *Hinge) ConjugateTo(value []float64, lo int, u []float64) {
	hinge.conjugateTo(value, l.Y[lo:lo+len(u)], u)
}

// SmoothedHinge is L(z) = c Σ ωᵢ ℓ(yᵢzᵢ), ℓ(m) = max over t in [0, 1] of t(1-m) - μt²/2, of labels yᵢ = ±1: the hinge
// max(0, 1-m) smoothed with width μ. c = 1 for a sum and 1/N for a mean. Its curvature is c max ωᵢ/μ, its conjugate
// c Σ ωᵢ(-tᵢ + μtᵢ²/2) with tᵢ = -yᵢpᵢ/(cωᵢ) in [0, 1]. It is at most μ/2·c Σωᵢ below the hinge.
type SmoothedHinge struct {
	Y     []float64 // labels, 1 or -1
	Mu    float64   // width > 0
	Omega []float64 // weights ≥ 0, or nil for ones
	Mean  bool
	Group int // outputs of a row, which blocks do not cut; 0 is 1
}

func (l *SmoothedHinge) envelope() *envelope {
	return &envelope{hinge, l.Y, l.Omega, l.Mu, scale(l.Mean, len(l.Y))}
}

func (l *SmoothedHinge) Len() int           { return len(l.Y) }
func (l *SmoothedHinge) Stride() int        { return max(1, l.Group) }
func (l *SmoothedHinge) Separable() bool    { return true }
func (l *SmoothedHinge) Curvature() float64 { return l.envelope().curvature() }

// Check names the first label that is not ±1, the first weight that is negative or not finite, a width that is not
// positive, or rows that are cut.
func (l *SmoothedHinge) Check() error {
	n := len(l.Y)
	return first(checkSigns(l.Y), checkWidth(l.Mu), checkWeights(l.Omega, n), checkGroup(l.Group, n))
}

func (l *SmoothedHinge) Eval(lo int, z, r []float64) float64 { return l.envelope().eval(lo, z, r) }

// HessTo multiplies by the generalised second derivative, cω/μ where 0 < 1-yz < μ and 0 elsewhere.
func (l *SmoothedHinge) HessTo(dst []float64, lo int, z, e []float64) {
	l.envelope().hessTo(dst, lo, z, e)
}

func (l *SmoothedHinge) Conjugate(lo int, r []float64, s float64) float64 {
	return l.envelope().conjugate(lo, r, s)
}

// Widened is the loss with the largest width for which it is at most short below the hinge, or with its own where that is larger.
func (l *SmoothedHinge) Widened(short float64) gcg.Loss {
	wide := *l
	wide.Mu = widened(l.Mu, short, l.Mean, l.Omega, len(l.Y), 1)
	return &wide
}

// SquaredHinge is L(z) = c·½ Σ ωᵢ max(0, 1-yᵢzᵢ)² of labels yᵢ = ±1, with c = 1 for a sum and c = 1/N for a mean. Its
// curvature is c max ωᵢ.
type SquaredHinge struct {
	Y     []float64 // labels, 1 or -1
	Omega []float64 // weights ≥ 0, or nil for ones
	Mean  bool
	Group int // outputs of a row, which blocks do not cut; 0 is 1
}

func (l *SquaredHinge) Len() int           { return len(l.Y) }
func (l *SquaredHinge) Stride() int        { return max(1, l.Group) }
func (l *SquaredHinge) Separable() bool    { return true }
func (l *SquaredHinge) Curvature() float64 { return heaviest(l.Omega) * scale(l.Mean, len(l.Y)) }

// Check names the first label that is not ±1, the first weight that is negative or not finite, or rows that are cut.
func (l *SquaredHinge) Check() error {
	return first(checkSigns(l.Y), checkWeights(l.Omega, len(l.Y)), checkGroup(l.Group, len(l.Y)))
}

func (l *SquaredHinge) Eval(lo int, z, r []float64) float64 {
	c := scale(l.Mean, len(l.Y))
	var sum float64
	for i, y := range l.Y[lo : lo+len(z)] {
		w, short := weight(l.Omega, lo+i), 1-y*z[i]
		if short < 0 { // not max: NaN stays NaN
			short = 0
		}
		sum += w * short * short
		if r != nil {
			r[i] = c * w * y * short
		}
	}
	return c * sum / 2
}

// HessTo multiplies by the generalised second derivative, cω where yz < 1 and 0 elsewhere.
func (l *SquaredHinge) HessTo(dst []float64, lo int, z, e []float64) {
	c := scale(l.Mean, len(l.Y))
	for i, y := range l.Y[lo : lo+len(z)] {
		f := 0.0
		if y*z[i] < 1 {
			f = c * weight(l.Omega, lo+i)
		}
		dst[i] = f * e[i]
	}
}

// Conjugate of the block at p = -s r is Σ (p²/(2cω) + p y) where y p ≤ 0, +Inf elsewhere.
func (l *SquaredHinge) Conjugate(lo int, r []float64, s float64) float64 {
	c := scale(l.Mean, len(l.Y))
	var sum float64
	for i, y := range l.Y[lo : lo+len(r)] {
		p, w := -s*r[i], weight(l.Omega, lo+i)
		switch {
		case w == 0 && p == 0:
		case w > 0 && y*p <= 0: // r has the sign of y exactly, so that no rounding needs forgiving
			sum += p*p/(2*c*w) + p*y
		default:
			return math.Inf(1)
		}
	}
	return sum
}
