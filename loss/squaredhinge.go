package loss

import "math"

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
