package conditional

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// A stepDirection is the direction of a step: one atom, or several with fixed relative weights that sum to 1.
type stepDirection struct {
	atoms   []gcg.Atom
	weights []float64
	z       []float64 // A(Σ weight·atom), centred, where the data shows its observations
	gain    float64   // ⟨Σ weight·atom, G⟩
}

// direction combines the first count atoms of the polar by the minimum of the separable model of the loss: the weight of atom i
// is proportional to (σᵢ - h'(ρ))/Hᵢᵢ, with σᵢ what it attains and Hᵢᵢ the curvature of L along A(aᵢ). That is close to the best
// where their predictions are about orthogonal.
func (g *GCG) direction(p *view.Problem, s *gcg.State, count int) *stepDirection {
	d := &stepDirection{z: memory.Make[float64](len(s.Z))}
	if u, _ := s.Polar.Stacked(); u != nil {
		d.sideBySide(p, s, count)
	} else {
		atoms := s.Polar.Atoms[:count]
		if g.Rule != LineSearch {
			atoms = atoms[:1]
		}
		d.atoms, d.weights = atoms, []float64{1}
		if len(atoms) > 1 {
			d.weights = separableWeights(s.Polar.Values[:len(atoms)], view.Lambda(p.Problem, s), d.curvatures(p, s))
		}
		for i, w := range d.weights {
			d.gain += w * s.Polar.Values[i]
		}
	}
	if p.Squares == nil {
		p.ApplyAtoms(d.z, d.atoms, d.weights)
		hessian.Centred(p, d.z)
	}
	return d
}

// sideBySide combines atoms that the polar gives as columns of two factors, and makes one atom of them.
func (d *stepDirection) sideBySide(p *view.Problem, s *gcg.State, count int) {
	u, v, values := pairsAdded(s, count)
	for i, w := range separableWeights(values, view.Lambda(p.Problem, s), curvaturesAlong(p, s, u, v)) {
		v.ScaleColumn(i, w)
		d.gain += w * values[i]
	}
	d.atoms, d.weights = []gcg.Atom{{U: u, V: v}}, []float64{1}
}

// factors are those of Σ weight·atom, for atoms of low rank.
func (d *stepDirection) factors(w *gcg.Iterate) (u, v *gcg.Factor) {
	if len(d.atoms) == 1 && d.weights[0] == 1 {
		return d.atoms[0].U, d.atoms[0].V
	}
	return factorsOf(w, d.atoms, d.weights)
}

// factorsOf are the factors of Σ weight·atom for atoms of low rank that have the size of W.
func factorsOf(w *gcg.Iterate, atoms []gcg.Atom, weights []float64) (u, v *gcg.Factor) {
	a := &gcg.Iterate{M: w.M, N: w.N}
	a.Add(atoms, weights)
	return a.U, a.V
}

// pairsOf are the vectors of the atoms as columns of two factors.
func pairsOf(w *gcg.Iterate, atoms []gcg.Atom) (u, v *gcg.Factor) {
	ones := make([]float64, len(atoms))
	for i := range ones {
		ones[i] = 1
	}
	return factorsOf(w, atoms, ones)
}

// pairsAdded are the vectors of the first count atoms of the polar, and what they attain.
func pairsAdded(s *gcg.State, count int) (u, v *gcg.Factor, values []float64) {
	u, v = s.Polar.Stacked()
	if u == nil {
		u, v = pairsOf(s.W, s.Polar.Atoms[:count])
	} else if u.K > count {
		u, v = u.Widen(count), v.Widen(count)
	}
	return u, v, s.Polar.Values[:count]
}

// flatAtom is the part of the largest curvature below which one is rounding. An atom that the intercept makes redundant has
// such a curvature, attains rounding too, and would take all of the weight.
const flatAtom = rounding.Null

// leastWorth is the part of what an atom attains that it is worth at least beyond λ: an atom with no weight would have been
// asked for in vain.
const leastWorth = 1e-3

