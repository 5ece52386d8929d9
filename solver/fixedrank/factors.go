package fixedrank

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/firstorder"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
)

// FactorDescent lowers F over both factors of W = UVᵀ for any norm of their columns,
//
//	L(A(UVᵀ)) + λ/2 Σ_c (‖U_:c‖² + ‖V_:c‖²)
//
// by accelerated proximal gradient steps in U and V together. It is line 6 of [Yu17 Algorithm 3] for the factor gauges of
// [Yu17 Proposition 15]: at balanced columns the sum is Σ_c ‖U_:c‖‖V_:c‖ ≥ κ(W), so that F does not rise. The proximity operators
// are of squared norms, which need not be smooth. L needs no second derivatives, and an intercept stays while the factors move.
//
// A local minimum at fixed rank need not be the optimum: the polar of the next step tells, and adds what is missing. For the
// trace norm Local is faster where the loss has second derivatives.
type FactorDescent struct {
	Steps int // proximal gradient steps for one call; 0 means 1000

	descent firstorder.Descent // with the curvature of the last call
}

// Name is factors.
func (*FactorDescent) Name() string { return "factors" }

// fitsFactors reports whether a problem has what FactorDescent needs: norms of the columns of both factors, the penalty λκ, and
// predictions. A problem without a penalty is taken for one that is to have λκ.
func fitsFactors(problem *gcg.Problem) bool {
	linear := problem.Penalty == nil || view.IsLinear(problem.Penalty)
	return view.OfGauge(problem.Gauge).Factored != nil && linear && view.OfOperator(problem.Operator).Squares == nil
}

// Init refuses what fitsFactors does not report.
func (f *FactorDescent) Init(p *gcg.Problem, _ gcg.Settings) error {
	if !fitsFactors(p) {
		return fmt.Errorf("solver: the local improver of two factors is for the penalty λκ of a gauge with norms of their "+
			"columns and operators that keep predictions; this is gauge %s with %T and %T", p.Gauge.Name(), p.Penalty, p.Operator)
	}
	return nil
}

// Improve lowers F and writes W, ρ and the predictions.
func (f *FactorDescent) Improve(ctx context.Context, problem *gcg.Problem, s *gcg.State, did gcg.Moved) (gcg.Moved, error) {
	p := view.Of(problem)
	if s.W.Zero() {
		return did, nil
	}
	x := newFactorSearch(p, s)
	if x == nil {
		return did, nil
	}
	before, start := view.CopyOf(s), s.Objective(problem)
	f.descend(ctx, x)
	x.prune()
	s.W, s.Rho = x.iterate()
	s.Refresh(problem)
	if end := s.Objective(problem); !(end <= start+view.Rounding*s.RoundingScale(start)) {
		before.Restore(s)
		s.RefreshWarm(problem)
	}
	return did, nil
}

const (
	// factorSteps are those of a call: atoms that are still missing gain more than further steps without them.
	factorSteps = 1000
	// factorRound are the steps after which a call asks whether others are worthwhile: whether the last of these rounds gained that
	// part of what the call did.
	factorRound, factorGain = 20, 0.02
)

// descend takes steps while they gain.
func (f *FactorDescent) descend(ctx context.Context, x *factorSearch) {
	steps := f.Steps
	if steps == 0 {
		steps = factorSteps
	}
	f.descent.Prox = x.shrink
	start := x.value
	for taken := 0; taken < steps && ctx.Err() == nil; taken += factorRound {
		before := x.value
		x.value = f.descent.Steps(x.at, before, min(factorRound, steps-taken), x.eval)
		if !(before-x.value > factorGain*(start-x.value)) {
			break
		}
	}
	f.descent.Prox = nil // which holds on to the data
}

// A factorSearch is F as a function of U and V, which lie one after the other in one vector.
type factorSearch struct {
	p      *view.Problem
	s      *gcg.State
	lambda float64
	u, v   *gcg.Factor // views of at
	at     []float64
	value  float64

	z, r   []float64
	column []float64 // work space
}

