package recovery

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/firstorder"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/loss"
)

// Splitting is the method of over-relaxed alternating directions for Σ ℓ_ij(x_ij) + h(‖X‖_*), with X = Z split and the multiplier
// B:
//
//	V ← Z - B/ρ
//	X ← argmin Σ ℓ_ij(x) + ½ρ(x - v)²                  entry by entry
//	M ← 1.6 X - 0.6 Z + B/ρ
//	Z ← argmin h(‖Z‖_*) + ½ρ‖Z - M‖²                   singular values less λ/ρ, or projected on the ball
//	B ← ρ(M - Z)
//
// Z is the iterate, of factors. R = B, clipped to the domain of the loss's conjugate, is the dual point; its spectral norm is at
// most λ by construction where that clips nothing, and is proven in any case. Singular triples are found near those of the last
// step. ρ balances how far X is from Z and how far Z moves. After some steps M is a combination of the last ones, by Anderson's
// acceleration.
type Splitting struct {
	// Rho is the first ρ; 0 takes the curvature of the loss, or a fifth of it where not all entries are observed, or what the size
	// of the data suggests where the loss has corners.
	Rho float64
	// Fixed leaves ρ as it is.
	Fixed bool
	// LowRank leaves the low-rank Z as the iterate where the sparse X would do as well.
	LowRank bool

	p         *gcg.Problem
	layout    *layout
	cone      cone
	prox      proximable
	shrinkers []shrinker
	prover    prover
	rho       float64
	unit      float64      // that X and Z are in; squares of numbers far from 1 are out of range
	z, m      []float64    // dense, of all blocks; z is s.Z where that is the same
	of        float64      // B = of·(M - Z): ρ of the last step
	x         []float64    // dense; nil while nothing reads the X of a step
	obs       []float64    // of the observations; nil where these are the blocks
	w         *gcg.Iterate // whose matrix z is
	changed   int          // step of the last change of ρ
	norm      float64      // ‖B‖₂ by construction
	goal      float64      // ρ is raised to this at first
	most      float64      // ρ at most
	faster    acceleration
}

// A proximable is a loss with a proximity operator.
type proximable interface {
	// ProxTo writes argmin over z of L(z) + ½ρ‖z-v‖² for the observations from lo on. z may be v.
	ProxTo(z, v []float64, lo int, rho float64)
}

const (
	relaxation = 1.6 // of X against Z; with 1 the gap closes in half as many steps more
	proofEvery = 20  // steps between proofs that cannot close the gap, for a bracket
)

// Name is splitting.
func (*Splitting) Name() string { return "splitting" }

// Init takes the dense matrices that it works on, or leaves them to the first step where the state is one of a run that goes on,
// which may have ended. It refuses gauges that are no trace norm, penalties but λx and x ≤ ζ,
// losses without a proximity operator or a conjugate, and operators of anything but entries.
func (a *Splitting) Init(p *gcg.Problem, s *gcg.State, set gcg.Settings) error {
	l, c, err := admit(p)
	if err != nil {
		return err
	}
	var ok bool
	if a.prox, ok = p.Loss.(proximable); !ok {
		return fmt.Errorf("solver: splitting needs a loss with a proximity operator; %T has none", p.Loss)
	}
	a.p, a.layout, a.cone, a.changed, a.m, a.x, a.obs = p, l, c, 0, nil, nil, nil
	a.prover = newProver(l, c, set.Tol)
	if s.Polar == nil {
		a.begin(s)
	}
	return nil
}

// begin takes the matrices, and is where the state is.
func (a *Splitting) begin(s *gcg.State) {
	l := a.layout
	a.unit, a.m = a.unitOf(), memory.Make[float64](l.size)
	if l.place != nil {
		a.x, a.obs = memory.Make[float64](l.size), memory.Make[float64](len(s.Z))
	}
	if a.z = s.Z; !a.shares() {
		a.z = memory.Make[float64](l.size)
	}
	a.shrinkers = make([]shrinker, len(l.blocks))
	for i, b := range l.blocks {
		a.shrinkers[i] = shrinker{cone: a.cone, m: len(b.rows), n: len(b.cols), draw: s.Seed}
	}
	a.rho, a.goal = a.firstRho()
	a.most = a.mostRho()
	a.faster.forget()
	a.fromState(s)
}

// shares says that Z and the predictions are the same numbers.
func (a *Splitting) shares() bool { return a.layout.place == nil && a.unit == 1 }

