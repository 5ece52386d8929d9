package loss

import "fmt"

// Quantile is the sum of τ max(0, yᵢ-zᵢ) + (1-τ) max(0, zᵢ-yᵢ), which a τ-quantile of the targets minimises.
type Quantile struct {
	Y   []float64
	Tau float64 // in 0 … 1, both excluded
}

func (l *Quantile) interval() *interval {
	side := [2]float64{-l.Tau, 1 - l.Tau}
	return &interval{side, side}
}

func (l *Quantile) Len() int        { return len(l.Y) }
func (l *Quantile) Stride() int     { return 1 }
func (l *Quantile) Radius() float64 { return max(l.Tau, 1-l.Tau) }

// Check names a quantile that is none, or the first target that is not finite.
func (l *Quantile) Check() error {
	if !(l.Tau > 0 && l.Tau < 1) {
		return fmt.Errorf("loss: the quantile Tau is %v; it must be between 0 and 1", l.Tau)
	}
	return checkTargets(l.Y)
}

func (l *Quantile) SmoothTo(value, u []float64, lo int, z []float64, mu float64) {
	l.interval().smoothTo(value, u, l.Y[lo:lo+len(z)], z, mu)
}

func (l *Quantile) SlopeTo(dst []float64, lo int, z, e []float64, mu float64) {
	l.interval().slopeTo(dst, l.Y[lo:lo+len(z)], z, e, mu)
}

// ConjugateTo writes uᵢyᵢ where uᵢ is in [-τ, 1-τ].
func (l *Quantile) ConjugateTo(value []float64, lo int, u []float64) {
	l.interval().conjugateTo(value, l.Y[lo:lo+len(u)], u)
}
