package fixedrank

import (
	"context"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
)

// A shrinker takes proximal gradient steps on ℓ(W) + λ‖W‖_*, ℓ(W) = L(A W), for a small W that is kept as a matrix [Cai, Candès,
// Shen 2010]:
//
//	W ← shrink(W + G/h, λ/h),   G = -∇ℓ(W),   shrink(P S Qᵀ, t) = P (S - t)₊ Qᵀ
//
// The curvature h alternates between the two spectral ones of [Barzilai and Borwein 1988], as in [Wright, Nowak, Figueiredo
// 2009]: ⟨D, H⟩/⟨D, D⟩ and ⟨H, H⟩/⟨D, H⟩ for the last change D of W and H of -G. A step takes one pass over the data in
// float32, which forms predictions and gradient, and the eigenvectors of a Gram matrix of W in float64, as small singular
// values are lost in their squares.
//
// An intercept is moved along, b ← b + τ∘g_b/h, for features less their centres. The centre of a class is the mean of the
// features with the weights that rows have in its curvature at the start, so that W and b are hardly coupled; √τ is the
// scale on which the curvature in a constant is that in W. It is fitted exactly in the end.
type shrinker struct {
	p        *view.Problem
	s        *gcg.State // where it starts
	pass     gcg.WholeGradient
	at, next *shrinkPoint
	moved    *gcg.Factor32 // work space: what is to be shrunk, a SmallIn(m, n)
	tall     *gcg.Factor   // and that, transposed where it is wide
	gram     *gcg.Factor   // and the Gram matrix of that
	pieces   [3][]float64  // of shrinkPiece entries, which stay in the cache
	tau      []float64     // of the constants, or nil
	centres  *gcg.Factor   // or nil
	lambda   float64
	h        float64
	steps    int
}

// A shrinkPoint is a W with constants b, and G and F there as far as float32 tells.
type shrinkPoint struct {
	w, g  *gcg.Factor32 // with the constants below them where there are such
	b, gb []float64     // constants where features are less their centres
	short *gcg.Factor   // singular vectors of the shorter side of W, by rows
	all   *gcg.Factor   // the memory that they lie in
	rho   float64       // ‖W‖_*
	f     float64
}

const (
	shrinkSide   = 256  // the smaller side of W up to which its singular vectors are little beside products with the data
	shrinkLimit  = 200  // steps, each of which costs about as much as a step of conjugate gradients
	shrinkWindow = 4    // steps over which F must fall by shrinkGain
	shrinkGain   = 1e-5 // in parts of F: measured from 1e-3, which leaves Newton steps far from where they converge, to 1e-6
	shrinkLeast  = 1e-3 // part of the decrease of the proximal model that a step must make
	shrinkPiece  = 1024 // entries of W at a time
	spreadMost   = 10   // where the largest eigenvalue of the features' Gram matrix is 18 times the mean, Newton steps are faster
)

// shrink takes proximal steps at the start of a run, while the rank is still to be found, where the problem allows them. No
// second-order model holds there, and a Newton step takes as many products as ten proximal ones. It ends where F falls slowly,
// and Newton steps follow.
func (l *Local) shrink(ctx context.Context, p *view.Problem, s *gcg.State) {
	if s.Iter > 1 || s.Cert.Relative <= sweepAbove || l.did.MaxRank > 0 {
		return
	}
	k, ok := l.newShrinker(p, s)
	if !ok {
		return
	}
	var f []float64
	for it := 0; it < shrinkLimit && ctx.Err() == nil && k.step(); it++ {
		f = append(f, k.at.f)
		if it >= shrinkWindow && f[it-shrinkWindow]-f[it] < shrinkGain*math.Abs(f[it]) {
			break
		}
	}
	if k.write() {
		l.did.Added = 0
	}
}

// shift adds by times what W predicts of the centres, centreᵀ_c W_c for class c, to the constants: features and constants
// then mean the same with centres as without.
func (k *shrinker) shift(b []float64, w *gcg.Iterate, by float64) {
	product := gcg.TMul(k.centres, w.U) // n×k
	for c := range b {
		b[c] += by * kernel.Dot(product.Row(c)[:w.V.K], w.V.Row(c)[:w.V.K])
	}
}