// admit is the layout and the cone of a problem that the methods take.
func admit(p *gcg.Problem) (*layout, cone, error) {
	c, ok := coneOf(p.Gauge)
	if !ok {
		return nil, c, fmt.Errorf("solver: sparse and low-rank methods need a trace norm; gauge %s is none", p.Gauge.Name())
	}
	if math.IsInf(p.Penalty.Max(), 1) && !view.IsLinear(p.Penalty) || view.HoldsGauge(p.Penalty) {
		return nil, c, fmt.Errorf("solver: sparse and low-rank methods take the penalties λκ and κ ≤ ζ, not %T", p.Penalty)
	}
	if view.OfLoss(p.Loss).Conjugate == nil || !gcg.Separable(p.Loss) {
		return nil, c, fmt.Errorf("solver: sparse and low-rank methods need a loss of single entries with a conjugate; %T is none",
			p.Loss)
	}
	if p.Intercept {
		return nil, c, fmt.Errorf("solver: sparse and low-rank methods fit no intercept")
	}
	l, err := layoutOf(p.Operator, c != general)
	return l, c, err
}

// newProver is a prover with its work space.
func newProver(l *layout, c cone, tol float64) prover {
	return prover{layout: l, cone: c, tol: tol, start: make([][]float64, len(l.blocks))}
}

// fromState begins at the state's W, with R = 0: the bound of the loss alone. B is 0, or for a loss with corners a multiple of Y,
// within its domain and of a spectral norm of λ. A state with a polar is that of a run that goes on: its R is B.
func (a *Splitting) fromState(s *gcg.State) {
	if a.w = s.W; !s.W.Zero() {
		a.denseTo(a.z, s.W)
	}
	a.of = a.goal
	if s.Polar != nil {
		a.rho = a.goal
		a.layout.scatter(a.m, s.R)
	} else {
		s.Polar = &gcg.Polar{Kind: gcg.Proven, Alpha: 1}               // at R = 0
		if d, ok := a.p.Loss.(*loss.Deviation); ok && a.rho < a.goal { // ‖Y‖₂ is 1.25 λ/ρ
			scale := min(a.rho/firstWeight, d.Lambda/(linalg.MaxAbs(d.Y)/a.unit))
			for e, y := range d.Y {
				s.R[e] = scale * (y / a.unit)
			}
			a.layout.scatter(a.m, s.R)
		}
		clear(s.R)
	}
	for i, z := range a.z { // B/ρ + Z
		a.m[i] = z + a.m[i]/a.of
	}
}

// denseTo writes the blocks of W.
func (a *Splitting) denseTo(x []float64, w *gcg.Iterate) {
	all := w.Dense()
	for _, b := range a.layout.blocks {
		for r, i := range b.rows {
			for c, j := range b.cols {
				x[b.at+r*len(b.cols)+c] = all[int(i)*w.N+int(j)] / a.unit
			}
		}
	}
}

// Ask wants nothing: the steps bring their own polars.
func (*Splitting) Ask(*gcg.Problem, *gcg.State) gcg.Ask { return gcg.Ask{Count: 1} }

// Descends is false.
func (*Splitting) Descends() bool { return false }

// Step is one round of the directions.
func (a *Splitting) Step(ctx context.Context, p *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	if a.m == nil {
		a.begin(s)
	}
	if s.W != a.w && a.shares() { // the run went back, and the predictions with it
		a.z = memory.Make[float64](a.layout.size)
		a.denseTo(a.z, a.w)
	}
	balance := !a.Fixed && s.Iter >= a.changed+max(balanceGap, a.changed/4)
	a.entries(s.Iter, balance)
	parts, rho := a.shrink()
	primal, dual := a.move(s, parts, balance)
	a.toState(p, s, parts, rho)
	did := gcg.Moved{Polar: a.prover.certify(ctx, p, s, a.norm, a.shrinkers, a.aligner(s, parts), (s.Iter+1)%proofEvery == 0)}
	a.sparsen(p, s, did.Polar)
	switch {
	case a.rho < a.goal:
		a.rho, a.changed = math.Min(rise*a.rho, a.goal), s.Iter+1
	case balance:
		a.balance(primal, dual, s.Iter)
	}
	return did, nil
}

