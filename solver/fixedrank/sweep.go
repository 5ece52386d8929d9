package fixedrank

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/newton"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// sweepAbove is the relative gap above which sweeps of ridge regressions precede the Newton steps. Far from the solution a
// sweep, which is exact in each factor, gains more than a Newton step, whose model holds only nearby.
const sweepAbove = 0.005

// A sweeper lowers the local objective of [Yu17 Algorithm 3],
//
//	½‖y - A(U Vᵀ)‖² + λ/2 (‖U‖² + ‖V‖²),
//
// by ridge regressions in one factor at a time. At balanced factors, UᵀU = VᵀV, that is F. It works in float32, in units in
// which y is about 1.
type sweeper struct {
	scale         float64            // of the loss
	rows, columns view.RidgeOperator // the operator, and its transpose
	target        []float64
	y, yCols      []float32
	unit          float64 // of y; a power of 4, so that the factors' unit is a power of 2
	ridge         float64 // of the λ at hand
}

// newSweeper is that of a problem. Its rows are nil where the problem has no ridge form: the loss is not the plain squared one,
// or there is an intercept.
func newSweeper(p *view.Problem) *sweeper {
	if p.Ridge == nil {
		return &sweeper{}
	}
	y := p.LeastSquares.Target()
	w := &sweeper{scale: p.LeastSquares.Scale(), rows: p.Ridge, target: y, y: memory.Make[float32](len(y)), unit: unitOf(y)}
	par.Pieces(len(y), func(lo, hi int) {
		part := memory.Borrow[float64](hi - lo)
		defer memory.Repay(part)
		copy(part, y[lo:hi])
		kernel.Scale(1/w.unit, part)
		kernel.Convert(w.y[lo:hi], part)
	})
	w.columns, w.yCols = view.Transposed(p.Ridge, w.y)
	return w
}

// setRidge takes λ of h = λx, in the sweeper's units.
func (w *sweeper) setRidge(h gcg.Penalty) {
	w.ridge = h.Deriv(0) / w.scale / w.unit
}

// unitOf is the power of 4 nearest the root mean square of y.
func unitOf(y []float64) float64 {
	rms := math.Sqrt(kernel.SumSq(y) / float64(len(y)))
	if !(rms > 0) || math.IsInf(rms, 0) {
		return 1
	}
	return math.Ldexp(1, 2*int(math.Round(math.Log2(rms)/2)))
}

// sweepOnce is one sweep. It returns the objective before it and what it gained, in the sweeper's units.
func (w *sweeper) sweepOnce(x factors) (f, gain float64) {
	norms := w.ridge / 2 * x.dot(x)
	square, first := w.columns.RidgeRows(x.v, x.u, w.yCols, w.ridge, ridgeSteps)
	_, second := w.rows.RidgeRows(x.u, x.v, w.y, w.ridge, ridgeSteps)
	return square/2 + norms, first + second
}

// These say when sweeps end, see partToGain.
const (
	// sweepGain is the part of all that was gained, or of what there is to gain, that one more sweep must gain. Measured from
	// 0.0003 to 0.05; more leaves work to the Newton steps, which cost more.
	sweepGain = 0.001
	// growthGain takes its place while many atoms come in at a time, as the next ones gain more than the last sweeps would, and
	// where none come in, as Newton steps do.
	growthGain = 0.01
	// wideFrom is the rank from which on a sweep costs more than the polar that gives the next atoms, in proportion to the rank.
	// Where more atoms are likely, as a step brought as many as it may or few beside the rank, it has to gain as much more: at a
	// rank of 300, of MovieLens-1M at a small λ, half of the time went to sweeps that gained less than the first ones with the
	// next atoms.
	wideFrom = 32
	// sweepLimit bounds the sweeps of one call.
	sweepLimit = 20
	// ridgeSteps are the conjugate gradient steps on a row.
	ridgeSteps = 2
)

// enoughPart says when W is taken to have all directions that belong: when its core drops one in enoughPart of them, or more.
// Where it drops one or two of sixteen, more are often to come, which Newton steps find one by one: on MovieLens-1M at λ = 40,
// of rank 21, in six times the time.
const enoughPart = 4

