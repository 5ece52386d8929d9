package views

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/view"
	"gonum.org/v1/gonum/mat"
)

// Dictionary lowers F over U and V by Newton steps within a trust region, along the spheres of the balls that hold cells of U.
// This is line 6 of [Yu17 Algorithm 3] and the local improvement of [Zhang12 Algorithm 2], with the norm that belongs to the
// atoms.
//
// A local minimum at fixed rank need not be the optimum: the polar of the next step tells, and adds what is missing.
type Dictionary struct {
	Steps int // Newton steps for one call; 0 means 10

	radius float64 // of the trust region, where the last call left it
}

// Name is dictionary.
func (*Dictionary) Name() string { return "dictionary" }

// Improves reports whether a problem has what the improver needs: a gauge of dictionaries, the penalty λκ, a loss with second
// derivatives, and no intercept. A problem without a penalty is taken for one that is to have λκ.
func Improves(problem *gcg.Problem) bool {
	linear := problem.Penalty == nil || view.IsLinear(problem.Penalty)
	return view.OfGauge(problem.Gauge).Dictionary != nil && view.OfLoss(problem.Loss).Curved != nil && linear && !problem.Intercept
}

// Init refuses what Improves does not report.
func (m *Dictionary) Init(p *gcg.Problem, _ gcg.Settings) error {
	if !Improves(p) {
		return fmt.Errorf("solver: the dictionary improver is for the penalty λκ of a gauge of views, losses with second "+
			"derivatives and no intercept; this is gauge %s with %T and %T", p.Gauge.Name(), p.Penalty, p.Loss)
	}
	return nil
}

// Improve lowers F and writes W, ρ and the predictions.
func (m *Dictionary) Improve(ctx context.Context, problem *gcg.Problem, s *gcg.State, did gcg.Moved) (gcg.Moved, error) {
	p := view.Of(problem)
	f := newSearch(p)
	if f.together {
		s.Rho = math.Min(s.Rho, p.Dictionary.Compress(s.W))
	}
	if s.W.Rank() == 0 {
		return did, nil
	}
	if s.Iter <= 1 || m.radius == 0 {
		m.radius = math.Inf(1)
	}
	steps := m.Steps
	if steps == 0 {
		steps = usualSteps
	}
	x := f.begin(s.W)
	if x == nil {
		return did, nil
	}
	x, m.radius = f.descend(ctx, x, steps, m.radius)
	s.W = &gcg.Iterate{M: s.W.M, N: s.W.N}
	s.W.SetFactors(f.spread(x))
	s.Rho = f.rho(x)
	if f.together {
		s.Rho = math.Min(s.Rho, p.Dictionary.Compress(s.W))
	}
	s.Refresh(problem)
	return did, nil
}

const (
	// usualSteps of one call: atoms that are still missing gain more than further steps without them.
	usualSteps = 10
	// worthwhile is the part of what a call has gained that a step must gain for another to follow, after the leastSteps that are
	// taken whatever they gain.
	worthwhile, leastSteps = 0.01, 3
	// taken is the part of what a step promised that it must gain to be taken. Below poor the model is bad, and the radius becomes
	// shrink times the step. Above good it grows, where it was what held the step. These are the usual numbers of trust regions.
	taken, poor, good, shrink, grow = 1e-4, 0.25, 0.75, 0.25, 2
)

// descend takes Newton steps from x within a radius. It returns where they end and the radius then.
func (f *search) descend(ctx context.Context, x *position, steps int, radius float64) (*position, float64) {
	first := x.f
	for step := 0; step < steps && ctx.Err() == nil; step++ {
		x = f.prune(x)
		t := f.tangentAt(x)
		d, promised, norm := t.solve(ctx, t.metric(), radius)
		if !(promised > view.Rounding*math.Abs(x.f)) {
			break
		}
		next, ratio := t.retract(d), math.Inf(-1)
		if next != nil {
			ratio = (x.f - next.f) / promised
		}
		switch {
		case !(ratio >= poor):
			radius = shrink * norm
		case ratio > good && norm > radius*(1-good):
			radius *= grow
		}
		if !(ratio > taken) {
			continue
		}
		gain := x.f - next.f
		if x = next; step >= leastSteps && gain < worthwhile*(first-x.f) {
			break
		}
	}
	return x, radius
}

