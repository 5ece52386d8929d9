package loss

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/memory"
)

// A Separate loss can be a sum over observations of one prediction each; Separable says whether it is.
type Separate interface {
	gcg.CurvedLoss
	gcg.ConjugateLoss
	Check() error
	Separable() bool
}

// Shifted is L(z + b), for predictions of which a part b is known. Its curvature is that of L, its conjugate L*(p) - ⟨p, b⟩.
type Shifted struct {
	Loss Separate
	By   []float64 // b, one for each prediction
}

func (l *Shifted) Len() int           { return l.Loss.Len() }
func (l *Shifted) Stride() int        { return l.Loss.Stride() }
func (l *Shifted) Separable() bool    { return l.Loss.Separable() }
func (l *Shifted) Curvature() float64 { return l.Loss.Curvature() }

// Check is that of the loss; then it names the first shift that is not finite.
func (l *Shifted) Check() error {
	if err := l.Loss.Check(); err != nil {
		return err
	}
	if len(l.By) != l.Loss.Len() {
		return fmt.Errorf("loss: there are %d shifts for %d predictions", len(l.By), l.Loss.Len())
	}
	for i, x := range l.By {
		if !finite(x) {
			return fmt.Errorf("loss: the shift of observation %d is %v; it must be a finite number", i+1, x)
		}
	}
	return nil
}

// moved calls f with z + b, which is borrowed.
func (l *Shifted) moved(lo int, z []float64, f func(z []float64)) {
	moved := memory.Borrow[float64](len(z))
	defer memory.Repay(moved)
	for i, b := range l.By[lo : lo+len(z)] {
		moved[i] = z[i] + b
	}
	f(moved)
}

func (l *Shifted) Eval(lo int, z, r []float64) (value float64) {
	l.moved(lo, z, func(z []float64) { value = l.Loss.Eval(lo, z, r) })
	return value
}

func (l *Shifted) HessTo(dst []float64, lo int, z, e []float64) {
	l.moved(lo, z, func(z []float64) { l.Loss.HessTo(dst, lo, z, e) })
}

// Conjugate of the block at p = -s r is that of the loss and s⟨r, b⟩.
func (l *Shifted) Conjugate(lo int, r []float64, s float64) float64 {
	value := l.Loss.Conjugate(lo, r, s)
	if math.IsInf(value, 1) {
		return value
	}
	for i, b := range l.By[lo : lo+len(r)] {
		value += s * r[i] * b
	}
	return value
}