// sweepWhileGood takes sweeps until one gains little beside all before it, or beside what F is expected to fall by: in a round
// that added little all gains are little, and sweeps would go on for what no certificate shows. (Without that the weighted
// trace norm takes 1.8 times as long.) It reports whether the problem allows sweeps.
func (l *Local) sweepWhileGood(ctx context.Context, p *view.Problem, s *gcg.State, expected float64) bool {
	if !view.IsLinear(p.Penalty) {
		return false
	}
	end := ending{part: partToGain(p, l.did.Added, s.W.Rank()), expected: expected, limit: sweepLimit}
	if p.Squares != nil {
		sweepSquares(ctx, p, s, end)
		return true
	}
	if l.sweeps == nil {
		l.sweeps = newSweeper(p)
	}
	w := l.sweeps
	if w.rows == nil {
		return false
	}
	w.setRidge(p.Penalty)
	if l.did.Added == s.W.Rank() {
		end.solveCore = func(x factors) (factors, bool) {
			y, gone := w.solveCore(x)
			if enoughPart*gone.K >= x.u.K {
				l.gone, l.did.Added = gone, 0 // nor are there likely to be more that belong
			}
			return y, l.did.Added == 0
		}
	}
	runSweeps(ctx, p, s, w.unit, end, w.sweepOnce)
	return true
}

// partToGain is the part of all that sweeps gained that one more must gain, where a step has added so many of the rank.
func partToGain(p *view.Problem, added, rank int) float64 {
	many := rankGrowing(added, rank)
	switch {
	case added > 0 && rank > wideFrom && (!many || added >= p.MostAtoms()):
		return growthGain * float64(rank) / wideFrom
	case added == 0 || many:
		return growthGain
	}
	return sweepGain
}

// sweepSquares takes sweeps on data that keeps its observations to itself.
func sweepSquares(ctx context.Context, p *view.Problem, s *gcg.State, end ending) {
	q := p.Squares
	ridge := p.Penalty.Deriv(0) / q.Scale()
	runSweeps(ctx, p, s, 1, end, func(x factors) (f, gain float64) {
		norms := ridge / 2 * x.dot(x)
		square, first := q.RidgeColumns(x.v, x.u, ridge, ridgeSteps)
		_, second := q.RidgeRows(x.u, x.v, ridge, ridgeSteps)
		return square/2 + norms, first + second
	})
}

// runSweeps repeats a sweep over both factors until the ending, in units of which one is unit in W, and brings the state to
// the new W. W stays where rounding to float32 cost more than the sweeps gained.
func runSweeps(ctx context.Context, p *view.Problem, s *gcg.State, unit float64, end ending,
	sweep func(x factors) (f, gain float64)) {
	old, start := *s.W, s.Objective(p.Problem)
	x := newFactors(s.W.U, s.W.V, 1/math.Sqrt(unit))
	end.expected /= unit * unit * p.LeastSquares.Scale()
	x = extrapolated(ctx, x, end, sweep)
	u, v := x.wide(math.Sqrt(unit))
	x.repay()
	s.W.U, s.W.V = u, v
	s.Rho = p.GaugeOf(s.W)
	factor.RepayFormer(u, v, s.W)
	s.Refresh(p.Problem)
	if !(s.Objective(p.Problem) <= start) {
		*s.W = old
		s.Rho = p.GaugeOf(s.W)
		s.Refresh(p.Problem)
	}
}

// A sweepCore is ½‖y - A(P T Qᵀ)‖² + λ‖P T Qᵀ‖_* as a function of the k×k matrix T, near a positive diagonal one. Sweeps
// change small singular values slowly: while one factor is fixed its half of the penalty resists, λ/(hσ) times as much as
// the curvature h of the loss. In the core they come to their place, or below 0, in a few products of 4k flops
// for every observation.
type sweepCore struct {
	w     *sweeper
	p, q  *gcg.Factor32
	sigma []float64
}

const (
	coreSweepSteps = 8    // conjugate gradient steps
	coreSweepPart  = 1e-2 // or until the gradient is this part of what it was
	stayPart       = 0.1  // of the least singular value: a core with none below that is left after one step
)

// solveCore goes to about the minimum of the core of x, without the directions in which that is not positive. gone (n×d) are
// their right vectors.
func (w *sweeper) solveCore(x factors) (y factors, gone *gcg.Factor) {
	t, ok := balancing(x)
	if !ok {
		return x, gcg.NewFactor(x.v.Rows, 0)
	}
	x = t.of(x)
	c := &sweepCore{w: w, sigma: factor.WideGram(x.u).Diagonal()}
	c.p, c.q = factor.ScaleColumns(x.u, c.sigma, -0.5), factor.ScaleColumns(x.v, c.sigma, -0.5)
	defer gcg.Repay(c.p, c.q)
	if t, ok := c.minimise(); ok {
		if y, gone, ok := c.positive(t); ok {
			x.repay()
			return y, gone
		}
	}
	return x, gcg.NewFactor(x.v.Rows, 0)
}

