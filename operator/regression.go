package operator

import "github.com/seed-b18ef778/gcg/internal/kernel"

// A regression lowers half the squares of what is left of its count targets plus ridge/2 ‖x‖² by conjugate gradients with the preconditioner
// diag(ridge + count·mean). Whoever owns it knows the rows that are summed.
type regression struct {
	x, mean      []float32
	count, ridge float32
	inverse      []float32 // of the preconditioner, once invert has been called
	g            []float32 // the negative gradient
	d            []float32 // the direction
	h            []float32 // ridge·d, to which the owner adds the squares' Hessian times d before a step
	old          *float32  // gᵀ M⁻¹ g, 0 at first
}

func (r regression) invert() {
	inverse := r.inverse[:len(r.mean)]
	for c, x := range r.mean {
		inverse[c] = 1 / (r.ridge + r.count*x)
	}
}

// begin completes g, which is that of the squares, and chooses the first direction; d and old are 0.
func (r regression) begin() {
	kernel.Axpy32(-r.ridge, r.x, r.g)
	r.turn()
}

// step moves along the direction and turns to the next one; it returns what was gained.
func (r regression) step() float64 {
	curve := float32(kernel.Dot32(r.d, r.h))
	if !(*r.old > 0 && curve > 0) {
		return 0
	}
	alpha := *r.old / curve
	kernel.Axpy32(alpha, r.d, r.x)
	kernel.Axpy32(-alpha, r.h, r.g)
	gain := float64(alpha) * float64(*r.old) / 2
	r.turn()
	return gain
}

// last is a step after which the gradient is not wanted: square, that of what the rows have along the direction, stands for what step finds in h.
func (r regression) last(square float64) float64 {
	curve := float32(square + kernel.Dot32(r.d, r.h))
	if !(*r.old > 0 && curve > 0) {
		return 0
	}
	alpha := *r.old / curve
	kernel.Axpy32(alpha, r.d, r.x)
	return float64(alpha) * float64(*r.old) / 2
}

// turn makes d the direction M⁻¹g, conjugate to the last one if there is one.
func (r regression) turn() {
	kernel.HadamardOf(r.h, r.g, r.inverse)
	next := float32(kernel.Dot32(r.g, r.h))
	var beta float32
	if *r.old > 0 {
		beta = next / *r.old
	}
	*r.old = next
	kernel.Scale32(beta, r.d)
	kernel.Axpy32(1, r.h, r.d)
	copy(r.h, r.d)
	kernel.Scale32(r.ridge, r.h)
}
