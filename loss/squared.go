package loss

import "math"

// Squared is L(z) = c·½ Σ ωᵢ(zᵢ-yᵢ)², with c = 1 for a sum and c = 1/N for a mean [Yu17 §5.1]. Its curvature is c max ωᵢ.
type Squared struct {
	Y     []float64
	Omega []float64 // weights ≥ 0, or nil for ones
	Mean  bool
	Group int // outputs of a row, which blocks do not cut; 0 is 1
}

func (l *Squared) Len() int           { return len(l.Y) }
func (l *Squared) Stride() int        { return max(1, l.Group) }
func (l *Squared) Target() []float64  { return l.Y }
func (l *Squared) Weights() []float64 { return l.Omega }
func (l *Squared) Scale() float64     { return scale(l.Mean, len(l.Y)) }
func (l *Squared) Separable() bool    { return true }
func (l *Squared) Curvature() float64 { return heaviest(l.Omega) * l.Scale() }

// Check names the first target that is not finite, the first weight that is negative or not finite, or rows that are cut.
func (l *Squared) Check() error {
	return first(checkTargets(l.Y), checkWeights(l.Omega, len(l.Y)), checkGroup(l.Group, len(l.Y)))
}

func (l *Squared) Eval(lo int, z, r []float64) float64 {
	y, c := l.Y[lo:lo+len(z)], l.Scale()
	var sum float64
	if l.Omega == nil {
		for i, zi := range z {
			d := y[i] - zi
			sum += d * d
			if r != nil {
				r[i] = c * d
			}
		}
		return c * sum / 2
	}
	for i, w := range l.Omega[lo : lo+len(z)] {
		d := y[i] - z[i]
		sum += w * d * d
		if r != nil {
			r[i] = c * w * d
		}
	}
	return c * sum / 2
}

func (l *Squared) HessTo(dst []float64, lo int, _, e []float64) {
	c := l.Scale()
	for i, x := range e {
		dst[i] = c * x
		if l.Omega != nil {
			dst[i] *= l.Omega[lo+i]
		}
	}
}

// Conjugate of the block at p = -s r is Σ (p²/(2cω) + p y); an observation of weight 0 asks for p = 0.
func (l *Squared) Conjugate(lo int, r []float64, s float64) float64 {
	c := l.Scale()
	var sum float64
	for i, ri := range r {
		p, w := -s*ri, weight(l.Omega, lo+i)
		if w > 0 {
			sum += p*p/(2*c*w) + p*l.Y[lo+i]
		} else if p != 0 {
			return math.Inf(1)
		}
	}
	return sum
}