// prune leaves out columns without which F is lower: those that cost λ‖V_:c‖ more than they gain, with the largest curvature of
// the loss.
func (f *search) prune(x *position) *position {
	if f.together {
		return x
	}
	curvature := f.p.Curved.Curvature()
	gu := gcg.NewFactor(x.v.Rows, x.v.K)
	gcg.TMulBlock(f.p.Operator.Adjoint(x.r), gu, x.u)
	along, squares := f.dots(gu, x.v, 0, x.v.Rows), f.dots(x.u, x.u, 0, x.u.Rows)
	var stay []int
	for c, size := range x.sizes {
		if f.lambda*size-along[c] <= curvature*squares[c]*size*size/2 {
			stay = append(stay, c)
		}
	}
	if len(stay) == x.u.K || len(stay) == 0 {
		return x
	}
	less := f.evaluate(&position{u: only(x.u, stay), v: only(x.v, stay), sizes: chosen(x.sizes, stay)})
	if less.f < x.f {
		return less
	}
	return x
}

// A ball is the rows lo ≤ i < hi of U and their radius r.
type ball struct {
	lo, hi int
	r      float64
}

// A search is F as a function of U and V,
//
//	L(A(U Vᵀ)) + λ Σ_c ‖V_:c‖,   ‖U_ic‖ ≤ r_i for ball i and column c
//
// or, where the columns go together, with Frobenius norms ‖V‖ and ‖U_i‖ of all columns.
type search struct {
	p        *view.Problem
	balls    []ball
	together bool
	lambda   float64
}

// newSearch is that of a problem which Improves reports.
func newSearch(p *view.Problem) *search {
	f := &search{p: p, lambda: p.Penalty.Deriv(1)}
	sizes, radii, together := p.Dictionary.Balls()
	f.together = together
	at := 0
	for i, rows := range sizes {
		f.balls = append(f.balls, ball{at, at + rows, radii[i]})
		at += rows
	}
	return f
}

// A position is U, V and F there. The vectors of norms have an entry for each column, the same ones where columns go together.
type position struct {
	u, v  *gcg.Factor
	sizes []float64 // ‖V_:c‖
	z, r  []float64 // predictions, and -∇L
	f     float64
}

// dots are ⟨A_ic, B_ic⟩ by columns for the rows lo ≤ i < hi; together, each entry is their sum.
func (s *search) dots(a, b *gcg.Factor, lo, hi int) []float64 {
	sums := make([]float64, a.K)
	for i := lo; i < hi; i++ {
		x, y := a.Row(i), b.Row(i)
		for c := range sums {
			sums[c] += x[c] * y[c]
		}
	}
	if s.together {
		var all float64
		for _, x := range sums {
			all += x
		}
		for c := range sums {
			sums[c] = all
		}
	}
	return sums
}

// scaleCells multiplies the rows lo ≤ i < hi by a number for each column.
func scaleCells(u *gcg.Factor, lo, hi int, by []float64) {
	for i := lo; i < hi; i++ {
		row := u.Row(i)
		kernel.Hadamard(row[:u.K], row[:u.K], by)
	}
}

// begin is the position of W, nil where all columns are 0.
func (s *search) begin(w *gcg.Iterate) *position {
	x := &position{u: w.U.Clone(), v: w.V.Clone()}
	if s.normalise(x); x.u.K == 0 {
		return nil
	}
	return s.evaluate(x)
}

// spread are the factors of W with the weights of the columns, ‖V_:c‖, spread evenly over both.
func (s *search) spread(x *position) (u, v *gcg.Factor) {
	u, v = x.u.Clone(), x.v.Clone()
	for c, size := range x.sizes {
		u.ScaleColumn(c, math.Sqrt(size))
		v.ScaleColumn(c, 1/math.Sqrt(size))
	}
	return u, v
}

// normalise scales columns so that the largest ‖U_ic‖/r_i is 1, and leaves out those that are 0.
func (s *search) normalise(x *position) {
	most := make([]float64, x.u.K)
	for _, b := range s.balls {
		for c, q := range s.dots(x.u, x.u, b.lo, b.hi) {
			most[c] = math.Max(most[c], math.Sqrt(q)/b.r)
		}
	}
	sizes := s.dots(x.v, x.v, 0, x.v.Rows)
	var stay []int
	for c, size := range sizes {
		if sizes[c] = math.Sqrt(size) * most[c]; sizes[c] > 0 {
			stay = append(stay, c)
		}
	}
	if len(stay) < x.u.K {
		x.u, x.v = only(x.u, stay), only(x.v, stay)
		most, sizes = chosen(most, stay), chosen(sizes, stay)
	}
	inverse := make([]float64, len(most))
	for c, y := range most {
		inverse[c] = 1 / y
	}
	scaleCells(x.u, 0, x.u.Rows, inverse)
	scaleCells(x.v, 0, x.v.Rows, most)
	x.sizes = sizes
}

