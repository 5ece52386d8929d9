// Package polytope is conditional gradient on a polytope with steps away from vertices, which converges linearly where plain
// steps go to and fro between faces.
//
// Lacoste-Julien, Jaggi: On the Global Linear Convergence of Frank-Wolfe Optimization Variants, NIPS 2015, Algorithms 1 and 2.
package polytope

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/roots"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// Method minimises L(A W) over ζ times a polytope, or its hull with 0, with W = Σ αᵢvᵢ of vertices, Σαᵢ = 1. With G = -∇ℓ(W), the
// best vertex s = argmax ⟨s, G⟩ of all and the worst v = argmin ⟨v, G⟩ of those of W, it moves along
//
//	s - W   or   W - v, whichever rises faster     away steps: γ ≤ 1 or γ ≤ α_v/(1-α_v)
//	s - v                                          Pairwise: γ ≤ α_v
//
// to the γ at which L is least. The vertex v leaves W where γ is at its limit.
type Method struct {
	Pairwise bool

	zeta float64
	held bool // κ = ζ: 0 is no vertex
}

const (
	rootPart = rounding.Decomposed // of the first slope, that a line search leaves
	noWeight = 1e-14               // of the vertex 0: steps away from it would go on for ever
)

// Name is away or pairwise.
func (x *Method) Name() string {
	if x.Pairwise {
		return "pairwise"
	}
	return "away"
}

// Descends is true.
func (*Method) Descends() bool { return true }

// Ask wants the best vertex.
func (*Method) Ask(*gcg.Problem, *gcg.State) gcg.Ask { return gcg.Ask{Count: 1} }

// Fits says that the atoms of a gauge are the vertices of a polytope: those of gauge.L1, PositiveL1, Simplex and Hull, and of
// gauge.Group under ℓ∞.
func Fits(k gcg.Gauge) bool {
	switch k := k.(type) {
	case gauge.L1, gauge.PositiveL1, gauge.Simplex, gauge.Hull:
		return true
	case gauge.Group:
		return k.Inner == gauge.LInf
	}
	return false
}

// Init refuses gauges whose atoms are no vertices, what does not bound κ, an intercept, and starts of factors.
func (x *Method) Init(problem *gcg.Problem, s *gcg.State, _ gcg.Settings) error {
	p := view.Of(problem)
	x.zeta, x.held = problem.Penalty.Max(), view.HoldsGauge(problem.Penalty)
	if !Fits(problem.Gauge) || !(x.zeta > 0) || math.IsInf(x.zeta, 1) || problem.Intercept || p.Squares != nil || s.W.U != nil {
		return fmt.Errorf("baseline: %s is for κ ≤ ζ or κ = ζ of a polytope, W of its vertices, without an intercept, and not for "+
			"gauge %s with %T", x.Name(), problem.Gauge.Name(), problem.Penalty)
	}
	return nil
}

// A point is W as a mean of vertices ζaᵢ, and of 0 with what is left of 1.
type point struct {
	atoms   []gcg.Atom
	weights []float64
	zero    float64 // weight of the vertex 0; 0 where κ is held at ζ
}

// none stands for the vertex 0 in place of a number of an atom.
const none = -1

// Step is a step to s, away from v, or from v to s.
func (x *Method) Step(_ context.Context, problem *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	p, at := view.Of(problem), x.pointOf(s)
	g := make([]float64, s.W.M*s.W.N)
	gcg.DenseTo(g, s.Gradient(problem))
	best, rise := none, 0.0
	if len(s.Polar.Atoms) > 0 {
		if value := (dense{g, s.W.N}).dot(&s.Polar.Atoms[0]); value > 0 || x.held {
			best, rise = at.add(s.Polar.Atoms[0]), x.zeta*value
		}
	}
	worst, fall := at.worst(x.zeta, dense{g, s.W.N})
	here := problem.InnerProduct(s)
	d, z := make([]float64, len(s.Z)), make([]float64, len(s.Z))
	limit, away := 1.0, false
	switch {
	case x.Pairwise:
		x.addTo(p, d, at, best, 1)
		x.addTo(p, d, at, worst, -1)
		limit = at.weight(worst)
	case rise-here >= here-fall:
		x.addTo(p, d, at, best, 1)
		kernel.Axpy(-1, s.Z, d)
	default:
		x.addTo(p, d, at, worst, -1)
		kernel.Axpy(1, s.Z, d)
		limit, away = at.weight(worst)/(1-at.weight(worst)), true
	}
	gamma := x.search(p, s, d, z, limit)
	switch {
	case gamma == 0:
		return gcg.Moved{}, nil // W is the best point along d
	case x.Pairwise:
		at.move(best, gamma)
		at.move(worst, -gamma)
	case away:
		at.scale(1 + gamma)
		at.move(worst, -gamma)
	default:
		at.scale(1 - gamma)
		at.move(best, gamma)
	}
	if gamma == limit && (x.Pairwise || away) {
		at.drop(worst)
	}
	x.store(s, at)
	kernel.Axpy(gamma, d, s.Z)
	s.Evaluate(problem)
	return gcg.Moved{}, nil
}

