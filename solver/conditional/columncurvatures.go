package conditional

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// columnCurvatures are the curvatures along sparse atoms of a loss that couples no observations, Σ dᵢ A(a)ᵢ² with d the
// diagonal of ∇²L. They are computed from the columns of the atom's entries, so that an atom of one task does not pass over
// the others.
type columnCurvatures struct {
	p     *view.Problem
	s     *gcg.State
	atoms []gcg.Atom
	d     []float64
	z     []float64 // 0 between atoms

	columns  []gcg.Column // of atoms from … to-1
	from, to int

	intercept gcg.InterceptMap // with an intercept, else none
	constants []constant
}

// A constant of the intercept is shared by count observations, over which d sums to curve. An atom's predictions there have
// the given mean over all of them and are not 0 at seen, over which d sums to met; these three are 0 between atoms.
type constant struct{ count, curve, seen, met, mean float64 }

// mostColumns bounds the columns that are held at a time. An atom with more entries is taken by a pass over all
// observations.
const mostColumns = 1024

func newColumnCurvatures(p *view.Problem, s *gcg.State, atoms []gcg.Atom) *columnCurvatures {
	c := &columnCurvatures{p: p, s: s, atoms: atoms, d: p.SeparableHess(s), z: make([]float64, len(s.Z))}
	if p.Intercept {
		c.intercept = p.InterceptMap()
		c.constants = make([]constant, c.intercept.Count+1)
		c.constants[c.intercept.Count].count = math.Inf(1) // of observations that take none: their mean is 0
		for i, x := range c.d {
			k := c.constant(i)
			k.count++
			k.curve += x
		}
	}
	return c
}

// constant is the one that observation t takes.
func (c *columnCurvatures) constant(t int) *constant {
	if at := c.intercept.At(t); at >= 0 {
		return &c.constants[at]
	}
	return &c.constants[c.intercept.Count]
}

// of is the curvature along atom i, less what the intercept absorbs.
func (c *columnCurvatures) of(i int) float64 {
	if len(c.atoms[i].Vals) > mostColumns {
		return curvatureOf(c.p, c.s, make([]float64, len(c.z)), c.atoms[i])
	}
	at, values := c.predictions(i)
	var sum float64
	if !c.p.Intercept {
		for e, t := range at {
			sum += c.d[t] * values[e] * values[e]
		}
		return sum
	}
	for e, t := range at {
		k := c.constant(t)
		k.mean += values[e] / k.count
		k.seen++
		k.met += c.d[t]
	}
	for e, t := range at {
		off := values[e] - c.constant(t).mean
		sum += c.d[t] * off * off
	}
	for _, t := range at {
		k := c.constant(t)
		if k.seen < k.count { // observations whose prediction is 0
			sum += k.mean * k.mean * math.Max(0, k.curve-k.met)
		}
		k.mean, k.seen, k.met = 0, 0, 0
	}
	return sum
}

// predictions are the observations at which atom i predicts something else than 0, and what it predicts there.
func (c *columnCurvatures) predictions(i int) (at []int, values []float64) {
	first := c.extract(i)
	a := &c.atoms[i]
	columns := c.columns[first : first+len(a.Vals)]
	for e := range columns {
		hessian.AddColumn(c.z, a.Vals[e], &columns[e])
	}
	take := func(t int) {
		if x := c.z[t]; x != 0 {
			at, values = append(at, t), append(values, x)
			c.z[t] = 0
		}
	}
	for e := range columns {
		hessian.Each(&columns[e], take)
	}
	return at, values
}

// extract makes sure that the columns of atom i are held, with those of the atoms after it, and tells where they begin.
func (c *columnCurvatures) extract(i int) (first int) {
	if i < c.from || i >= c.to {
		c.from, c.to = i, i
		var rows, cols []int32
		for c.to < len(c.atoms) && (c.to == i || len(rows)+len(c.atoms[c.to].Vals) <= mostColumns) {
			rows, cols = append(rows, c.atoms[c.to].Rows...), append(cols, c.atoms[c.to].Cols...)
			c.to++
		}
		c.columns = c.p.Columns.Columns(rows, cols)
	}
	for j := c.from; j < i; j++ {
		first += len(c.atoms[j].Vals)
	}
	return first
}