// w is the W of a point, without the row of constants below it.
func (k *shrinker) w(at *shrinkPoint) *gcg.Factor32 { return factor.Trimmed(at.w, k.s.W.M) }

// g is the G of a point, without the row of constants.
func (k *shrinker) g(at *shrinkPoint) *gcg.Factor32 { return factor.Trimmed(at.g, k.s.W.M) }

// turned says that W is wide, so that its rows are the shorter side.
func (k *shrinker) turned() bool { return k.s.W.N > k.s.W.M }

// step takes one step, with an h at which F falls, and reports whether there is one.
func (k *shrinker) step() bool {
	for range 40 {
		if k.try() {
			return true
		}
		k.h *= 2
	}
	return false
}

// try takes a step if F falls enough with the present h, and sets the next h.
func (k *shrinker) try() bool {
	at, next := k.at, k.next
	moved := factor.Trimmed(k.moved, k.s.W.M)
	copy(moved.Data, at.w.Data)
	moved.AddScaled(float32(1/k.h), k.g(at))
	if k.shrinkTo(next, k.lambda/k.h); next.short.Rows == 0 {
		return false
	}
	for c, tau := range k.tau {
		next.b[c] = at.b[c] + tau/k.h*at.gb[c]
	}
	k.evaluate(next)
	dd, dh, hh := k.changes(at, next)
	if !(at.f-next.f >= shrinkLeast/2*k.h*dd) {
		return false
	}
	if k.steps++; dh > 0 && k.steps%2 == 0 {
		k.h = hh / dh
	} else if dh > 0 {
		k.h = dh / dd
	}
	k.at, k.next = next, at
	return true
}

// changes are ⟨D, D⟩, ⟨D, H⟩ and ⟨H, H⟩ between two points, constants included.
func (k *shrinker) changes(at, next *shrinkPoint) (dd, dh, hh float64) {
	all := len(k.w(at).Data)
	for lo := 0; lo < all; lo += shrinkPiece {
		hi := min(lo+shrinkPiece, all)
		d, h, y := k.pieces[0][:hi-lo], k.pieces[1][:hi-lo], k.pieces[2][:hi-lo]
		subtract(d, y, next.w.Data[lo:hi], at.w.Data[lo:hi])
		subtract(h, y, at.g.Data[lo:hi], next.g.Data[lo:hi])
		dd += kernel.SumSq(d)
		dh += kernel.Dot(d, h)
		hh += kernel.SumSq(h)
	}
	for c, tau := range k.tau {
		if tau > 0 {
			d, h := next.b[c]-at.b[c], at.gb[c]-next.gb[c]
			dd += d * d / tau
			dh += d * h
			hh += h * h * tau
		}
	}
	return dd, dh, hh
}

// subtract writes dst = x - y in float64, as the squares of small differences may be out of float32's range. work is work
// space.
func subtract(dst, work []float64, x, y []float32) {
	kernel.Convert(dst, x)
	kernel.Convert(work, y)
	kernel.Axpy(-1, work, dst)
}

// evaluate computes G and F of a point by one pass over the data.
func (k *shrinker) evaluate(to *shrinkPoint) {
	m := k.s.W.M
	if k.tau != nil {
		kernel.Convert(to.w.Row(m)[:len(to.b)], to.b)
	}
	to.f = k.pass(to.g, to.w, k.residual) + k.p.Penalty.Value(to.rho)
	k.s.Count.Gradients++
	if k.tau != nil {
		kernel.Convert(to.gb, to.g.Row(m)[:len(to.b)])
	}
}

// residual replaces a block of predictions by -∇L there and returns the loss.
func (k *shrinker) residual(z []float32, lo int) float64 {
	if l := k.p.Single; l != nil {
		return l.Residual32(lo, z)
	}
	wide := memory.Borrow[float64](len(z))
	defer memory.Repay(wide)
	kernel.Convert(wide, z)
	loss := k.p.Loss.Eval(lo, wide, wide)
	kernel.Convert(z, wide)
	return loss
}

