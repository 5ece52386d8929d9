package loss

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