// normal is PᵀA*(A(P T Qᵀ))Q.
func (c *sweepCore) normal(t *gcg.Factor) *gcg.Factor {
	gu, narrow := factor.Blank(c.p), gcg.FactorIn[float32](t)
	x := gcg.Mul(c.p, narrow)
	c.w.rows.Normal32To(gu, x, c.q)
	core := gcg.TMul(c.p, gu)
	gcg.Repay(gu, narrow, x)
	return gcg.FactorIn[float64](core)
}

// target is PᵀA*(y)Q, in the sweeper's units.
func (c *sweepCore) target() *gcg.Factor {
	gu, q := gcg.NewFactor(c.p.Rows, c.p.K), gcg.FactorIn[float64](c.q)
	gcg.MulBlock(c.w.rows.Adjoint(c.w.target), gu, q)
	gcg.Repay(q)
	p := gcg.FactorIn[float64](c.p)
	t := gcg.TMul(p, gu)
	gcg.Repay(p, gu)
	t.Scale(1 / c.w.unit)
	return t
}

// minimise takes conjugate gradient steps from T = S.
func (c *sweepCore) minimise() (t *gcg.Factor, ok bool) {
	k := len(c.sigma)
	t = gcg.Small(k, k)
	for i, s := range c.sigma {
		t.Row(i)[i] = s
	}
	r, h := c.target(), c.normal(t)
	r.AddScaled(-1, h)
	for i := range c.sigma {
		r.Row(i)[i] -= c.w.ridge
	}
	inverse := c.inverse(h)
	small := func(x []float64) *gcg.Factor { return &gcg.Factor{Rows: t.Rows, K: k, Stride: t.Stride, Data: x} }
	precondition := func(z, r []float64) { inverse.CoreTo(small(z), small(r)) }
	multiply := func(h, d, _ []float64) {
		copy(h, c.normal(small(d)).Data)
		newton.AddSkew(small(h), small(d), c.sigma, c.w.ridge)
	}
	moved := func(x []float64) *gcg.Factor {
		y := t.Clone()
		y.AddScaled(1, small(x))
		return y
	}
	steps := 0
	stop := func(x []float64) bool {
		steps++
		return steps == 2 && c.stays(moved(x))
	}
	step := hessian.SolveCG(&linalg.ConjugateGradients{
		Multiply: multiply, Precondition: precondition, Limit: coreSweepSteps, Accuracy: coreSweepPart, Stop: stop,
	}, r.Data)
	if step == nil {
		return nil, false
	}
	return moved(step), true
}

// stays says that no singular value goes to 0, at the T after the first step: those that do would be far below 0 by then. What
// else can be gained in the core, sweeps and Newton steps gain for less. (Without it MovieLens-1M to 1e-6 takes 1.13 times as
// long.)
func (c *sweepCore) stays(t *gcg.Factor) bool {
	values, _ := t.SymEigen(false)
	return values[0] > stayPart*c.sigma[len(c.sigma)-1]
}

// inverse is about the inverse of the second derivatives in M. The loss is taken to have the same curvature along every unit
// M: the largest that h, its product with S, shows along the diagonal ones.
func (c *sweepCore) inverse(h *gcg.Factor) *newton.Jacobi[float64] {
	var most float64
	for i, s := range c.sigma {
		most = math.Max(most, h.Row(i)[i]/s)
	}
	core := factor.Blank(h)
	for i := range c.sigma {
		for j := range c.sigma {
			core.Row(i)[j] = most
		}
	}
	return &newton.Jacobi[float64]{Core: core, Sigma: c.sigma, Lambda: c.w.ridge}
}

// positive are balanced factors of P T Qᵀ in the directions in which the symmetric part of T is positive, and the right
// vectors of the others.
func (c *sweepCore) positive(t *gcg.Factor) (x factors, gone *gcg.Factor, ok bool) {
	values, left, dead := newton.PositivePart(t, deadBelow)
	if len(values) == 0 || !(values[0] > 0) {
		return x, nil, false
	}
	right := left.Clone()
	for i, v := range values {
		left.ScaleColumn(i, 1/math.Sqrt(v))
		right.ScaleColumn(i, math.Sqrt(v))
	}
	return factors{gcg.Mul(c.p, gcg.FactorIn[float32](gcg.Mul(t, left))), gcg.Mul(c.q, gcg.FactorIn[float32](right))},
		gcg.FactorIn[float64](gcg.Mul(c.q, gcg.FactorIn[float32](dead))), true
}