// write leaves the state at the last point, recomputed in float64, or where it was if F is larger there, which it reports.
func (k *shrinker) write() (moved bool) {
	s, at := k.s, k.at
	if k.steps == 0 {
		return false
	}
	f, old := s.Objective(k.p.Problem), view.SnapshotOf(s)
	u, v, rho := k.factors(at)
	s.W, s.Rho = &gcg.Iterate{M: s.W.M, N: s.W.N, U: u, V: v}, rho
	if s.Intercept != nil {
		copy(s.Intercept, at.b)
		k.shift(s.Intercept, s.W, -1)
	}
	if s.RefreshWarm(k.p.Problem); s.Objective(k.p.Problem) <= f {
		return true
	}
	old.Restore(s)
	s.RefreshWarm(k.p.Problem)
	return false
}

// newShrinker starts at W. It is not ok where the problem lacks what the method takes, W is large, float32 blurs F, or
// features are so correlated that steps of first order are slower than Newton steps.
func (l *Local) newShrinker(p *view.Problem, s *gcg.State) (k *shrinker, ok bool) {
	m, n, _ := p.Operator.Dims()
	if !shrinkable(p, s) {
		return nil, false
	}
	gram, right, weights := l.separableCurvature(p, s)
	if gram == nil {
		return nil, false
	}
	top := gram.TopEigenvalue()
	if !(top*float64(m) <= spreadMost*gram.Trace()) || !(top*right > 0) {
		return nil, false
	}
	k = &shrinker{p: p, s: s, lambda: p.Penalty.Deriv(0), h: top * right}
	k.at, k.next = k.newPoint(), k.newPoint()
	k.moved, k.tall, k.gram = gcg.SmallIn[float32](m, n), gcg.NewFactor(max(m, n), min(m, n)), gcg.Small(min(m, n), min(m, n))
	for i := range k.pieces {
		k.pieces[i] = make([]float64, shrinkPiece)
	}
	if s.Intercept != nil {
		k.centre(weights)
		copy(k.at.b, s.Intercept)
		k.shift(k.at.b, s.W, 1)
	}
	k.pass = p.Whole.Gradients(k.centres)
	k.w(k.at).AddMul(gcg.FactorIn[float32](s.W.U), factor.Transposed(gcg.FactorIn[float32](s.W.V), n))
	k.at.rho = s.Rho
	k.evaluate(k.at)
	f := s.Objective(p.Problem)
	return k, math.Abs(k.at.f-f) <= blurred*math.Abs(f)
}

// shrinkable says that a problem has what proximal steps take, and that W is small.
func shrinkable(p *view.Problem, s *gcg.State) bool {
	m, n, _ := p.Operator.Dims()
	switch {
	case p.Kronecker == nil || p.Whole == nil || !gcg.HasRows(p.Operator.Adjoint(s.R)):
		return false
	case p.Quadratic() || n%p.Loss.Stride() != 0 || !view.IsLinear(p.Penalty):
		return false
	case min(m, n) > shrinkSide || m*n > view.MaxMatrix:
		return false
	}
	return s.Intercept == nil || p.InterceptMap().ByColumn(n)
}

// separableCurvature approximates the second derivatives X ↦ A*(∇²L A(X)) by L X R. It gives L (m×m), or nil where only its
// diagonal is known, ‖R‖, and the diagonal of ∇²L. The second derivatives of a separable loss may be 0 nearly everywhere but
// not a step farther: their bound takes their place.
func (l *Local) separableCurvature(p *view.Problem, s *gcg.State) (left *gcg.Factor, right float64, weights []float64) {
	if !p.Separable {
		_, r := l.basis.Separable(p, s)
		return l.basis.Gram, r.Top(), l.basis.Weights
	}
	weights = make([]float64, len(s.Z))
	bound := p.CurvatureAt(p.Curved, s.Z)
	for i := range weights {
		weights[i] = bound
	}
	left, _, r := p.Kronecker.Kronecker(weights, p.Intercept)
	return left, slices.Max(r), weights
}