// chosen are some entries of x.
func chosen(x []float64, at []int) []float64 {
	y := make([]float64, len(at))
	for i, c := range at {
		y[i] = x[c]
	}
	return y
}

// only are some columns of f.
func only(f *gcg.Factor, columns []int) *gcg.Factor {
	g := gcg.NewFactor(f.Rows, len(columns))
	for i := range f.Rows {
		from, to := f.Row(i), g.Row(i)
		for c, at := range columns {
			to[c] = from[at]
		}
	}
	return g
}

// rho is Σ_c ‖V_:c‖ ≥ κ(U Vᵀ).
func (s *search) rho(x *position) (sum float64) {
	for _, size := range x.sizes {
		if sum += size; s.together {
			break
		}
	}
	return sum
}

// evaluate fills in the predictions, -∇L and F.
func (s *search) evaluate(x *position) *position {
	_, _, n := s.p.Operator.Dims()
	x.z, x.r = make([]float64, n), make([]float64, n)
	s.p.Apply(x.z, &gcg.Iterate{M: x.u.Rows, N: x.v.Rows, U: x.u, V: x.v})
	x.f = s.p.Value(x.z, x.r) + s.lambda*s.rho(x)
	return x
}

// A move is a change of U and V.
type move struct{ u, v *gcg.Factor }

func (a move) dot(b move) float64 { return a.u.Dot(b.u) + a.v.Dot(b.v) }

func (a move) clone() move { return move{a.u.Clone(), a.v.Clone()} }

func (a move) add(by float64, b move) {
	a.u.AddScaled(by, b.u)
	a.v.AddScaled(by, b.v)
}

func (a move) scale(by float64) {
	a.u.Scale(by)
	a.v.Scale(by)
}

// A tangent is F to second order at a point, along the spheres of the cells U_ic that are held there: those at their radius whose
// pressure ⟨U_ic, (G V)_ic⟩ goes outwards, G = -∇ℓ. The other cells are free.
type tangent struct {
	*search
	x        *position
	g        gcg.Map
	pressure [][]float64 // over r_i², by ball and column; 0 where a cell is free
	slope    move        // of F, along the spheres
}

// atRadius is the part of its radius from which on a cell is at it.
const atRadius = 1 - 1e-9

// still is the move that is 0.
func (t *tangent) still() move {
	return move{gcg.NewFactor(t.x.u.Rows, t.x.u.K), gcg.NewFactor(t.x.v.Rows, t.x.v.K)}
}

// tangentAt is that at x.
func (s *search) tangentAt(x *position) *tangent {
	t := &tangent{search: s, x: x, g: s.p.Operator.Adjoint(x.r)}
	t.slope = t.still()
	gcg.MulBlock(t.g, t.slope.u, x.v)
	gcg.TMulBlock(t.g, t.slope.v, x.u)
	for _, b := range s.balls {
		squares, out := s.dots(x.u, x.u, b.lo, b.hi), s.dots(x.u, t.slope.u, b.lo, b.hi)
		for c, q := range squares {
			if out[c] /= b.r * b.r; q < b.r*b.r*atRadius || out[c] < 0 {
				out[c] = 0
			}
		}
		t.pressure = append(t.pressure, out)
	}
	t.slope.scale(-1)
	by := make([]float64, x.v.K)
	for c, size := range x.sizes {
		by[c] = s.lambda / size
	}
	addCells(t.slope.v, x.v, 0, x.v.Rows, by)
	t.project(t.slope.u)
	return t
}

// addCells adds by_c B_ic to A_ic for the rows lo ≤ i < hi.
func addCells(a, b *gcg.Factor, lo, hi int, by []float64) {
	for i := lo; i < hi; i++ {
		x, y := a.Row(i), b.Row(i)
		for c, w := range by {
			x[c] += w * y[c]
		}
	}
}