// entries writes M, and after some steps combines it with those of steps before. X is kept where read says so, or where others
// read it.
func (a *Splitting) entries(iter int, read bool) {
	weight := relaxation
	if a.rho < a.goal { // which swings as ρ rises
		weight = 1
	}
	combined := iter >= plainness && a.rho >= a.goal && len(a.m) <= most
	if a.x == nil && (read || combined || a.sparse()) {
		a.x = memory.Make[float64](len(a.m))
	}
	if a.layout.place == nil {
		par.Pieces(len(a.m), func(lo, hi int) {
			room := memory.Borrow[float64](2 * chunk)
			defer memory.Repay(room)
			for ; lo < hi; lo += chunk {
				end := min(lo+chunk, hi)
				x, b := room[:end-lo], room[chunk:][:end-lo]
				if a.x != nil {
					x = a.x[lo:end]
				}
				a.apart(x, b, lo)
				a.proximate(x, lo)
				a.mix(x, b, weight, lo)
			}
		})
	} else {
		b := memory.Borrow[float64](len(a.x))
		defer memory.Repay(b)
		chunks(len(a.x), func(lo, hi int) { a.apart(a.x[lo:hi], b[lo:hi], lo) })
		a.layout.gather(a.obs, a.x)
		chunks(len(a.obs), func(lo, hi int) { a.proximate(a.obs[lo:hi], lo) })
		a.layout.scatter(a.x, a.obs)
		chunks(len(a.x), func(lo, hi int) { a.mix(a.x[lo:hi], b[lo:hi], weight, lo) })
	}
	if !combined {
		return
	}
	move := memory.Borrow[float64](len(a.m))
	defer memory.Repay(move)
	for i, x := range a.x {
		move[i] = weight * (x - a.z[i])
	}
	a.faster.next(a.m, move)
}

// chunks calls f for ranges so short that what one pass over a few vectors leaves is in cache for the next.
func chunks(n int, f func(lo, hi int)) {
	par.Pieces(n, func(lo, hi int) {
		for ; lo < hi; lo += chunk {
			f(lo, min(lo+chunk, hi))
		}
	})
}

// chunk is the numbers of one: five vectors of it are 80 KB, of a second-level cache. Passes over the whole took a tenth of a
// step more at 1000 × 1000.
const chunk = 2048

// apart writes B/ρ and V = Z - B/ρ from entry lo on.
func (a *Splitting) apart(v, b []float64, lo int) {
	copy(b, a.m[lo:])
	kernel.Axpy(-1, a.z[lo:][:len(b)], b)
	kernel.Scale(a.of/a.rho, b)
	copy(v, a.z[lo:])
	kernel.Axpy(-1, b, v)
}

// proximate overwrites the V of observations from lo on by their X.
func (a *Splitting) proximate(x []float64, lo int) {
	if a.unit == 1 {
		a.prox.ProxTo(x, x, lo, a.rho)
		return
	}
	kernel.Scale(a.unit, x)
	a.prox.ProxTo(x, x, lo, a.rho/a.unit)
	kernel.Scale(1/a.unit, x)
}

// mix writes M from entry lo on, of X and B/ρ.
func (a *Splitting) mix(x, b []float64, weight float64, lo int) {
	kernel.Axpy(weight, x, b)
	kernel.Axpy(1-weight, a.z[lo:][:len(x)], b)
	copy(a.m[lo:], b)
}

// shrink is Z, as triples of each block, and ‖Z‖_*.
func (a *Splitting) shrink() (parts []triples, rho float64) {
	parts = make([]triples, len(a.layout.blocks))
	zeta := a.p.Penalty.Max() / a.unit
	theta := 0.0
	if math.IsInf(zeta, 1) {
		theta = a.p.Penalty.Deriv(0) / a.rho
	}
	var values []float64
	for i, b := range a.layout.blocks {
		parts[i] = a.shrinkers[i].decompose(b.of(a.m), func(values []float64) bool {
			if math.IsInf(zeta, 1) {
				return values[len(values)-1] <= theta
			}
			own := linalg.BallThreshold(values, zeta)
			return own > 0 && values[len(values)-1] <= own
		})
		values = append(values, parts[i].values...)
	}
	if !math.IsInf(zeta, 1) {
		theta = linalg.BallThreshold(values, zeta)
	}
	a.norm = a.rho * theta
	for i := range parts {
		rho += a.shrinkers[i].lower(&parts[i], theta)
	}
	return parts, math.Min(rho, zeta)
}

// lower takes θ off the values, leaves out those that vanish, and returns the sum of the others.
func (s *shrinker) lower(t *triples, theta float64) (sum float64) {
	rank := 0
	for c, v := range t.values {
		if v > theta {
			rank, t.values[c], sum = c+1, v-theta, sum+v-theta
		}
	}
	s.keep(rank)
	t.values = t.values[:rank]
	t.left, t.right = t.left.Widen(rank), t.right.Widen(rank)
	return sum
}

