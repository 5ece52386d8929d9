package support

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
	"gonum.org/v1/gonum/mat"
)

// descend minimises q(x) + μΣκ_b(x_b) from x, by sweeps of coordinate descent over the blocks, extrapolated, and Newton
// steps on the blocks that are not 0 in between, as sweeps are slow where columns are correlated. It stops when no block's
// optimality is off by more than goal·μ, or when ctx ends.
func (m *blockModel) descend(ctx context.Context, x []float64, mu, goal float64) {
	scale := math.Max(math.Abs(mu), leastScale*linalg.MaxAbs(m.grad))
	limit := math.Max(leastGoal, goalPart*goal) * scale
	if m.products != nil && m.descendByProducts(ctx, x, mu, limit, mostSweeps(goal)) {
		return
	}
	g := m.gradientAt(x)
	var ahead extrapolation
	newton := 4 // the sweep before which the first Newton step is tried
	for sweep := range mostSweeps(goal) {
		if sweep == newton {
			if !m.newtonOnFree(ctx, x, g, mu, limit) {
				newton += m.patience(sweep) // the set of blocks is not settled
			}
			newton += 3
			ahead = extrapolation{}
		}
		m.swept += m.sweepFlops()
		if m.sweep(x, g, mu) <= limit || ctx.Err() != nil || m.most > 0 && m.u.rho(x) > m.most {
			return
		}
		ahead.next(m, x, g, mu)
	}
}

const (
	// leastScale is the part of the largest derivative that violations are measured by at least, where μ is 0 or about.
	leastScale = 1e-3
	// goalPart is the part of a step's goal to which its model is minimised: errors of several models add up.
	goalPart = 0.1
	// leastGoal is a violation, beside that scale, that is rounding of the gradient.
	leastGoal = 1e-12
)

// patience is for how many sweeps more Newton steps are not tried again, after one failed as the set of blocks was not
// settled. Proximal points, which gauges with faces go by, have a rule of their own for that.
func (m *blockModel) patience(sweep int) int {
	if m.u.faces() {
		return 0
	}
	return 2 * sweep
}

// mostSweeps bounds the sweeps for a model. Where the gap is wide blocks are still missing and the model will be another
// soon: the last digits of its minimiser are not worth their time.
func mostSweeps(goal float64) int { return int(math.Min(1000, 2/goal)) }

// gradientAt is ∇q(x) = g + H(x - x₀), in the order of the parts.
func (m *blockModel) gradientAt(x []float64) []float64 {
	g := make([]float64, len(x))
	if m.products != nil {
		d := make([]float64, len(x))
		for i, v := range x {
			d[i] = v - m.start[i]
		}
		m.products.timesTo(g, d)
		kernel.Axpy(1, m.grad, g)
		return g
	}
	for i, at := range m.hess.Place {
		g[at] = m.grad[i]
	}
	for i, v := range x {
		if d := v - m.start[i]; d != 0 {
			m.hess.AddTo(g, d, i)
		}
	}
	return g
}

// sweep takes proximal steps on every block in turn and keeps g = ∇q(x). It returns the largest violation of optimality,
// which for a block is the length of its first step times its curvature.
func (m *blockModel) sweep(x, g []float64, mu float64) float64 {
	var worst float64
	for b := range m.u.keys {
		lo, hi := m.u.start[b], m.u.start[b+1]
		curve := m.Curvature(lo, hi)
		if curve <= 0 {
			m.flatten(x, g, b, mu)
			continue
		}
		worst = math.Max(worst, m.descendBlock(x, g, b, curve, mu))
	}
	return worst
}

// blockSteps bounds the proximal steps on a block of several entries in a sweep.
const blockSteps = 5

