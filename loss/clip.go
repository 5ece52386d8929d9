package loss

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
)

// ClipTo moves r, -1 times a dual point of the observations from lo on, to the nearest one in -dom L*: those of weight 0 to 0.
func (l *Squared) ClipTo(r []float64, lo int) {
	if l.Omega == nil {
		return
	}
	for i := range r {
		if l.Omega[lo+i] == 0 {
			r[i] = 0
		}
	}
}

// ClipTo moves r, -1 times a dual point of the observations from lo on, to the nearest one in -dom L*: |rᵢ| ≤ cωᵢ.
func (l *Huber) ClipTo(r []float64, lo int) { l.envelope().clipTo(r, lo) }

// ClipTo moves r, -1 times a dual point of the observations from lo on, to the nearest one in -dom L*.
func (l *SmoothedHinge) ClipTo(r []float64, lo int) { l.envelope().clipTo(r, lo) }

// clipTo is ClipTo: u = -r/(cω) within its interval.
func (v *envelope) clipTo(r []float64, lo int) {
	for i, x := range r {
		w := v.c * weight(v.omega, lo+i)
		from, to := v.at(v.y[lo+i])
		r[i] = -w * math.Max(from, math.Min(to, -x/math.Max(w, math.SmallestNonzeroFloat64)))
	}
}

// ClipTo moves r, -1 times a dual point of the observations from lo on, to the nearest one in -dom L*: 0 ≤ yᵢrᵢ ≤ cωᵢ.
func (l *Logistic) ClipTo(r []float64, lo int) {
	c := scale(l.Mean, len(l.Y))
	for i, x := range r {
		y := l.Y[lo+i]
		r[i] = y * math.Max(0, math.Min(c*weight(l.Omega, lo+i), y*x))
	}
}

// ClipTo moves r, -1 times a dual point of the observations from lo on, to the nearest one in -dom L*: yᵢrᵢ ≥ 0.
func (l *SquaredHinge) ClipTo(r []float64, lo int) {
	for i, x := range r {
		y := l.Y[lo+i]
		r[i] = y * math.Max(0, y*x)
		if weight(l.Omega, lo+i) == 0 {
			r[i] = 0
		}
	}
}

// ClipTo moves r, -1 times a dual point of the observations from lo on, to the nearest one in -dom L*: |rᵢ| ≤ λ.
func (l *Deviation) ClipTo(r []float64, _ int) { kernel.Clamp(l.Lambda, r) }

// ClipTo moves r, -1 times a dual point of the observations from lo on, to within λ of -dom L* of the loss without ‖z‖₁.
func (l *WithL1) ClipTo(r []float64, lo int) {
	inner, ok := l.Loss.(interface{ ClipTo(r []float64, lo int) })
	if q, squared := l.Loss.(*Squared); !ok || squared && q.Omega == nil {
		return
	}
	buf := memory.Borrow[float64](2 * len(r))
	defer memory.Repay(buf)
	q, zero := buf[:len(r)], buf[len(r):]
	clear(zero)
	l.Loss.Eval(lo, zero, q)
	for i, x := range r {
		q[i] = min(max(q[i], x-l.Lambda), x+l.Lambda)
	}
	inner.ClipTo(q, lo)
	for i, x := range r {
		r[i] = min(max(x, q[i]-l.Lambda), q[i]+l.Lambda)
	}
}

// Curvature is that of the loss without ‖z‖₁, which has corners and adds none elsewhere; +Inf where it states none.
func (l *WithL1) Curvature() float64 {
	if c, ok := l.Loss.(interface{ Curvature() float64 }); ok {
		return c.Curvature()
	}
	return math.Inf(1)
}

// Target is y.
func (l *Deviation) Target() []float64 { return l.Y }