// matrixTo writes the matrix of the triples.
func (t *triples) matrixTo(x []float64, m, n int) {
	clear(x)
	if len(t.values) == 0 {
		return
	}
	scaled := t.left.Clone()
	scaled.ScaleColumns(padded(t.values, scaled.Stride))
	kernel.GemmNT(x, scaled.Data, t.right.Data, m, n, scaled.Stride)
}

// padded is x with zeros up to a length.
func padded(x []float64, n int) []float64 {
	return append(append(make([]float64, 0, n), x...), make([]float64, n-len(x))...)
}

// move writes Z, R and the predictions, and where apart says so returns ‖X - Z‖² and the square of how far Z moves. Z is made
// some rows at a time, which stay in cache.
func (a *Splitting) move(s *gcg.State, parts []triples, apart bool) (primal, dual float64) {
	a.of = a.rho
	for i, t := range parts {
		b := &a.layout.blocks[i]
		m, n := len(b.rows), len(b.cols)
		scaled := t.left.Clone()
		scaled.ScaleColumns(padded(t.values, scaled.Stride))
		sums := make([]struct{ primal, dual float64 }, m) // of pieces, where they begin
		rowPieces(m, n, func(top, rows int) {
			at := b.at + top*n
			z := memory.Borrow[float64](rows * n)
			defer memory.Repay(z)
			clear(z)
			if scaled.K > 0 {
				kernel.GemmNT(z, scaled.Data[top*scaled.Stride:], t.right.Data, rows, n, scaled.Stride)
			}
			if apart {
				sums[top].primal, sums[top].dual = squaresApart(z, a.x[at:]), squaresApart(z, a.z[at:])
			}
			copy(a.z[at:], z)
			if a.layout.place == nil {
				a.observe(s, z, at)
			}
		})
		for _, c := range sums {
			primal, dual = primal+c.primal, dual+c.dual
		}
	}
	if a.layout.place != nil {
		a.layout.gather(s.Z, a.z)
		a.layout.gather(s.R, a.m)
		chunks(len(s.Z), func(lo, hi int) {
			z, r := s.Z[lo:hi], s.R[lo:hi]
			for i := range r {
				r[i] = a.rho * (r[i] - z[i])
			}
			a.clip(r, lo)
			if a.unit != 1 {
				kernel.Scale(a.unit, z)
			}
		})
	}
	return primal, dual
}

// piece is the numbers of Z that are made at once, 512 KB of them: each piece packs all right vectors anew, a twentieth of a step
// with half of that.
const piece = 1 << 16

// rowPieces calls f for all pieces of m rows of n numbers, each from its first row on, at once.
func rowPieces(m, n int, f func(top, rows int)) {
	height := max(1, piece/n)
	par.For((m+height-1)/height, func(c int) { f(c*height, min(height, m-c*height)) })
}

// squaresApart is ‖x - y‖², over the length of x.
func squaresApart(x, y []float64) (sum float64) {
	y = y[:len(x)]
	for i, v := range x {
		sum += (v - y[i]) * (v - y[i])
	}
	return sum
}

// observe writes R and the predictions from observation at on, of the z there.
func (a *Splitting) observe(s *gcg.State, z []float64, at int) {
	r := s.R[at:][:len(z)]
	copy(r, a.m[at:])
	kernel.Axpy(-1, z, r)
	kernel.Scale(a.rho, r)
	a.clip(r, at)
	if &a.z[0] != &s.Z[0] {
		copy(s.Z[at:], z)
		kernel.Scale(a.unit, s.Z[at:][:len(z)])
	}
}

// clip moves R from observation lo on into the domain of the loss's conjugate.
func (a *Splitting) clip(r []float64, lo int) {
	if l, bounded := a.p.Loss.(dualLoss); bounded {
		l.ClipTo(r, lo)
	}
}

// toState makes Z the iterate.
func (a *Splitting) toState(p *gcg.Problem, s *gcg.State, parts []triples, rho float64) {
	if a.unit != 1 {
		for _, t := range parts {
			kernel.Scale(a.unit, t.values)
		}
		rho *= a.unit
	}
	s.W = a.layout.join(parts)
	a.w = s.W
	s.Rho, s.Exact = rho, true
	s.Loss = p.Value(s.Z, nil)
	s.Count.Gradients++
}