// project takes off d what leaves the spheres.
func (t *tangent) project(d *gcg.Factor) {
	for i, b := range t.balls {
		out := t.dots(t.x.u, d, b.lo, b.hi)
		for c := range out {
			if out[c] /= -b.r * b.r; t.pressure[i][c] == 0 {
				out[c] = 0
			}
		}
		addCells(d, t.x.u, b.lo, b.hi, out)
	}
}

// hessian is ∇²F along d, on the spheres.
func (t *tangent) hessian(d move) move {
	x, p := t.x, t.p
	e := make([]float64, len(x.z))
	p.Apply(e, &gcg.Iterate{M: x.u.Rows, N: x.v.Rows, U: gcg.Beside(d.u, x.u), V: gcg.Beside(x.v, d.v)})
	p.HessTo(e, x.z, x.r, e)
	curved := p.Operator.Adjoint(e)
	out, bent := t.still(), t.still()
	gcg.MulBlock(curved, out.u, x.v)
	gcg.TMulBlock(curved, out.v, x.u)
	gcg.MulBlock(t.g, bent.u, d.v)
	gcg.TMulBlock(t.g, bent.v, d.u)
	out.add(-1, bent)
	for i, b := range t.balls {
		addCells(out.u, d.u, b.lo, b.hi, t.pressure[i])
	}
	along, down := t.dots(x.v, d.v, 0, x.v.Rows), make([]float64, x.v.K)
	for c, size := range x.sizes {
		down[c] = t.lambda / size
		along[c] *= -down[c] / size / size
	}
	addCells(out.v, d.v, 0, x.v.Rows, down)
	addCells(out.v, x.v, 0, x.v.Rows, along)
	t.project(out.u)
	return out
}

// retract goes along d, back to the spheres of the cells that are held, and into the balls of the others.
func (t *tangent) retract(d move) *position {
	x := &position{u: t.x.u.Clone(), v: t.x.v.Clone()}
	x.u.AddScaled(1, d.u)
	x.v.AddScaled(1, d.v)
	for i, b := range t.balls {
		by := t.dots(x.u, x.u, b.lo, b.hi)
		for c, q := range by {
			norm := math.Sqrt(q)
			by[c] = 1
			if norm > b.r || t.pressure[i][c] > 0 && norm > 0 {
				by[c] = b.r / norm
			}
		}
		scaleCells(x.u, b.lo, b.hi, by)
	}
	t.normalise(x)
	if x.u.K == 0 {
		return nil
	}
	return t.evaluate(x)
}

// A metric is the inverse of a block-diagonal approximation of ∇²F: curvatures of the loss times Gram matrices of the other
// factor, by ball of U and for V, with what the spheres and the norms of V add.
type metric struct {
	t     *tangent
	balls []*gcg.Factor // k×k inverses
	v     *gcg.Factor
}

// metric is that at the tangent's point.
func (t *tangent) metric() *metric {
	x := t.x
	m := &metric{t: t}
	curvatures := t.curvatures()
	gram := symmetric(gcg.TMul(x.v, x.v), x.v.K)
	right := mat.NewSymDense(x.u.K, nil)
	for i, b := range t.balls {
		part := *x.u
		part.Rows, part.Data = b.hi-b.lo, x.u.Data[b.lo*x.u.Stride:b.hi*x.u.Stride]
		own := symmetric(gcg.TMul(&part, &part), x.u.K)
		own.ScaleSym(curvatures[i], own)
		right.AddSym(right, own)
		left := mat.NewSymDense(x.u.K, nil)
		if left.ScaleSym(curvatures[i], gram); b.hi-b.lo == 1 && !t.together {
			m.balls = append(m.balls, inverseDiagonal(left, t.pressure[i]))
			continue
		}
		m.balls = append(m.balls, inverse(left, t.pressure[i]))
	}
	down := make([]float64, x.v.K)
	for c, size := range x.sizes {
		down[c] = t.lambda / size
	}
	m.v = inverse(right, down)
	return m
}

// symmetric is a small Gram matrix.
func symmetric(g *gcg.Factor, k int) *mat.SymDense {
	s := mat.NewSymDense(k, nil)
	for i := range k {
		for j := range i + 1 {
			s.SetSym(i, j, g.Row(i)[j])
		}
	}
	return s
}

