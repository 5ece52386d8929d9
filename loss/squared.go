// Package loss holds the convex losses L(z), each with its value, derivative, curvature and conjugate.
package loss

// Squared is L(z) = c·½ Σ ωᵢ(zᵢ-yᵢ)², with c = 1 for a sum and c = 1/N for a mean [Yu17 §5.1].
type Squared struct {
	Y     []float64
	Omega []float64 // weights ≥ 0, or nil for ones
	Mean  bool
}

func (l *Squared) Len() int           { return len(l.Y) }
func (l *Squared) Stride() int        { return 1 }
func (l *Squared) Target() []float64  { return l.Y }
func (l *Squared) Weights() []float64 { return l.Omega }

func (l *Squared) Scale() float64 {
	if l.Mean {
		return 1 / float64(len(l.Y))
	}
	return 1
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

func (l *Squared) Curvature() float64 {
	top := 1.0
	if l.Omega != nil {
		top = 0
		for _, w := range l.Omega {
			top = max(top, w)
		}
	}
	return top * l.Scale()
}

// Conjugate of the block at p = -s r is Σ (p²/(2cω) + p y), over the observations with ω > 0.
func (l *Squared) Conjugate(lo int, r []float64, s float64) float64 {
	c := l.Scale()
	var sum float64
	for i, ri := range r {
		p, w := -s*ri, 1.0
		if l.Omega != nil {
			w = l.Omega[lo+i]
		}
		if w > 0 {
			sum += p*p/(2*c*w) + p*l.Y[lo+i]
		}
	}
	return sum
}