// newFactorSearch begins at the atoms of W, balanced; it is nil where one is of no rank one.
func newFactorSearch(p *view.Problem, s *gcg.State) *factorSearch {
	x := &factorSearch{p: p, s: s, lambda: p.Penalty.Deriv(1), column: make([]float64, max(s.W.M, s.W.N)),
		z: make([]float64, len(s.Z)), r: make([]float64, len(s.Z))}
	u, v, ok := columnsOf(s.W)
	if !ok {
		return nil
	}
	x.hold(u, v)
	x.value = x.smooth(x.at) + x.balance()
	return x
}

// hold moves copies of U and V into one vector.
func (x *factorSearch) hold(u, v *gcg.Factor) {
	x.at = append(append(make([]float64, 0, len(u.Data)+len(v.Data)), u.Data...), v.Data...)
	x.u, x.v = u, v
	x.u, x.v = x.split(x.at)
}

// split are the factors that lie in a vector.
func (x *factorSearch) split(at []float64) (u, v *gcg.Factor) {
	a, b := *x.u, *x.v
	a.Data, b.Data = at[:len(a.Data):len(a.Data)], at[len(a.Data):]
	return &a, &b
}

// The lines of W that the entries of an atom can lie on: a row or a column, with its number.
type line struct {
	column bool
	at     int32
}

// columnsOf are the factors of W, with one more column for all sparse atoms whose entries lie on one line. It reports false where
// an atom lies on none.
func columnsOf(w *gcg.Iterate) (u, v *gcg.Factor, ok bool) {
	lines, order := map[line][]float64{}, []line(nil)
	for i := range w.Terms {
		a := &w.Terms[i].Atom
		l, ok := lineOf(a)
		if !ok {
			return nil, nil, false
		}
		sum, seen := lines[l]
		if !seen {
			sum = make([]float64, max(w.M, w.N))
			lines[l], order = sum, append(order, l)
		}
		for e, x := range a.Vals {
			sum[l.along(a.Rows[e], a.Cols[e])] += w.Terms[i].Weight * x
		}
	}
	u, v = gcg.NewFactor(w.M, len(order)), gcg.NewFactor(w.N, len(order))
	for c, l := range order {
		whole, unit := v, u
		if l.column {
			whole, unit = u, v
		}
		whole.SetColumn(c, lines[l][:whole.Rows], 1)
		unit.Row(int(l.at))[c] = 1
	}
	if w.Rank() > 0 {
		u, v = gcg.Beside(w.U, u), gcg.Beside(w.V, v)
	}
	return u, v, true
}

// along is the number of an entry on the line.
func (l line) along(i, j int32) int32 {
	if l.column {
		return i
	}
	return j
}

// lineOf is the row or the column that all entries of a sparse atom are in.
func lineOf(a *gcg.Atom) (l line, ok bool) {
	row, column := len(a.Vals) > 0, len(a.Vals) > 0
	for e := range a.Vals {
		row, column = row && a.Rows[e] == a.Rows[0], column && a.Cols[e] == a.Cols[0]
	}
	switch {
	case row:
		return line{false, a.Rows[0]}, true
	case column:
		return line{true, a.Cols[0]}, true
	}
	return l, false
}

// balance scales each column of U and of V to one norm, which leaves their product, drops those that are 0, and returns the
// penalty, λ Σ_c ‖U_:c‖‖V_:c‖.
func (x *factorSearch) balance() float64 {
	var sum float64
	for c := range x.u.K {
		nu, nv := x.norm(x.u, c), x.norm(x.v, c)
		if sum += nu * nv; nu > 0 && nv > 0 {
			x.u.ScaleColumn(c, math.Sqrt(nv/nu))
			x.v.ScaleColumn(c, math.Sqrt(nu/nv))
		}
	}
	return x.lambda * sum
}