// blurred is the part of F by which float32 may change it for the steps to be taken.
const blurred = 1e-4

// centre sets centres and scales, with the diagonal of ∇²L as weights: the centre of a constant is A*(weights) over the sum
// of its weights, and τ is h over that sum. A constant that has hardly any weight is not moved, and its centre is the mean
// of the others.
func (k *shrinker) centre(weights []float64) {
	m, n := k.s.W.M, k.s.W.N
	sums := k.p.InterceptMap().Sums(weights)
	k.tau, k.centres = make([]float64, n), gcg.NewFactor(m, n)
	gcg.DenseTo(k.centres.Data[:m*n], k.p.Operator.Adjoint(weights))
	for i := m - 1; i >= 0; i-- { // from rows of n to those of the stride
		copy(k.centres.Row(i), k.centres.Data[i*n:(i+1)*n])
		clear(k.centres.Row(i)[n:])
	}
	top, curved := slices.Max(sums), 0.0
	for c, sum := range sums {
		if sum > flatConstant*top {
			k.tau[c] = k.h / sum
			curved++
		}
	}
	for i := range m {
		row, mean := k.centres.Row(i), 0.0
		for c, tau := range k.tau {
			if tau > 0 {
				row[c] /= sums[c]
				mean += row[c] / curved
			}
		}
		for c, tau := range k.tau {
			if tau == 0 {
				row[c] = mean
			}
		}
	}
}

// flatConstant is the part of the largest sum of weights below which a constant has none.
const flatConstant = rounding.Null

// newPoint has room for W and G, with the constants in a row below them.
func (k *shrinker) newPoint() *shrinkPoint {
	m, n, b := k.s.W.M, k.s.W.N, len(k.s.Intercept)
	if b > 0 {
		m++
	}
	return &shrinkPoint{
		w: gcg.NewFactorOf[float32](m, n), g: gcg.NewFactorOf[float32](m, n),
		b: make([]float64, b), gb: make([]float64, b),
	}
}

// shrinkTo writes shrink(X, t) for X = k.moved into a point. With E the eigenvectors of the Gram matrix of X's shorter side,
// whose eigenvalues are s², X is multiplied from that side by E diag((s-t)₊/s) Eᵀ.
func (k *shrinker) shrinkTo(to *shrinkPoint, t float64) {
	moved := factor.Trimmed(k.moved, k.s.W.M)
	factor.TallTo(k.tall, moved, k.turned())
	k.gram.TMulTo(k.tall, k.tall)
	values, e := k.gram.EigenRows()
	gcg.Repay(to.all)
	to.all = e
	from := 0
	for from < e.K && !(values[from] > t*t) {
		from++
	}
	to.short, to.rho = factor.RowsFrom(e, from), 0
	root := gcg.Room[float32](e.K-from, e.K)
	for i, x := range values[from:] {
		s := math.Sqrt(x)
		kernel.Convert(root.Row(i), to.short.Row(i))
		kernel.Scale(float32(math.Sqrt((s-t)/s)), root.Row(i))
		to.rho += s - t
	}
	by, w := gcg.TMul(root, root), k.w(to)
	if k.turned() {
		w.MulTo(factor.Trimmed(by, e.K), k.moved)
	} else {
		w.MulTo(moved, by)
	}
	gcg.Repay(root, by)
}

// factors are those of W, and a bound of its trace norm: the sum of the lengths of pairs of columns, which are about
// orthogonal.
func (k *shrinker) factors(at *shrinkPoint) (u, v *gcg.Factor, rho float64) {
	factor.TallTo(k.tall, k.w(at), k.turned())
	short := factor.Transposed(at.short, at.short.Rows)
	u, v = gcg.Mul(k.tall, short), factor.Trimmed(short, k.tall.K)
	right := gcg.TMul(v, v).Diagonal()
	for c, x := range gcg.TMul(u, u).Diagonal() {
		rho += math.Sqrt(x * right[c])
	}
	if k.turned() {
		u, v = v, u
	}
	return u, v, rho
}