// join is Σ value·left·rightᵀ of all blocks as factors of W.
func (l *layout) join(parts []triples) *gcg.Iterate {
	rank := 0
	for _, t := range parts {
		rank += len(t.values)
	}
	w := &gcg.Iterate{M: l.m, N: l.n}
	if rank == 0 {
		return w
	}
	w.U, w.V = gcg.NewFactor(l.m, rank), gcg.NewFactor(l.n, rank)
	at := 0
	for i, t := range parts {
		b := &l.blocks[i]
		for c, v := range t.values {
			root := math.Sqrt(v)
			for r, row := range b.rows {
				w.U.Row(int(row))[at+c] = root * t.left.Row(r)[c]
			}
			for r, col := range b.cols {
				w.V.Row(int(col))[at+c] = root * t.right.Row(r)[c]
			}
		}
		at += len(t.values)
	}
	return w
}

// The weight ρ of the augmented Lagrangian: where it starts, how far it goes, and what changes it.
const (
	imbalance   = 3    // of the two residuals from which on ρ changes, by its root
	balanceGap  = 5    // steps between changes of ρ at first; it grows by a quarter of the steps so far, so that ρ settles
	sampledRho  = 0.2  // of the loss's curvature, where not all entries are observed; from 0.1 to 0.3 as many steps
	highestRho  = 2    // of the loss's curvature; beyond, no reference problem takes fewer steps
	weakWeight  = 0.05 // of λ mn/Σ|y|; with 0.12 and with 0.4 some weak penalties take three times the steps
	firstWeight = 1.25 // of λ/‖Y‖₂, and
	rise        = 1.5  // of ρ a step, both of the inexact augmented Lagrangian method
)

// firstRho is ρ at the start, and what it is raised to at first. Where the loss has corners it begins at 1.25 λ/‖Y‖₂, at which Z
// is of low rank, as the inexact augmented Lagrangian method does [Lin, Chen, Ma 2010], and is raised to λ mn/Σ|y|: four times
// the constant of [Candès, Li, Ma, Wright 2011], with which random matrices with noise took up to twice the steps.
func (a *Splitting) firstRho() (rho, goal float64) {
	if a.Rho > 0 {
		return a.Rho * a.unit, a.Rho * a.unit
	}
	if c, ok := a.p.Loss.(interface{ Curvature() float64 }); ok && !math.IsInf(c.Curvature(), 1) && c.Curvature() > 0 {
		rho = c.Curvature()
		if a.sampled() {
			rho *= sampledRho
		}
		rho = math.Min(rho, a.weakRho())
		return rho, rho
	}
	y, ok := a.p.Loss.(interface{ Target() []float64 })
	lambda := a.p.Penalty.Deriv(0)
	if !ok || lambda == 0 {
		return 1, 1
	}
	targets, size := y.Target(), 0.0
	if a.unit != 1 {
		targets = slices.Clone(targets)
		kernel.Scale(1/a.unit, targets)
	}
	for _, x := range targets {
		size += math.Abs(x)
	}
	if size == 0 {
		return 1, 1
	}
	a.prover.fill(targets)
	goal = lambda * float64(len(targets)) / size
	return math.Min(goal, firstWeight*lambda/a.prover.estimate(nil)), goal
}

// farFrom1 is the exponent of two from which on the numbers of a matrix are far from 1: sums of their squares may be out of
// range.
const farFrom1 = 300

// unitOf is 1, or a power of two near the largest target of a loss with corners where that is far from 1. Such a loss, and the
// trace norm, are in proportion to the matrix, so that every scale of it is allowed. It is in range, and so is its inverse.
func (a *Splitting) unitOf() float64 {
	y, ok := a.p.Loss.(interface{ Target() []float64 })
	if !ok {
		return 1
	}
	_, exponent := math.Frexp(linalg.MaxAbs(y.Target()))
	if -farFrom1 < exponent && exponent < farFrom1 {
		return 1
	}
	return math.Ldexp(1, max(-1000, min(exponent, 1000)))
}

