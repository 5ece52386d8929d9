package loss

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
