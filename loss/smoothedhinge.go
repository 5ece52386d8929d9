package loss

import "github.com/seed-b18ef778/gcg"

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