// weakRho is what suits penalties so weak that the observed entries are nearly met: a part of λ mn/Σ|y|, as for a loss with
// corners; +Inf where the loss is none of squares. With a bound, λ₁ stands for the multiplier, which is not known.
func (a *Splitting) weakRho() float64 {
	if h, ok := a.p.Loss.(*loss.Huber); ok {
		return a.cornerRho(h)
	}
	q, l1 := a.squares()
	if q == nil || !a.sampled() {
		return math.Inf(1)
	}
	var size float64
	for e, y := range q.Y {
		if q.Omega == nil || q.Omega[e] > 0 {
			size += math.Abs(y)
		}
	}
	lambda := a.p.Penalty.Deriv(0)
	if lambda == 0 {
		lambda = l1
	}
	if lambda == 0 || size == 0 {
		return math.Inf(1)
	}
	return weakWeight * lambda * float64(len(q.Y)) / size
}

// cornerRho is what suits a Huber loss so narrow beside its targets that it is nearly the absolute value: λ mn/Σ|y|, which makes
// a step of the dual point as long as it can be where all is far from met. Of the curvature, which is ω/μ however small both are,
// steps would be of the length μ.
func (a *Splitting) cornerRho(h *loss.Huber) float64 {
	var size, slope float64
	for e, y := range h.Y {
		w := 1.0
		if h.Omega != nil {
			w = h.Omega[e]
		}
		if w > 0 {
			size, slope = size+math.Abs(y), math.Max(slope, w)
		}
	}
	if h.Mean {
		slope /= float64(len(h.Y))
	}
	lambda := a.p.Penalty.Deriv(0)
	if lambda == 0 || lambda > slope {
		lambda = slope
	}
	if size == 0 {
		return math.Inf(1)
	}
	return lambda * float64(len(h.Y)) / size
}

// squares are the loss of squares that the loss is made of, and λ₁; nil where it is another.
func (a *Splitting) squares() (q *loss.Squared, l1 float64) {
	if sum, ok := a.p.Loss.(*loss.WithL1); ok {
		q, _ = sum.Loss.(*loss.Squared)
		l1 = sum.Lambda
	}
	return q, l1
}

// sampled says that some entries of the blocks are not observed.
func (a *Splitting) sampled() bool {
	q, _ := a.squares()
	return !a.layout.whole || q != nil && slices.Contains(q.Omega, 0)
}

// mostRho is what ρ may be balanced to: a multiple of the curvature of the loss, where it has one. The two residuals say little
// where singular values come and go, and lead away from there by several powers of ten.
func (a *Splitting) mostRho() float64 {
	if c, ok := a.p.Loss.(interface{ Curvature() float64 }); ok && !math.IsInf(c.Curvature(), 1) && c.Curvature() > 0 {
		return c.Curvature() * highestRho
	}
	return math.Inf(1)
}

// balance changes ρ where ‖X - Z‖ and the last move of Z, whose squares are given, are far apart. B stays.
func (a *Splitting) balance(primal, dual float64, iter int) {
	rule := firstorder.Balance{Apart: imbalance, Far: imbalance, Most: mostImbalance}
	factor := rule.Factor(math.Sqrt(primal), math.Sqrt(dual))
	if factor == 1 || primal == 0 || dual == 0 {
		return
	}
	a.rho = min(a.rho*factor, a.most)
	a.changed = iter + 1
	a.faster.forget()
}

// mostImbalance is the most that ρ follows at once, by its root: the first quotients are far from those of later steps where
// numbers are near the ends of their range.
const mostImbalance = 100

// An acceleration is Anderson's, of steps M → M + move that are close to linear once ranks and supports settle: the combination
// of the last M for which that of the moves is shortest [Walker and Ni 2011]. Where the move is longer after it, it is taken
// back.
type acceleration struct {
	steps firstorder.Anderson
	plain []float64 // M without the last combination; nil where there was none
	last  float64   // ‖move‖ before it
}

const (
	depth     = 10      // of moves that are combined; with 5 a tenth more steps
	longer    = 2       // times as long as before, a move takes the combination back
	plainness = 20      // steps before the first combination: problems of full data end before, and need no room
	most      = 1 << 20 // entries of all blocks, beyond which there is no room for so many moves
)

// forget begins anew, as where ρ changes.
func (c *acceleration) forget() { c.steps, c.plain = firstorder.Anderson{Depth: depth}, nil }

// next overwrites m, which a step has made of m - move, by the combination.
func (c *acceleration) next(m, move []float64) {
	size := math.Sqrt(kernel.SumSq(move))
	if c.plain != nil && size > longer*c.last {
		copy(m, c.plain)
		c.forget()
		return
	}
	c.plain, c.last = nil, size
	if c.steps.Add(m, move); c.steps.Len() < 2 {
		return
	}
	c.plain = append([]float64(nil), m...)
	c.steps.CombineTo(m)
}