// search is the γ up to the limit with the least L(z + γd), which falls at first; 0 where it does not.
func (x *Method) search(p *view.Problem, s *gcg.State, d, z []float64, limit float64) float64 {
	r := make([]float64, len(d))
	falls := func(gamma float64) float64 {
		copy(z, s.Z)
		kernel.Axpy(gamma, d, z)
		p.Value(z, r)
		return kernel.Dot(r, d)
	}
	from := roots.TrialMultiplier{Excess: kernel.Dot(s.R, d)}
	if !(from.Excess > 0) || !(limit > 0) {
		return 0
	}
	to := roots.TrialMultiplier{Mu: limit}
	if math.IsInf(limit, 1) { // W is the vertex v alone, to which nothing is left
		return 0
	}
	if to.Excess = falls(limit); to.Excess >= 0 {
		return limit
	}
	return roots.Root(falls, from, to, rootPart*from.Excess)
}

// pointOf is W of the state.
func (x *Method) pointOf(s *gcg.State) *point {
	at := &point{zero: 1}
	for _, t := range s.W.Terms {
		i := at.add(t.Atom)
		at.weights[i] += t.Weight / x.zeta
		at.zero -= t.Weight / x.zeta
	}
	if x.held || at.zero <= noWeight { // what is left of 1 is rounding
		at.zero = 0
	}
	return at
}

// store writes W of the state, without vertices of no weight.
func (x *Method) store(s *gcg.State, at *point) {
	w := &gcg.Iterate{M: s.W.M, N: s.W.N}
	var sum float64
	for i, v := range at.weights {
		if v > 0 {
			w.Terms = append(w.Terms, gcg.Term{Atom: at.atoms[i], Weight: v * x.zeta})
			sum += v * x.zeta
		}
	}
	if s.W, s.Rho = w, math.Min(sum, x.zeta); x.held {
		s.Rho = x.zeta
	}
}

// addTo adds by times the predictions of a vertex.
func (x *Method) addTo(p *view.Problem, d []float64, at *point, vertex int, by float64) {
	if vertex == none {
		return
	}
	z := make([]float64, len(d))
	p.ApplyAtoms(z, at.atoms[vertex:vertex+1], []float64{by * x.zeta})
	kernel.Axpy(1, z, d)
}

// add is the number of a vertex, which joins with the weight 0 where it is new.
func (at *point) add(a gcg.Atom) int {
	i := slices.IndexFunc(at.atoms, func(b gcg.Atom) bool {
		return a.Key == b.Key && slices.Equal(a.Vals, b.Vals) && slices.Equal(a.Rows, b.Rows) && slices.Equal(a.Cols, b.Cols)
	})
	if i < 0 {
		i = len(at.atoms)
		at.atoms, at.weights = append(at.atoms, a), append(at.weights, 0)
	}
	return i
}

// worst is the vertex of W of the least product with G, and that product.
func (at *point) worst(zeta float64, g dense) (vertex int, product float64) {
	vertex, product = none, 0
	if at.zero == 0 {
		product = math.Inf(1)
	}
	for i, v := range at.weights {
		if y := zeta * g.dot(&at.atoms[i]); v > 0 && y < product {
			vertex, product = i, y
		}
	}
	return vertex, product
}

// weight is that of a vertex.
func (at *point) weight(vertex int) float64 {
	if vertex == none {
		return at.zero
	}
	return at.weights[vertex]
}

// move adds to the weight of a vertex.
func (at *point) move(vertex int, by float64) {
	if vertex == none {
		at.zero += by
	} else {
		at.weights[vertex] += by
	}
}

// drop takes a vertex out, whose weight is 0 but for rounding.
func (at *point) drop(vertex int) { at.move(vertex, -at.weight(vertex)) }

// scale multiplies all weights.
func (at *point) scale(by float64) {
	at.zero *= by
	kernel.Scale(by, at.weights)
}

// dense is G as a matrix of n columns.
type dense struct {
	entries []float64
	n       int
}

// dot is ⟨a, G⟩.
func (g dense) dot(a *gcg.Atom) (sum float64) {
	for e, v := range a.Vals {
		sum += v * g.entries[int(a.Rows[e])*g.n+int(a.Cols[e])]
	}
	return sum
}
