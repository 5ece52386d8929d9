package loss

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// Ridge is μ/2 ‖z‖² of N predictions that take no intercept. As the second part of a problem whose operator also observes W,
//
//	operator.Stack(A, identity) × Stack(L, Ridge)      F(W) = L(A W) + μ/2 ‖W‖² + h(κ(W))
//
// it makes the elastic net of the ℓ1 norm [Zou and Hastie 2005], and the same of groups and of the trace norm. Solvers and
// certificates hold as for any stack of losses: F is μ-strongly convex, and its dual has -μW beside -∇L(A W).
type Ridge struct {
	N     int
	Mu    float64 // > 0
	Group int     // predictions of a row, which blocks do not cut; 0 is 1
}

func (l *Ridge) Len() int           { return l.N }
func (l *Ridge) Stride() int        { return max(1, l.Group) }
func (l *Ridge) Separable() bool    { return true }
func (l *Ridge) Curvature() float64 { return l.Mu }
func (l *Ridge) Weights() []float64 { return nil }
func (l *Ridge) Scale() float64     { return l.Mu }
func (l *Ridge) Target() []float64  { return make([]float64, l.N) }

// Ridge is μ: it tells the part of a stack that is one.
func (l *Ridge) Ridge() float64 { return l.Mu }

// Segments is one, without an intercept.
func (l *Ridge) Segments() []gcg.Segment {
	return []gcg.Segment{{Hi: l.N, Stride: l.Stride(), Fixed: true}}
}

// Check refuses a μ that is not positive and finite, and rows that are cut.
func (l *Ridge) Check() error {
	if !(l.Mu > 0) || math.IsInf(l.Mu, 1) {
		return fmt.Errorf("loss: the weight Mu of a ridge is %v; it must be a finite number above 0", l.Mu)
	}
	return checkGroup(l.Group, l.N)
}

func (l *Ridge) Eval(_ int, z, r []float64) float64 {
	value := l.Mu / 2 * kernel.SumSq(z)
	if r != nil {
		for i, x := range z {
			r[i] = -l.Mu * x
		}
	}
	return value
}

func (l *Ridge) HessTo(dst []float64, _ int, _, e []float64) {
	for i, x := range e {
		dst[i] = l.Mu * x
	}
}

// Conjugate of the block at p = -s r is ‖p‖²/(2μ).
func (l *Ridge) Conjugate(_ int, r []float64, s float64) float64 {
	return s * s * kernel.SumSq(r) / (2 * l.Mu)
}
