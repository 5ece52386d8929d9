// Package firstorder holds what methods of first order share: Nesterov's momentum and accelerated proximal gradient descent with
// backtracking and restarts (descent.go), Anderson's combination of the last steps (anderson.go), and the weight that keeps two
// residuals alike (balance.go).
package firstorder

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/rounding"
)

// A Momentum is Nesterov's sequence t⁺ = (1 + √(1 + 4t²))/2 from t = 1 on [Nesterov 1983; Beck and Teboulle 2009]. The zero value
// begins.
type Momentum struct{ t float64 }

// Next is the factor (t-1)/t⁺ by which the next point lies beyond a step, and moves on. It is 0 at first.
func (m *Momentum) Next() (beyond float64) {
	t := math.Max(m.t, 1)
	m.t = (1 + math.Sqrt(1+4*t*t)) / 2
	return (t - 1) / m.t
}

// Restart begins anew, as where a step has raised the function or momentum points uphill [O'Donoghue and Candès 2015].
func (m *Momentum) Restart() { m.t = 1 }

// Begins says that no step was taken since it began.
func (m *Momentum) Begins() bool { return m.t <= 1 }

// A Descent is accelerated proximal gradient descent for f + g, f smooth, with backtracking of the Lipschitz constant L, and with
// restarts where the sum rises. L is kept from one call to the next.
type Descent struct {
	L float64 // 0 is found
	// Prox overwrites x with argmin over z of g(z) + ‖z-x‖²/(2·step), and returns g there; nil where there is no g.
	Prox func(x []float64, step float64) (g float64)

	y, g, next, last []float64
}

const (
	// doublings of L are more than float64 holds.
	doublings = 200
	// relax is by how much L is lowered at the start of a call: functions change from call to call, and a step that is too short
	// is never noticed otherwise.
	relax = 0.5
	// leftByRounding is the part of f that the condition on L leaves.
	leftByRounding = rounding.Sum
)

// Steps moves x by a number of steps, where f + g is value; NaN stands for f, where there is no g. eval writes the gradient of
// f, if g is not nil, and returns f. The value at x never rises. Steps returns the value at the last x, and takes less steps
// where none lowers it.
func (d *Descent) Steps(x []float64, value float64, steps int, eval func(x, g []float64) float64) float64 {
	for _, v := range []*[]float64{&d.y, &d.g, &d.next, &d.last} {
		if len(*v) != len(x) {
			*v = make([]float64, len(x))
		}
	}
	copy(d.y, x)
	copy(d.last, x)
	d.L *= relax
	var m Momentum
	for range steps {
		fy := eval(d.y, d.g)
		if math.IsNaN(value) {
			value = fy
		}
		square := kernel.SumSq(d.g)
		if d.Prox == nil && !(square > 0) {
			break
		}
		if d.L == 0 {
			d.L = d.guess(eval, square)
		}
		next := d.backtrack(eval, fy)
		if next > value { // momentum went astray: again from x
			if m.Begins() {
				break
			}
			m.Restart()
			copy(d.y, x)
			copy(d.last, x)
			continue
		}
		copy(d.last, x)
		copy(x, d.next)
		value = next
		beyond := m.Next()
		for i, v := range x {
			d.y[i] = v + beyond*(v-d.last[i])
		}
	}
	return value
}

// backtrack doubles L until f(z) ≤ f(y) + ⟨g, z-y⟩ + L/2 ‖z-y‖² at the step z from y, and returns f + g there.
func (d *Descent) backtrack(eval func(x, g []float64) float64, fy float64) (value float64) {
	for range doublings {
		copy(d.next, d.y)
		kernel.Axpy(-1/d.L, d.g, d.next)
		var penalty, slope, square float64
		if d.Prox != nil {
			penalty = d.Prox(d.next, 1/d.L)
		}
		for i, z := range d.next {
			move := z - d.y[i]
			slope, square = slope+d.g[i]*move, square+move*move
		}
		f := eval(d.next, nil)
		if value = f + penalty; f <= fy+slope+d.L/2*square+leftByRounding*math.Abs(fy) {
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
