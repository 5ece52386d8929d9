package support

import (
	"context"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// A face is a set of x on which the gauges w_b‖x_b‖_∞ of all blocks are linear. In each block that is not 0 the largest
// entries keep their signs and one modulus, x_i = s_i r_b, and the others move freely; blocks at 0 stay. Its variables z are
// the r_b and the free entries: x = E z.
type face struct {
	m     *blockModel
	of    []int     // the variable of an entry, or -1 where it stays
	sign  []float64 // of an entry in its variable
	count []float64 // of entries, by variables: the diagonal of EᵀE
}

// mostFaced bounds the variables of a face, n of which take 4n² bytes and n³/3 flops.
const mostFaced = 4000

// faces says that the gauge of blocks is linear on such faces.
func (u *support) faces() bool {
	if u.largest == nil || len(u.keys) == 0 {
		return false
	}
	_, ok := u.largest.BlockLargest(u.keys[0], u.start[1])
	return ok
}

// newFace is the face that x lies in.
func (m *blockModel) newFace(x []float64) *face {
	f := &face{m: m, of: make([]int, len(x)), sign: make([]float64, len(x))}
	for b := range m.u.keys {
		f.add(m.u.start[b], m.u.block(x, b))
	}
	return f
}

// add gives the entries of a block, those from lo on, their variables.
func (f *face) add(lo int, block []float64) {
	top, level := linalg.MaxAbs(block), -1
	for i, v := range block {
		switch {
		case top == 0:
			f.of[lo+i] = -1
		case math.Abs(v) == top:
			if level < 0 {
				level = f.variable()
			}
			f.join(lo+i, level, math.Copysign(1, v))
		default:
			f.join(lo+i, f.variable(), 1)
		}
	}
}

// variable adds one.
func (f *face) variable() int {
	f.count = append(f.count, 0)
	return len(f.count) - 1
}

// join makes entry i a multiple of a variable.
func (f *face) join(i, variable int, sign float64) {
	f.of[i], f.sign[i] = variable, sign
	f.count[variable]++
}

// gather is Eᵀv, for v in the order of the parts.
func (f *face) gather(v []float64) []float64 {
	z := make([]float64, len(f.count))
	for i, a := range f.of {
		if a >= 0 {
			z[a] += f.sign[i] * v[f.m.hess.Place[i]]
		}
	}
	return z
}

// expand is E z.
func (f *face) expand(z []float64) []float64 {
	x := make([]float64, len(f.of))
	for i, a := range f.of {
		if a >= 0 {
			x[i] = f.sign[i] * z[a]
		}
	}
	return x
}

// solve is (EᵀE + σEᵀHE)⁻¹ z, in the memory of z, or nil where rounding has left that matrix indefinite.
func (f *face) solve(sigma float64, z []float64) []float64 {
	l, row := linalg.NewLower(len(f.count)), make([]float64, len(f.count))
	for q, entries := range f.active() {
		for at := 0; at < len(entries); {
			a := entries[at].variable
			clear(row[:a+1])
			for ; at < len(entries) && entries[at].variable == a; at++ {
				f.addRow(row, q, entries, entries[at])
			}
			for b := 0; b <= a; b += linalg.PanelWidth {
				for e, x := range row[b:min(a+1, b+linalg.PanelWidth)] {
					l.Row(a, b)[e] += sigma * x
				}
			}
		}
	}
	for a, n := range f.count {
		l.Row(a, a)[a%linalg.PanelWidth] += n
	}
	if !l.Cholesky() {
		return nil
	}
	l.Solve(z)
	return z
}

// A moving is an entry of a part of H that moves, with its place there.
type moving struct {
	at, variable int
	sign         float64
}

// active lists the entries that move in each part, sorted by variable.
func (f *face) active() [][]moving {
	all := make([][]moving, len(f.m.hess.Members))
	for q, part := range f.m.hess.Members {
		for at, i := range part {
			if a := f.of[i]; a >= 0 {
				all[q] = append(all[q], moving{at, a, f.sign[i]})
			}
		}
		slices.SortStableFunc(all[q], func(x, y moving) int { return x.variable - y.variable })
	}
	return all
}

// addRow adds what entry e contributes to the row of EᵀHE for its variable, up to the diagonal.
func (f *face) addRow(row []float64, q int, entries []moving, e moving) {
	n := len(f.m.hess.Members[q])
	h := f.m.hess.Hess[q][e.at*n : (e.at+1)*n]
	for _, o := range entries {
		if o.variable > e.variable {
			return
		}
		row[o.variable] += e.sign * o.sign * h[o.at]
	}
}

// A proximalPoint is a step of the proximal point method for q + μκ, where κ is linear on faces,
//
//	x ← argmin over x of   q(x) + μκ(x) + ‖x - xₖ‖²/2σ.
//
// Semismooth Newton steps on its dual find it [Li, Sun and Toh 2018]. For any ξ, with v = ∇q(ξ), q is above its tangent at ξ,
// and so
//
//	φ(ξ) = q(ξ) - ⟨v, ξ⟩ + min over x of ⟨v, x⟩ + μκ(x) + ‖x - xₖ‖²/2σ
//
// is a lower bound, attained by x(v), the proximity operator of σμκ at xₖ - σv. It is concave, of slope H(x(v) - ξ), and
// largest where ξ = x(v). Its second derivative is -(H + σHJH) with J the projection E(EᵀE)⁻¹Eᵀ on the face of x(v), so that
// the Newton step is
//
//	d = r - σ E s,   (EᵀE + σEᵀHE) s = EᵀH r,   r = x(v) - ξ:
//
// a system of as many equations as the face has variables, which no lack of observations makes singular. As σ grows, few points
// are left.
type proximalPoint struct {
	m         *blockModel
	mu, sigma float64
	from      []float64 // xₖ
}

// A dualPoint is ξ with v = ∇q(ξ), x(v) and φ(ξ).
type dualPoint struct {
	xi, v []float64 // v in the order of the parts
	x     []float64
	phi   float64
}

const (
	proximalFirst  = 10   // σ of the first point, beside the mean of the diagonal of H
	proximalFar    = 1e3  // times that: where few Newton steps solve for such a point, x was as good as the minimiser
	proximalWidest = 1e8  // times that: a model that still falls has no minimum, as far as rounding tells
	proximalPoints = 40   // for one call
	proximalSteps  = 20   // Newton steps for a point, of which 4 let σ grow tenfold, and 10 not at all
	proximalExact  = 0.05 // of how far a point moves, what Newton steps may leave of its own conditions
)

// byProximalPoints goes from one proximal point to the next until no block's optimality is off by more than limit, which it
// reports, or they lead no further. It keeps g.
func (m *blockModel) byProximalPoints(ctx context.Context, x, g []float64, mu, limit float64) bool {
	least := proximalFirst / m.meanCurvature()
	sigma, most := proximalFar*least, proximalSteps/4
	for range proximalPoints {
		before := m.Value(x, g, mu)
		p := &proximalPoint{m: m, mu: mu, sigma: sigma, from: slices.Clone(x)}
		y, steps := p.solve(ctx, slices.Clone(g), limit, most)
		if most < proximalSteps && steps == most { // x is not near enough for that
			sigma, most = least, proximalSteps
			continue
		}
		most = proximalSteps
		if y == nil || ctx.Err() != nil {
			return false
		}
		fell := 0.0
		if gy := m.gradientAt(y); m.Value(y, gy, mu) <= before {
			copy(x, y)
			copy(g, gy)
			if m.sweep(x, g, mu) <= limit {
				return true
			}
			fell = before - m.Value(x, g, mu)
		}
		if fell <= view.Rounding*math.Abs(before) && (sigma <= least || steps < proximalSteps) || sigma > proximalWidest*least {
			return false
		}
		sigma = math.Max(least, sigma*math.Pow(10, 1-float64(max(steps-4, 0))/6))
	}
	return false
}

// worthPoints says that sweeps have taken as long as the Newton steps on faces so far and a few more. Where blocks are
// hardly correlated sweeps are done before that.
func (m *blockModel) worthPoints(x []float64) bool {
	return m.swept >= firstSteps*m.stepFlops(m.newFace(x))
}

// stepFlops are about those of a Newton step on a face, counted as those of sweeps.
func (m *blockModel) stepFlops(f *face) float64 {
	return math.Pow(float64(len(f.count)), 3)/3/fasterFlops + 4*m.hess.Size()
}

// sweepFlops are about those of a sweep. Blocks that reach over several parts add each of their steps to the gradient.
func (m *blockModel) sweepFlops() float64 {
	if len(m.hess.Members) > 1 {
		return 2 * blockSteps * m.hess.Size()
	}
	return 2 * m.hess.Size()
}

// fasterFlops is how many flops of a Cholesky factor take the time of one of a sweep.
const fasterFlops = 10

// firstSteps are the Newton steps that take as long as the sweeps before the first of them.
const firstSteps = 5

// meanCurvature is the mean of the diagonal of H.
func (m *blockModel) meanCurvature() float64 {
	var sum float64
	for i := range m.start {
		sum += m.hess.Entry(i, i)
	}
	return math.Max(sum/float64(len(m.start)), 1e-300)
}

// solve is x(v) about where φ is largest, from ξ = xₖ with v = ∇q there, and the number of Newton steps that took, at most
// most. x is nil where a face has too many variables.
func (p *proximalPoint) solve(ctx context.Context, v []float64, limit float64, most int) (x []float64, steps int) {
	at := p.at(slices.Clone(p.from), v)
	for ; steps < most; steps++ {
		r := slices.Clone(at.x)
		kernel.Axpy(-1, at.xi, r)
		hr := p.m.times(r)
		enough := math.Max(limit/4, proximalExact*maxDistance(at.x, p.from)/p.sigma)
		if slope := linalg.MaxAbs(hr); slope <= enough || ctx.Err() != nil {
			break
		}
		d := p.step(at.x, r, hr)
		if d == nil {
			return nil, steps
		}
		next, ok := p.search(at, d, hr)
		if !ok {
			break
		}
		at = next
	}
	return at.x, steps
}

// at is the dual point ξ with v = ∇q(ξ).
func (p *proximalPoint) at(xi, v []float64) *dualPoint {
	m := p.m
	to := &dualPoint{xi: xi, v: v, x: make([]float64, len(xi))}
	for i, x := range p.from {
		to.x[i] = x - p.sigma*v[m.hess.Place[i]]
	}
	var kappa float64
	for b, key := range m.u.keys {
		block := m.u.block(to.x, b)
		kappa += m.u.gauge.BlockProxTo(block, block, key, p.mu*p.sigma)
	}
	to.phi = p.mu * kappa
	for i, x := range to.x {
		vi, move := v[m.hess.Place[i]], x-p.from[i]
		to.phi += vi*x + move*move/(2*p.sigma) - (vi-m.grad[i])*(xi[i]+m.start[i])/2 // and what does not depend on ξ
	}
	return to
}

// step is the Newton step d at x(v), with r and hr = H r; nil where the face has too many variables.
func (p *proximalPoint) step(x, r, hr []float64) []float64 {
	f := p.m.newFace(x)
	if len(f.count) > mostFaced {
		return nil
	}
	p.m.swept -= p.m.stepFlops(f)
	z := f.solve(p.sigma, f.gather(hr))
	if z == nil {
		return nil
	}
	d := slices.Clone(r)
	kernel.Axpy(-p.sigma, f.expand(z), d)
	return d
}

const (
	armijo    = 1e-4 // part of its slope that φ must rise by, for Newton steps to converge from anywhere
	leastDual = 1e-4 // part of a Newton step below which rounding is what keeps φ from rising
)

// search goes along d, in halves, until φ rises by a part of what its slope H r promises.
func (p *proximalPoint) search(at *dualPoint, d, hr []float64) (next *dualPoint, ok bool) {
	hd, slope := p.m.times(d), 0.0
	for i, x := range d {
		slope += x * hr[p.m.hess.Place[i]]
	}
	for part := 1.0; part > leastDual; part /= 2 {
		xi, v := slices.Clone(at.xi), slices.Clone(at.v)
		kernel.Axpy(part, d, xi)
		kernel.Axpy(part, hd, v)
		if next = p.at(xi, v); next.phi >= at.phi+armijo*part*slope-view.Rounding*math.Abs(at.phi) {
			return next, true
		}
	}
	return nil, false
}

// times is H d, in the order of the parts.
func (m *blockModel) times(d []float64) []float64 {
	h := make([]float64, len(d))
	for i, v := range d {
		if v != 0 {
			m.hess.AddTo(h, v, i)
		}
	}
	return h
}

// maxDistance is max |xᵢ - yᵢ|.
func maxDistance(x, y []float64) (top float64) {
	for i, v := range x {
		top = math.Max(top, math.Abs(v-y[i]))
	}
	return top
}
