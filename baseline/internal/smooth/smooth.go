// Package smooth is accelerated gradient descent for smooth convex functions, as baselines take for their inner problems.
package smooth

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// A Descent is accelerated gradient descent [Nesterov 1983] with backtracking of the Lipschitz constant L, and with restarts
// where the function rises [O'Donoghue and Candès 2015]. L is kept from one call to the next.
type Descent struct {
	L float64 // 0 is found

	y, g, next, last []float64
}

const (
	// doublings of L are more than float64 holds.
	doublings = 200
	// relax is by how much L is lowered at the start of a call: functions change from call to call, and a step that is too short
	// is never noticed otherwise.
	relax = 0.5
	// rounding is the part of f that the condition on L leaves.
	rounding = 1e-14
)

// Steps moves x by a number of steps on a function, of which eval writes the gradient, if g is not nil, and returns the value.
// The value at x never rises. It returns the value at the last x, and less steps where the gradient is 0.
func (d *Descent) Steps(x []float64, steps int, eval func(x, g []float64) float64) (f float64) {
	for _, v := range []*[]float64{&d.y, &d.g, &d.next, &d.last} {
		if len(*v) != len(x) {
			*v = make([]float64, len(x))
		}
	}
	copy(d.y, x)
	copy(d.last, x)
	f = eval(x, d.g)
	d.L *= relax
	fy, t := f, 1.0
	for k := range steps {
		if k > 0 {
			fy = eval(d.y, d.g)
		}
		square := kernel.SumSq(d.g)
		if !(square > 0) {
			break
		}
		if d.L == 0 {
			d.L = d.guess(eval, square)
		}
		value := d.backtrack(eval, fy, square)
		if value > f { // momentum went astray: again from x
			if t == 1 {
				break
			}
			t = 1
			copy(d.y, x)
			copy(d.last, x)
			continue
		}
		copy(d.last, x)
		copy(x, d.next)
		f = value
		after := (1 + math.Sqrt(1+4*t*t)) / 2
		for i, v := range x {
			d.y[i] = v + (t-1)/after*(v-d.last[i])
		}
		t = after
	}
	return f
}

// backtrack doubles L until f(y - g/L) ≤ f(y) - ‖g‖²/2L, and returns the value there.
func (d *Descent) backtrack(eval func(x, g []float64) float64, fy, square float64) (value float64) {
	for range doublings {
		copy(d.next, d.y)
		kernel.Axpy(-1/d.L, d.g, d.next)
		if value = eval(d.next, nil); value <= fy-square/(2*d.L)+rounding*math.Abs(fy) {
			break
		}
		d.L *= 2
	}
	return value
}

// guess is the curvature of the function along its gradient at y, by the gradient a short way on.
func (d *Descent) guess(eval func(x, g []float64) float64, square float64) float64 {
	away := math.Sqrt(square)
	copy(d.next, d.y)
	kernel.Axpy(-probe/away, d.g, d.next)
	g := make([]float64, len(d.g))
	eval(d.next, g)
	for i := range g {
		g[i] -= d.g[i]
	}
	if l := math.Sqrt(kernel.SumSq(g)) / probe; l > 0 && !math.IsInf(l, 0) {
		return l
	}
	return 1
}

// probe is the length of the way on which a first L is looked for.
const probe = 1e-3