// separableWeights are the weights of a direction, which sum to 1, for atoms that attain the given values and have the given
// curvatures; lambda is h'(ρ).
func separableWeights(values []float64, lambda float64, curve func(i int) float64) []float64 {
	weights := make([]float64, len(values))
	floor := 1e-300
	for i, value := range values {
		weights[i] = curve(i)
		floor = math.Max(floor, math.Max(flatAtom*weights[i], 1e-300*math.Abs(value))) // no quotient overflows
	}
	var sum float64
	for i, value := range values {
		weights[i] = math.Max(value-lambda, leastWorth*math.Abs(value)) / math.Max(weights[i], floor)
		sum += weights[i]
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights
}

// curvatures gives the curvature of L along each of its atoms, the Hᵢᵢ of the separable model, in the cheapest way that the
// operator allows.
func (d *stepDirection) curvatures(p *view.Problem, s *gcg.State) func(i int) float64 {
	if d.atoms[0].LowRank() {
		u, v := pairsOf(s.W, d.atoms)
		return curvaturesAlong(p, s, u, v)
	}
	switch {
	case p.Curved != nil && p.Separable && p.Columns != nil && !p.IsShared():
		return newColumnCurvatures(p, s, d.atoms).of
	case p.Curved != nil && (!p.Separable || p.IsShared()) && p.Kronecker != nil:
		return sparseCurvatures(p, s, d.atoms)
	}
	return func(i int) float64 { return curvatureOf(p, s, d.z, d.atoms[i]) }
}

// curvaturesAlong gives the curvature along each uᵢvᵢᵀ: by one pass over the observations for all of them, by the operator's
// approximation L ⊗ R of the second derivatives, or by a pass for each.
func curvaturesAlong(p *view.Problem, s *gcg.State, u, v *gcg.Factor) func(i int) float64 {
	switch quad := p.LeastSquares; {
	case p.Squares != nil:
		return observedCurvatures(p.Squares, u, v, 1)
	case p.Fused != nil && quad != nil && quad.Weights() == nil:
		return observedCurvatures(p.Fused, u, v, quad.Scale())
	case p.Fused == nil && p.Kronecker != nil && p.Curved != nil:
		return separableCurvatures(p, s, u, v)
	}
	z := make([]float64, len(s.Z))
	return func(i int) float64 {
		return curvatureOf(p, s, z, gcg.Atom{U: factor.Pick(u, []int{i}), V: factor.Pick(v, []int{i})})
	}
}

// curvatureOf is the curvature along one atom. z is work space for its predictions.
func curvatureOf(p *view.Problem, s *gcg.State, z []float64, a gcg.Atom) float64 {
	p.ApplyAtoms(z, []gcg.Atom{a}, []float64{1})
	hessian.Centred(p, z)
	return p.CurvatureAlong(s, z)
}

// observedCurvatures are c·Σ over observed (r, s) of (u_r v_s)² for each pair of columns u and v.
func observedCurvatures(op hessian.DiagonalOperator, u, v *gcg.Factor, c float64) func(i int) float64 {
	u2, v2, du := factor.SquaredEntries(u), factor.SquaredEntries(v), factor.Blank(u)
	defer gcg.Repay(u2, v2, du)
	op.DiagonalTo(du, nil, u2, v2)
	h := u2.ColumnDots(du)
	return func(i int) float64 { return c * h[i] }
}

// separableCurvatures are (uᵀLu)(vᵀRv) for each pair of columns.
func separableCurvatures(p *view.Problem, s *gcg.State, u, v *gcg.Factor) func(i int) float64 {
	weights := p.HessDiagonal(s)
	defer memory.Repay(weights)
	gram, l, r := p.Kronecker.Kronecker(weights, p.Intercept)
	left, right := weighted(gram, l, u), weighted(nil, r, v)
	return func(i int) float64 { return left[i] * right[i] }
}

// sparseCurvatures are those along sparse atoms, Σ over their columns c of (a_cᵀ L a_c) R_cc.
func sparseCurvatures(p *view.Problem, s *gcg.State, atoms []gcg.Atom) func(i int) float64 {
	weights := p.HessDiagonal(s)
	defer memory.Repay(weights)
	gram, l, r := p.Kronecker.Kronecker(weights, p.Intercept)
	return func(i int) (sum float64) {
		a := &atoms[i]
		for e, x := range a.Vals {
			j, c := a.Rows[e], a.Cols[e]
			if gram == nil {
				sum += x * x * l[j] * r[c]
				continue
			}
			for f, y := range a.Vals {
				if a.Cols[f] == c {
					sum += x * y * gram.Row(int(j))[a.Rows[f]] * r[c]
				}
			}
		}
		return sum
	}
}

// weighted is uᵀKu for every column u of F, with K the matrix gram or, where that is nil, the diagonal diag.
func weighted(gram *gcg.Factor, diag []float64, f *gcg.Factor) []float64 {
	w := f
	if gram != nil {
		k := *gram
		k.Rows, k.Data = f.Rows, gram.Data[:f.Rows*gram.Stride]
		w = gcg.TMul(&k, f)
	}
	sums := make([]float64, f.K)
	for i := range f.Rows {
		d := 1.0
		if gram == nil {
			d = diag[i]
		}
		a, b := f.Row(i), w.Row(i)
		for c := range sums {
			sums[c] += d * a[c] * b[c]
		}
	}
	return sums
}

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