// deadBelow is the part of the largest singular value below which one counts as 0: float32 loses squares of less.
const deadBelow = 1e-6

// A turn is the change of factors (U, V) → (U T, V T⁻ᵀ), which keeps U Vᵀ. back is T⁻ᵀ.
type turn struct{ t, back *gcg.Factor32 }

// of is the turned x, as a new pair.
func (t turn) of(x factors) factors {
	y := x.blank()
	t.to(y, x)
	return y
}

// to overwrites y with the turned x.
func (t turn) to(y, x factors) {
	y.u.MulTo(x.u, t.t)
	y.v.MulTo(x.v, t.back)
}

// balancing is the turn to UᵀU = VᵀV = S, the singular values of the product. No other pair has a smaller ½(‖U‖² + ‖V‖²),
// and ridge regressions come to it slowly, as what one factor has too much is hardly seen in the other; and with orthogonal
// columns the diagonal is a good preconditioner of each. With the Cholesky factor L of UᵀU and LᵀVᵀV L = Z M Zᵀ it is T =
// L⁻ᵀZM^¼. It is not ok where UᵀU is singular.
func balancing(x factors) (t turn, ok bool) {
	gu, gv := factor.WideGram(x.u), factor.WideGram(x.v)
	k := x.u.K
	lower, inverse, ok := linalg.InverseRoot(gu.Data, k, gu.Stride, dependent*factor.MaxDiagonal(gu))
	if !ok {
		return t, false
	}
	l, root := gcg.Small(k, k), gcg.Small(k, k) // L and L⁻ᵀ
	for i := range k {
		for j := range i + 1 {
			l.Row(i)[j], root.Row(j)[i] = lower[i*k+j], inverse[i*k+j]
		}
	}
	values, e := gcg.TMul(l, gcg.Mul(gv, l)).SymEigen(true)
	if !(values[0] > dependent*dependent*values[k-1]) {
		return t, false
	}
	z, y := gcg.SmallOf(e), gcg.SmallOf(e)
	for c, v := range values {
		z.ScaleColumn(c, math.Pow(v, 1.0/4))
		y.ScaleColumn(c, math.Pow(v, -1.0/4))
	}
	return turn{gcg.FactorIn[float32](gcg.Mul(root, z)), gcg.FactorIn[float32](gcg.Mul(l, y))}, true
}

// dependent is the part of the largest squared length of U's columns below which a pivot of UᵀU is rounding: the columns are then
// linearly dependent. Eigenvalues of LᵀVᵀV L are products of two such squares.
const dependent = rounding.Sum

// factors are U and V in float32, as one vector.
type factors struct{ u, v *gcg.Factor32 }

// newFactors are scale·U and scale·V, scaled before they are rounded.
func newFactors(u, v *gcg.Factor, scale float64) factors {
	return factors{factor.Narrowed(u, scale), factor.Narrowed(v, scale)}
}

// wide are scale·U and scale·V in float64.
func (x factors) wide(scale float64) (u, v *gcg.Factor) {
	u, v = gcg.FactorIn[float64](x.u), gcg.FactorIn[float64](x.v)
	u.Scale(scale)
	v.Scale(scale)
	return u, v
}

// clone is a copy.
func (x factors) clone() factors { return factors{x.u.Clone(), x.v.Clone()} }

// repay gives the memory of x back.
func (x factors) repay() { gcg.Repay(x.u, x.v) }

// blank is another pair of the same shape.
func (x factors) blank() factors { return factors{factor.Blank(x.u), factor.Blank(x.v)} }

// set makes x a copy of y.
func (x factors) set(y factors) {
	factor.Copy(x.u, y.u)
	factor.Copy(x.v, y.v)
}

// dot is ⟨U, U'⟩ + ⟨V, V'⟩.
func (x factors) dot(y factors) float64 { return x.u.Dot(y.u) + x.v.Dot(y.v) }

// scale is x *= a.
func (x factors) scale(a float32) {
	x.u.Scale(a)
	x.v.Scale(a)
}