// exponent is p of the norm of the columns of U, or of V.
func (x *factorSearch) exponent(right bool) float64 {
	if right {
		return x.p.Factored.Right
	}
	return x.p.Factored.Left
}

// norm is that of column c of U or V.
func (x *factorSearch) norm(f *gcg.Factor, c int) float64 {
	column := x.column[:f.Rows]
	f.ColumnTo(column, c)
	return linalg.PNorm(column, x.exponent(f == x.v))
}

// smooth is L at the factors in a vector; z and r are then those there.
func (x *factorSearch) smooth(at []float64) float64 {
	u, v := x.split(at)
	w := &gcg.Iterate{M: u.Rows, N: v.Rows, U: u, V: v}
	x.p.Apply(x.z, w)
	if x.s.Intercept != nil {
		x.p.InterceptMap().AddTo(x.z, 1, x.s.Intercept)
	}
	return x.p.Value(x.z, x.r)
}

// eval is smooth, with the gradient -[GV; GᵀU] in g where that is not nil.
func (x *factorSearch) eval(at, g []float64) float64 {
	f := x.smooth(at)
	if g == nil {
		return f
	}
	u, v := x.split(at)
	gv, gu := gcg.Both(x.p.Operator.Adjoint(x.r), u, v)
	for i, y := range gv.Data {
		g[i] = -y
	}
	for i, y := range gu.Data {
		g[len(gv.Data)+i] = -y
	}
	return f
}

// shrink is the proximity operator of the penalty for a step, and the penalty there.
func (x *factorSearch) shrink(at []float64, step float64) (penalty float64) {
	u, v := x.split(at)
	for side, f := range []*gcg.Factor{u, v} {
		column := x.column[:f.Rows]
		for c := range f.K {
			f.ColumnTo(column, c)
			norm := linalg.ShrinkSquare(column, step*x.lambda, x.exponent(side == 1))
			f.SetColumn(c, column, 1)
			penalty += norm * norm / 2
		}
	}
	return x.lambda * penalty
}

// negligible is the part of Σ ‖U_:c‖‖V_:c‖ below which a column is tried without: steps on a product take it to 0
// by a factor each.
const negligible = 1e-3

// prune leaves out columns that are 0, and those that cost more than they gain where F is lower without them.
func (x *factorSearch) prune() {
	sum := x.balance() / x.lambda
	x.smooth(x.at)
	gv, _ := gcg.Both(x.p.Operator.Adjoint(x.r), x.u, x.v)
	var some, all []int // that are left without those which go, and without the zeros
	for c := range x.u.K {
		size := x.norm(x.u, c)
		size *= size
		var along float64
		for i := range x.u.Rows {
			along += x.u.Row(i)[c] * gv.Row(i)[c]
		}
		if size > 0 {
			all = append(all, c)
		}
		if size > negligible*sum || size > 0 && along >= x.lambda*size {
			some = append(some, c)
		}
	}
	before := *x
	x.value = math.Inf(1)
	if len(some) > 0 && len(some) < len(all) {
		x.pick(some)
		x.value = x.smooth(x.at) + x.balance()
	}
	if !(x.value <= before.value) {
		*x = before
		x.pick(all)
	}
}

// pick leaves only some columns.
func (x *factorSearch) pick(columns []int) {
	x.hold(factor.Pick(x.u, columns), factor.Pick(x.v, columns))
}

// iterate is W, whose factors are copies, and what bounds its gauge. A gauge of blocks has one sparse atom for each, as its other
// methods do, and ρ is κ(W).
func (x *factorSearch) iterate() (w *gcg.Iterate, rho float64) {
	w = &gcg.Iterate{M: x.u.Rows, N: x.v.Rows}
	rho = x.balance() / x.lambda
	if x.u.K > 0 {
		w.SetFactors(x.u.Clone(), x.v.Clone())
	}
	if b := x.p.BlocksOf(w.M, w.N); b != nil {
		rho = b.Write(w)
	}
	return w, rho
}
