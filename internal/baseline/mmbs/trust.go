package mmbs

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg/internal/rounding"
)

const (
	// mostProducts ends the conjugate gradients of a step.
	mostProducts = 40
	// linearRate and power are when they end: ‖r‖ ≤ ‖r₀‖ min(‖r₀‖^power/…, linearRate), superlinear as the gradient falls
	// [Absil, Baker and Gallivan 2007].
	linearRate = 0.1
	// accepted is the part of the predicted decrease that a step is to bring.
	accepted = 0.1
	// poor and good are the parts by which the radius shrinks and grows.
	poor, good = 0.25, 0.75
	// firstRadius is the radius over the norm of the singular values; the largest is mostRadius times that.
	firstRadius, mostRadius = 0.1, 10
	// roundedAway is the decrease, relative to φ, that rounding hides.
	roundedAway = rounding.Sum
)

// descend takes steps of a trust region from a point, and leaves the state at the last.
func (x *Method) descend(ctx context.Context, f *function, at *point, most int, goal float64) {
	value := f.value(at)
	first := 0.0
	size := math.Sqrt(float64(len(at.b))) // of B in its metric, and of U and V
	radius := firstRadius * size
	for step := range most {
		g := f.gradient()
		norm := math.Sqrt(at.dot(g, g))
		if step == 0 {
			first = norm
		}
		if !(norm > goal*first) || ctx.Err() != nil {
			break
		}
		move, model, edge := f.truncated(at, g, radius)
		to, ok := at.retract(move)
		trial := math.Inf(1)
		if ok {
			trial = f.value(to)
		}
		ratio := (value - trial) / model
		if math.Abs(value-trial) <= roundedAway*math.Abs(value) {
			ratio = 1
		}
		switch {
		case !(ratio >= poor):
			radius /= 4
		case ratio > good && edge:
			radius = math.Min(2*radius, mostRadius*size)
		}
		if ratio > accepted && trial <= value {
			done := value-trial <= roundedAway*math.Abs(value)
			at, value = to, trial
			if done {
				break
			}
			continue
		}
		f.value(at)
		if radius < roundedAway*size {
			break
		}
	}
}

// truncated is conjugate gradients on the model ⟨g, ξ⟩ + ½⟨Hξ, ξ⟩ within the radius [Steihaug 1983]: the step, by how much the
// model falls, and whether the step ends at the edge.
func (f *function) truncated(at *point, g *tangent, radius float64) (x *tangent, falls float64, edge bool) {
	x = combined(0, g, 0, g)
	hx := combined(0, g, 0, g)
	r := combined(1, g, 0, g)
	d := combined(-1, g, 0, g)
	rr := at.dot(r, r)
	r0 := math.Sqrt(rr)
	for range mostProducts {
		hd := f.hessian(d)
		curvature := at.dot(d, hd)
		alpha := rr / curvature
		next := combined(1, x, alpha, d)
		if curvature <= 0 || math.Sqrt(at.dot(next, next)) >= radius {
			xx, xd, dd := at.dot(x, x), at.dot(x, d), at.dot(d, d)
			tau := (-xd + math.Sqrt(math.Max(0, xd*xd+dd*(radius*radius-xx)))) / dd
			x, hx, edge = combined(1, x, tau, d), combined(1, hx, tau, hd), true
			break
		}
		x, hx = next, combined(1, hx, alpha, hd)
		r = combined(1, r, alpha, hd)
		after := at.dot(r, r)
		if math.Sqrt(after) <= r0*math.Min(r0, linearRate) {
			break
		}
		d = combined(-1, r, after/rr, d)
		rr = after
	}
	return x, -at.dot(g, x) - at.dot(hx, x)/2, edge
}
