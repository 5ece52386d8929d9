package rowscolumns

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

const (
	proxTol    = 1e-11 // the relative gap of a proximity operator: conformance asks for 1e-9
	proxPasses = 5000  // passes after which it ends all the same
	proxLook   = 8     // passes between looks at the gap, which cost one
	// vanishing is the part of κ(Y) below which κ(X) may be on its way to 0, which it comes to in the limit only: a polar decides.
	vanishing = 1e-3
)

// Clip is Σ over lines of the proximity operator of t‖·‖_∞ on the rows, or on the columns, of a matrix. An ℓ∞ norm is lowered by
// clipping a line x at the level θ where Σ (|x_i| - θ)₊ = t, or at 0 where ‖x‖₁ ≤ t. Newton's steps find θ, from the last one on:
// one or two passes in an iteration that converges.
type Clip struct {
	Columns bool
	level   []float64

	sum, above []float64 // work space: of the entries beyond the level
}

// To writes the clipped rows or columns of the row-major m×n matrix y into dst, which may be y. It returns Σ ‖·‖_∞ of the lines
// of dst.
func (c *Clip) To(dst, y []float64, m, n int, t float64) (rho float64) {
	lines := m
	if c.Columns {
		lines = n
	}
	if len(c.level) != lines {
		c.level, c.sum, c.above = make([]float64, lines), make([]float64, lines), make([]float64, lines)
	}
	if c.Columns {
		c.columnLevels(y, m, n, t)
		for i := range m {
			out := dst[i*n : (i+1)*n]
			for j, x := range y[i*n : (i+1)*n] {
				out[j] = clip(x, c.level[j])
			}
		}
	} else {
		for i := range m {
			c.level[i] = rowLevel(y[i*n:(i+1)*n], t, c.level[i])
			out, level := dst[i*n:(i+1)*n], c.level[i]
			for j, x := range y[i*n : (i+1)*n] {
				out[j] = clip(x, level)
			}
		}
	}
	for _, level := range c.level {
		rho += level
	}
	return rho
}

// clip is x between -level and level.
func clip(x, level float64) float64 { return max(-level, min(x, level)) }

// levelSteps is the most Newton steps for a level: each but the last leaves out an entry, and few take more than ten.
const levelSteps = 200

// rowLevel is the level θ of one line, from a guess. The sum of excesses is convex in θ: a step from the right of the root ends
// at its left, and steps from there rise to it.
func rowLevel(x []float64, t, theta float64) float64 {
	for step := range levelSteps {
		var sum, count float64
		for _, v := range x {
			if v = math.Abs(v); v > theta {
				sum += v
				count++
			}
		}
		next := nextLevel(sum, count, t, theta, step)
		if next == theta || step > 1 && next < theta {
			return next
		}
		theta = next
	}
	return theta
}

// nextLevel is the Newton step from θ, of the sum and the number of what is beyond it. Where nothing is, a guess was too large;
// but a step ends there only where t is 0, or rounding beside the largest entry, which is the level then.
func nextLevel(sum, count, t, theta float64, step int) float64 {
	switch {
	case count > 0:
		return math.Max((sum-t)/count, 0)
	case step > 0:
		return theta
	}
	return 0
}

// columnLevels is rowLevel for all columns at once, row by row.
func (c *Clip) columnLevels(y []float64, m, n int, t float64) {
	for step := range levelSteps {
		clear(c.sum)
		clear(c.above)
		for i := range m {
			for j, v := range y[i*n : (i+1)*n] {
				if v = math.Abs(v); v > c.level[j] {
					c.sum[j] += v
					c.above[j]++
				}
			}
		}
		moved := false
		for j, theta := range c.level {
			next := nextLevel(c.sum[j], c.above[j], t, theta, step)
			if next != theta && (step <= 1 || next > theta) {
				moved = true
			}
			c.level[j] = next
		}
		if !moved {
			return
		}
	}
}

// ProxTo is argmin over X of ½‖X - W‖² + tκ(X): projections of what is left of W on the ℓ1 balls of the rows and of the columns
// in turn, of radius t, which is Dykstra's method, until the gap tκ(X) - ⟨X, W - X⟩ is closed.
func (k Gauge) ProxTo(dst, w []float64, m, n int, t float64) (rho float64) {
	return atUnit(dst, w[:m*n], t, func(dst, y []float64, t float64) float64 { return k.prox(dst, y, m, n, t) })
}

// atUnit calls prox at W over its largest entry, so that squares neither overflow nor vanish.
func atUnit(dst, w []float64, t float64, prox func(dst, y []float64, t float64) float64) (rho float64) {
	unit := linalg.MaxAbs(w)
	if unit == 0 {
		clear(dst[:len(w)])
		return 0
	}
	y := make([]float64, len(w))
	for e, x := range w {
		y[e] = x / unit
	}
	rho = unit * prox(dst, y, t/unit)
	kernel.Scale(unit, dst[:len(w)])
	return rho
}

// prox is ProxTo, which leaves y alone.
func (k Gauge) prox(dst, y []float64, m, n int, t float64) (rho float64) {
	tol := k.Tol
	if tol == 0 {
		tol = proxTol
	}
	// X = W - U - V, with U within the balls of the rows and V within those of the columns.
	x, v := make([]float64, m*n), make([]float64, m*n)
	rows, cols := &Clip{}, &Clip{Columns: true}
	pass := func() {
		for e := range x {
			x[e] = y[e] - v[e]
		}
		rows.To(x, x, m, n, t) // W - U - V
		for e := range x {     // W - U
			x[e] += v[e]
			v[e] = x[e]
		}
		cols.To(x, x, m, n, t)
		for e := range v {
			v[e] -= x[e]
		}
	}
	of := func(x []float64) float64 { return k.Of(x, m, n) }
	rho = untilClosed(x, y, t, tol, pass, of, func() bool { return PolarBound(y, m, n) <= t*(1+closed) })
	copy(dst, x)
	return rho
}

// untilClosed repeats a pass over X until the gap tκ(X) - ⟨X, Y - X⟩ is closed, and returns κ(X), which of is. Where X shrinks
// away, vanishes tells whether it is 0.
func untilClosed(x, y []float64, t, tol float64, pass func(), of func(x []float64) float64, vanishes func() bool) (rho float64) {
	whole := of(y)
	for count := 1; count <= proxPasses; count++ {
		if pass(); count%proxLook != 0 && count > 1 {
			continue
		}
		rho = of(x)
		inner := kernel.Dot(x, y) - kernel.SumSq(x)
		if t*rho-inner <= tol*t*rho {
			break
		}
		if count > 1 && rho < vanishing*whole {
			if whole = rho; vanishes() {
				clear(x)
				return 0
			}
		}
	}
	return rho
}

var _ gcg.Compressor = Gauge{}
