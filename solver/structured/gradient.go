package structured

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// A descent is accelerated proximal gradient [Beck and Teboulle 2009] with restarts where the momentum points uphill
// [O'Donoghue and Candès 2015].
type descent struct {
	exact
	f         *smooth
	h         *shrinkage
	x         []float64
	y, ax, ay []float64 // the extrapolated point, and A x and A y
	grad      []float64
	momentum  float64
	bound     float64 // of the curvature, raised where a step shows more
}

const (
	// firstBound is the part of the estimated curvature that the first steps assume: they raise what is too little.
	firstBound = 0.25
	// stepRounding is the part of the RoundingScale of L by which a step may miss its quadratic bound, as its rounding.
	stepRounding = 1e-14
)

// newDescent begins at x, which it moves.
func newDescent(e exact, f *smooth, h *shrinkage, x []float64) *descent {
	d := &descent{exact: e, f: f, h: h, x: x, momentum: 1, grad: make([]float64, len(x)), ax: make([]float64, len(f.s.Z))}
	f.apply(d.ax, x)
	d.y, d.ay = append([]float64(nil), x...), append([]float64(nil), d.ax...)
	d.bound = firstBound * f.curvature()
	return d
}

// steps takes so many steps, or fewer where x no longer moves, which it reports.
func (d *descent) steps(ctx context.Context, count int) (moves bool) {
	for range count {
		if ctx.Err() != nil || !d.step() {
			return false
		}
	}
	return true
}

// gap finds u for x, and returns how far the bound of both is below the objective; about that with λ‖x‖₁.
func (d *descent) gap(u []float64) float64 {
	d.f.value(d.ax)
	d.f.gradientTo(d.grad)
	linear, size := kernel.Dot(d.grad, d.x)+d.value(d.x), d.size(d.x)
	bound := 0.0
	if size > 0 {
		bound = math.Max(0, -linear/size) // ⟨q + Bᵀu, x⟩ ≥ -θ‖x‖₁
	}
	return linear + d.h.excess(d.dualTo(u, d.grad, bound), size)
}

// restart begins again at x, for which ax is known.
func (d *descent) restart() {
	copy(d.y, d.x)
	copy(d.ay, d.ax)
	d.momentum = 1
}

// step moves x, and reports whether it did.
func (d *descent) step() bool {
	value := d.f.value(d.ay)
	scale := d.f.s.RoundingScale(value)
	d.f.gradientTo(d.grad)
	next, target, az := make([]float64, len(d.x)), make([]float64, len(d.x)), make([]float64, len(d.ax))
	for {
		for i, v := range d.y {
			target[i] = v - d.grad[i]/d.bound
		}
		d.proxTo(next, target, 1/d.bound, d.h)
		d.f.apply(az, next)
		var along, square float64
		for i, v := range next {
			step := v - d.y[i]
			along += d.grad[i] * step
			square += step * step
		}
		at := d.f.value(az)
		if square == 0 || !(at > value+along+d.bound/2*square+stepRounding*math.Max(math.Abs(at), scale)) {
			break
		}
		d.bound *= 2
	}
	var uphill, moved float64
	for i, v := range next {
		uphill += (d.y[i] - v) * (v - d.x[i])
		moved = math.Max(moved, math.Abs(v-d.x[i]))
	}
	again := 1.0
	if uphill <= 0 {
		again = (1 + math.Sqrt(1+4*d.momentum*d.momentum)) / 2
	}
	beta := (d.momentum - 1) / again
	if again == 1 {
		beta = 0
	}
	extrapolate(d.y, next, d.x, beta)
	extrapolate(d.ay, az, d.ax, beta)
	copy(d.x, next)
	copy(d.ax, az)
	d.momentum = again
	return moved > 0
}

// extrapolate writes dst = next + β(next - old).
func extrapolate(dst, next, old []float64, beta float64) {
	copy(dst, next)
	if beta != 0 {
		kernel.Scale(1+beta, dst)
		kernel.Axpy(-beta, old, dst)
	}
}