// add is x += a·y.
func (x factors) add(a float32, y factors) {
	x.u.AddScaled(a, y.u)
	x.v.AddScaled(a, y.v)
}

// An ending says when sweeps end: when one gains less than the part of all that was gained, or than sweepGain of what F is
// expected to fall by. solveCore, if it is not nil, then goes on from the last end, and says whether sweeps do so too, until
// one gains less than settledGain of F.
type ending struct {
	part, expected float64
	limit          int // of sweeps
	solveCore      func(x factors) (y factors, on bool)
}

// settledGain is what sweeps leave to Newton steps, which take a few products for it where sweeps take many. Measured from
// 1e-7 to 1e-5.
const settledGain = 3e-7

// reached says that the sweep which came to f was the last: it gained gain, of gained by all sweeps.
func (e ending) reached(gain, gained, f float64) bool {
	if e.part == 0 {
		return gain < settledGain*f
	}
	return gain < math.Max(e.part*gained, sweepGain*e.expected)
}

// balancing is the turn that balances x, where that is to be done: before and after solveCore.
func (e ending) balancing(x factors) (t turn, ok bool) {
	if e.solveCore == nil && e.part != 0 {
		return t, false
	}
	return balancing(x)
}

// extrapolated repeats sweeps until the ending, each from a point beyond the end of the last: the combination of the last
// two ends at which the moves of the sweeps, combined alike, are shortest (Anderson's acceleration of depth 1). A sweep that
// ends higher than the last one is undone, and the next starts where that one ended. It returns the last end.
func extrapolated(ctx context.Context, x factors, until ending, sweep func(x factors) (f, gain float64)) factors {
	t := newAndersonState(x)
	var start, last float64 // F at first, and at t.end
	for it := 0; it < until.limit && ctx.Err() == nil; it++ {
		t.from.set(t.x)
		f, gain := sweep(t.x)
		if it == 0 {
			start, last = f, f
		}
		f -= gain
		if !(f <= last) {
			if !t.moved {
				break
			}
			t.undo()
			continue
		}
		last, gain = f, last-f
		t.extrapolate()
		if by, ok := until.balancing(t.x); ok {
			t.turn(by)
		}
		if until.reached(gain, start-last, last) {
			if until.solveCore == nil {
				break
			}
			y, on := until.solveCore(t.end)
			if t.repay(); y != t.end {
				t.end.repay()
			}
			if !on {
				return y
			}
			t, until = newAndersonState(y), ending{limit: sweepLimit}
		}
	}
	t.repay()
	return t.end
}

// An andersonState is where sweeps have come to. Its pairs of factors change places and are used again: memory that is
// touched for the first time costs as much as a product, and beside large data there is none to spare.
type andersonState struct {
	x, end factors // where the next sweep begins, and where the last one ended
	back   factors // the way from end to where its sweep began, if it has moved
	moved  bool
	from   factors // where the present sweep began
	spare  factors // for turns
}

// newAndersonState is at x, which it takes over.
func newAndersonState(x factors) *andersonState {
	return &andersonState{x: x, end: x.clone(), back: x.blank(), from: x.blank()}
}

// repay gives the memory of all but the last end back.
func (t *andersonState) repay() {
	for _, x := range []factors{t.x, t.back, t.from, t.spare} {
		x.repay()
	}
}

// undo goes back to the last end.
func (t *andersonState) undo() {
	t.x.set(t.end)
	t.moved = false
}

// extrapolate makes x the last end and moves x beyond it, to x + by·(end - x) with the former end, where the ways back,
// combined alike, are shortest.
func (t *andersonState) extrapolate() {
	t.from.add(-1, t.x)
	by := math.NaN()
	if d := t.back; t.moved {
		d.add(-1, t.from)
		by = -d.dot(t.from) / d.dot(d)
	}
	if math.IsNaN(by) {
		t.end.set(t.x)
	} else {
		t.end.scale(float32(by))
		t.end.add(float32(1-by), t.x)
	}
	t.x, t.end = t.end, t.x
	t.back, t.from, t.moved = t.from, t.back, true
}

// turn turns all of its pairs.
func (t *andersonState) turn(by turn) {
	if t.spare.u == nil {
		t.spare = t.x.blank()
	}
	for _, y := range []*factors{&t.x, &t.end, &t.back} {
		by.to(t.spare, *y)
		*y, t.spare = t.spare, *y
	}
}