// descendBlock takes proximal steps on a block and returns the violation before them. Where the entries of the block follow
// each other in one part of H, the steps take its own matrix alone and are added to g together in the end: one pass over H
// for each entry, not for each step.
func (m *blockModel) descendBlock(x, g []float64, b int, curve, mu float64) (off float64) {
	lo, block := m.u.start[b], m.u.block(x, b)
	w := len(block)
	if len(m.room) < 3*w {
		m.room = make([]float64, 3*w)
	}
	slope, start, d := m.room[:w], m.room[w:2*w], m.room[2*w:3*w]
	copy(start, block)
	m.slopeTo(slope, g, lo)
	run := m.hess.Run(lo, w)
	for step := range blockSteps {
		copy(d, block)
		for i, s := range slope {
			block[i] -= s / curve
		}
		m.u.gauge.BlockProxTo(block, block, m.u.keys[b], mu/curve)
		var moved float64
		for i, v := range block {
			d[i] = v - d[i]
			moved += d[i] * d[i]
		}
		if step == 0 {
			off = math.Sqrt(moved) * curve
		}
		last := w == 1 || moved == 0 || step == blockSteps-1
		switch {
		case !run:
			m.hess.AddAll(g, d, lo)
			m.slopeTo(slope, g, lo)
		case last:
			for i, v := range block {
				d[i] = v - start[i]
			}
			m.hess.AddAll(g, d, lo)
		default:
			m.hess.AddRun(slope, d, lo)
		}
		if last {
			break
		}
	}
	return off
}

// slopeTo takes the part of ∇q that belongs to the entries from lo on out of g.
func (m *blockModel) slopeTo(slope, g []float64, lo int) {
	for i := range slope {
		slope[i] = g[m.hess.Place[lo+i]]
	}
}

// flatten moves a block along which q has no curvature, such as a feature that the intercept makes redundant, to 0, which is
// its minimum unless q is steeper than μκ.
func (m *blockModel) flatten(x, g []float64, b int, mu float64) {
	block := m.u.block(x, b)
	if mu <= 0 || hessian.IsZero(block) {
		return
	}
	lo, y := m.u.start[b], make([]float64, len(block))
	for i := range y {
		y[i] = -g[m.hess.Place[lo+i]]
	}
	if m.u.gauge.BlockProxTo(y, y, m.u.keys[b], mu) > 0 {
		return
	}
	for i, v := range block {
		m.hess.AddTo(g, -v, lo+i)
	}
	clear(block)
}

// What norms and eigenvalues are raised by, so that rounding leaves them bounds.
const (
	normRounding  = rounding.Null       // of a sum
	eigenRounding = rounding.Decomposed // of a decomposition
)

// Curvature is the largest eigenvalue of the diagonal block of H for the entries lo ≤ i < hi, with a little room for
// rounding, computed once. For large blocks it is the largest row sum or the Frobenius norm, whichever is less, which may be
// many times more.
func (m *blockModel) Curvature(lo, hi int) float64 {
	if hi-lo == 1 {
		return m.hess.Entry(lo, lo)
	}
	if m.tops == nil {
		m.tops = make([]float64, len(m.start))
	}
	if m.tops[lo] > 0 {
		return m.tops[lo]
	}
	var top, squares float64
	diagonal := true
	block := mat.NewSymDense(hi-lo, nil)
	for i := lo; i < hi; i++ {
		var sum float64
		for j := lo; j < hi; j++ {
			x := m.hess.Entry(i, j)
			diagonal = diagonal && (i == j || x == 0)
			sum += math.Abs(x)
			squares += x * x
			block.SetSym(i-lo, j-lo, m.hess.Entry(min(i, j), max(i, j)))
		}
		top = math.Max(top, sum)
	}
	top = math.Min(top, math.Sqrt(squares)*(1+normRounding))
	if hi-lo <= largestDecomposed && top > 0 && !diagonal {
		values, _ := linalg.SymEigen(block, false)
		top = math.Min(top, values[len(values)-1]*(1+eigenRounding)+view.Rounding*top)
	}
	m.tops[lo] = top
	return top
}

// largestDecomposed bounds the blocks whose eigenvalues are computed.
const largestDecomposed = 200

// Value is q(x) + μκ(x), with g = ∇q(x): q(x) = ½⟨g + g₀, x - x₀⟩.
func (m *blockModel) Value(x, g []float64, mu float64) float64 {
	var q float64
	for i, v := range x {
		q += (g[m.hess.Place[i]] + m.grad[i]) * (v - m.start[i]) / 2
	}
	return q + mu*m.u.rho(x)
}