// inverse is (g + diag(d) + ridge)⁻¹.
func inverse(g *mat.SymDense, d []float64) *gcg.Factor {
	k := len(d)
	for c, y := range d {
		g.SetSym(c, c, g.At(c, c)+y)
	}
	var most float64
	for c := range k {
		most = math.Max(most, g.At(c, c))
	}
	if most == 0 {
		most = 1
	}
	var chol mat.Cholesky
	for ridge := ridgePart; ; ridge *= 10 {
		for c := range k {
			g.SetSym(c, c, g.At(c, c)+ridge*most)
		}
		if chol.Factorize(g) {
			break
		}
	}
	var inv mat.SymDense
	if err := chol.InverseTo(&inv); err != nil {
		return gcg.SmallOf(g)
	}
	return gcg.SmallOf(&inv)
}

// inverseDiagonal is (diag(g) + diag(d))⁻¹: for the many balls of one row, mostly signs that are held.
func inverseDiagonal(g *mat.SymDense, d []float64) *gcg.Factor {
	inv := gcg.Small(len(d), len(d))
	for c, y := range d {
		if y += g.At(c, c); y > 0 {
			inv.Row(c)[c] = 1 / y
		}
	}
	return inv
}

// ridgePart of the largest diagonal entry is added to Gram matrices, which may be singular.
const ridgePart = 1e-8

// curvatures are the mean second derivatives of the loss by ball, or of all observations.
func (t *tangent) curvatures() []float64 {
	ones := make([]float64, len(t.x.z))
	for i := range ones {
		ones[i] = 1
	}
	t.p.HessTo(ones, t.x.z, t.x.r, ones)
	all := make([]float64, len(t.balls))
	for i, b := range t.balls {
		lo, hi := 0, len(ones)
		if t.p.Identity {
			n := t.x.v.Rows
			lo, hi = b.lo*n, b.hi*n
		}
		for _, h := range ones[lo:hi] {
			all[i] += h / float64(hi-lo)
		}
	}
	return all
}

// times is the metric times r, along the spheres.
func (m *metric) times(r move) move {
	t := m.t
	out := move{gcg.NewFactor(r.u.Rows, r.u.K), gcg.Mul(r.v, m.v)}
	for i, b := range t.balls {
		part := *r.u
		part.Rows, part.Data = b.hi-b.lo, r.u.Data[b.lo*r.u.Stride:b.hi*r.u.Stride]
		done := gcg.Mul(&part, m.balls[i])
		for row := range done.Rows {
			copy(out.u.Row(b.lo + row)[:r.u.K], done.Row(row)[:r.u.K])
		}
	}
	t.project(out.u)
	return out
}

// solve minimises the second-order model within the radius, in the norm of the metric, by conjugate gradients [Steihaug 1983]. It
// returns the step, what it promises, and its norm. Where the curvature is not positive, it goes on to the radius; an infinite
// radius ends it there.
func (t *tangent) solve(ctx context.Context, m *metric, radius float64) (d move, promised, norm float64) {
	r := t.slope.clone()
	q := m.times(r)
	rz := r.dot(q)
	q.scale(-1)
	goal := rz * forcing * forcing
	d = t.still()
	var dd, dq, qq = 0.0, 0.0, rz // ⟨d, d⟩, ⟨d, q⟩ and ⟨q, q⟩ of the metric's inverse
	for range mostProducts {
		h := t.hessian(q)
		curved := q.dot(h)
		alpha := rz / curved
		convex := curved > linalg.Epsilon*qq
		stopped := !convex || dd+2*alpha*dq+alpha*alpha*qq >= radius*radius
		switch {
		case stopped && !math.IsInf(radius, 1):
			alpha = (-dq + math.Sqrt(dq*dq+qq*(radius*radius-dd))) / qq
		case stopped && dd > 0:
			return d, promised, math.Sqrt(dd)
		case stopped:
			alpha = 1
		}
		d.add(alpha, q)
		promised += alpha*rz - alpha*alpha*curved/2
		dd += 2*alpha*dq + alpha*alpha*qq
		if stopped {
			break
		}
		r.add(alpha, h)
		z := m.times(r)
		last := rz
		if rz = r.dot(z); rz <= goal || ctx.Err() != nil {
			break
		}
		beta := rz / last
		dq = beta * (dq + alpha*qq)
		qq = rz + beta*beta*qq
		q.scale(beta)
		q.add(-1, z)
	}
	return d, promised, math.Sqrt(math.Max(dd, 0))
}

const (
	// forcing is the part of the slope, in the norm of the metric, that conjugate gradients leave.
	forcing = 0.03
	// mostProducts with ∇²F are taken for a step: more of them gain less than the next step does.
	mostProducts = 50
)
