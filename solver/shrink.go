package solver

import (
	"context"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
)

// A shrinker takes proximal gradient steps on L(A(W)) + λ‖W‖_* for a small W, kept as a matrix:
//
//	W ← shrink(W + G/h, λ/h), G = -∇ℓ(W); shrink(W, t) takes t off every singular value [Cai, Candès, Shen 2010]
//
// with the spectral steps of [Barzilai and Borwein 1988; Wright, Nowak, Figueiredo 2009]: h = ⟨D, H⟩/⟨D, D⟩ and ⟨H, H⟩/⟨D, H⟩ by
// turns, D the last change of W and H that of -G. A step takes one pass over the data in float32, which forms predictions and gradient,
// and the eigenvectors of a Gram matrix of W. An intercept goes along by a Newton step for each, and is fitted at the end.
type shrinker struct {
	p        *gcg.Problem
	s        *gcg.State // where it starts; with an intercept its vectors are work space
	pass     gcg.WholeGradient
	at, next *shrinkPoint
	w, g     *gcg.Factor32 // W and G of the last pass
	lambda   float64
	h        float64
	steps    int
}

// A shrinkPoint is a W, what F is there as far as float32 tells, and G.
type shrinkPoint struct {
	w, g      *gcg.Factor // transposed where that makes them tall
	u, v      *gcg.Factor // W = U Vᵀ, or nil at the start
	rho       float64     // ‖W‖_*
	loss      float64
	f         float64
	intercept []float64 // or nil
	level     []float64 // means of the predictions
}

const (
	shrinkSide  = 256  // the smaller side of W up to which its singular vectors are little beside products with the data
	shrinkLimit = 100  // steps
	shrinkLook  = 4    // steps over which F must fall by shrinkGain
	shrinkGain  = 1e-5 // in parts of F: measured from 1e-3, which leaves Newton steps far from where they converge, to 1e-6
	shrinkLeast = 1e-3 // part of the decrease of the proximal model that a step must make
	spreadMost  = 10   // where the largest eigenvalue of the features' Gram matrix is 18 times the mean, Newton steps are faster
)

// shrink takes such steps while the rank is still to be found, where the problem has what they take: no second-order model holds there, and
// each of its steps takes as many products as ten of these. It ends where the rest is better left to Newton steps, of which none
// is left to find atoms.
func (l *Local) shrink(ctx context.Context, p *gcg.Problem, s *gcg.State) {
	if s.Iter > 1 || s.Cert.Relative <= sweepAbove || s.MaxRank > 0 {
		return
	}
	k, ok := l.newShrinker(p, s)
	if !ok {
		return
	}
	var f []float64
	for it := 0; it < shrinkLimit && ctx.Err() == nil && k.step(); it++ {
		f = append(f, k.at.f)
		if it >= shrinkLook && f[it-shrinkLook]-f[it] < shrinkGain*f[it] {
			break
		}
	}
	k.settle()
}

// newShrinker starts at W if that is small, observations are coupled, as those of the classes of a row are, and features are hardly
// correlated: the steps are of first order.
func (l *Local) newShrinker(p *gcg.Problem, s *gcg.State) (k *shrinker, ok bool) {
	op, kronecker := p.Operator.(gcg.KroneckerOperator)
	whole, ok := p.Operator.(gcg.WholeOperator)
	m, n, _ := p.Operator.Dims()
	if !kronecker || !ok || gcg.Separable(p.Loss) || !linear(p.Penalty) || min(m, n) > shrinkSide || m*n > maxMatrix {
		return nil, false
	}
	left, right := l.basis.separable(p, op, s)
	if left.vectors == nil || !(left.spread() <= spreadMost) {
		return nil, false
	}
	k = &shrinker{p: p, s: s, pass: whole.Gradients(), lambda: p.Penalty.Deriv(0), h: left.top() * right.top()}
	k.w, k.g = gcg.NewFactorOf[float32](m, n), gcg.NewFactorOf[float32](m, n)
	k.at, k.next = k.newPoint(), k.newPoint()
	u, v := s.W.U, s.W.V
	if k.turned() {
		u, v = v, u
	}
	k.at.u, k.at.v, k.at.rho, k.at.loss = u, v, s.Rho, s.Loss
	if s.Intercept != nil {
		k.at.intercept, k.at.level = slices.Clone(s.Intercept), p.Places().Means(s.Z)
	}
	k.evaluate(k.at, k.at)
	return k, true
}

// newPoint has room for W and G.
func (k *shrinker) newPoint() *shrinkPoint {
	m, n := max(k.s.W.M, k.s.W.N), min(k.s.W.M, k.s.W.N)
	return &shrinkPoint{w: gcg.NewFactor(m, n), g: gcg.NewFactor(m, n)}
}

func (k *shrinker) turned() bool { return k.s.W.N > k.s.W.M }

// step is one step, of a length with which F falls. It reports whether there is one.
func (k *shrinker) step() bool {
	for range 40 {
		if k.try() {
			return true
		}
		k.h *= 2
	}
	return false
}

// try takes a step if F falls enough, and sets the length of the next.
func (k *shrinker) try() bool {
	at, next := k.at, k.next
	copy(next.w.Data, at.w.Data)
	next.w.AddScaled(1/k.h, at.g)
	next.u, next.v, next.rho = shrunk(next.w, k.lambda/k.h)
	if next.u.K == 0 {
		return false
	}
	k.evaluate(next, at)
	dd, dh, hh := changes(at, next)
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

// changes are ⟨D, D⟩, ⟨D, H⟩ and ⟨H, H⟩ between two points.
func changes(at, next *shrinkPoint) (dd, dh, hh float64) {
	for i, w := range next.w.Data {
		d, h := w-at.w.Data[i], at.g.Data[i]-next.g.Data[i]
		dd += d * d
		dh += d * h
		hh += h * h
	}
	return dd, dh, hh
}

// evaluate writes W, G and F of a point from its factors, and fits its intercept from that of another.
func (k *shrinker) evaluate(to, from *shrinkPoint) {
	clear(to.w.Data)
	to.w.AddMul(to.u, transposed(to.v, to.v.Rows))
	k.lay(k.w, to.w)
	to.loss = k.gradient(to, from)
	k.lift(to.g, k.g)
	to.f = to.loss + k.p.Penalty.Value(to.rho)
}

// gradient is the pass over the data. It returns the loss.
func (k *shrinker) gradient(to, from *shrinkPoint) float64 {
	if from.intercept == nil {
		k.s.Count.Gradients++
		return k.pass.GradientTo(k.g, k.w, k.residual, nil)
	}
	return k.pass.GradientTo(k.g, k.w, nil, func(all []float32) float64 {
		s := k.s
		kernel.Convert(s.Z, all)
		copy(s.Intercept, from.intercept)
		s.Loss = from.loss
		s.Follow(k.p, from.level)
		to.intercept, to.level = slices.Clone(s.Intercept), k.p.Places().Means(s.Z)
		kernel.Convert(all, s.R)
		return s.Loss
	})
}

// residual replaces a block of predictions by -∇L and returns the loss.
func (k *shrinker) residual(z []float32, lo int) float64 {
	wide := memory.Borrow[float64](len(z))
	defer memory.Repay(wide)
	kernel.Convert(wide, z)
	loss := k.p.Loss.Eval(lo, wide, wide)
	kernel.Convert(z, wide)
	return loss
}

// lay writes W as the operator has it, and lift takes G back.
func (k *shrinker) lay(dst *gcg.Factor32, w *gcg.Factor) { convert(dst, w, k.turned()) }

func (k *shrinker) lift(dst *gcg.Factor, g *gcg.Factor32) { convert(dst, g, k.turned()) }

// convert copies src, transposed where that is so, as another type.
func convert[P, T gcg.Real](dst *gcg.FactorOf[P], src *gcg.FactorOf[T], turned bool) {
	src.RowBlocks(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := src.Row(i)[:src.K]
			if !turned {
				kernel.Convert(dst.Row(i)[:src.K], row)
				continue
			}
			for j, x := range row {
				dst.Data[j*dst.Stride+i] = P(x)
			}
		}
	})
}

// settle leaves the state at the last point, as it is in float64.
func (k *shrinker) settle() {
	if s, at := k.s, k.at; k.steps > 0 || s.Intercept != nil {
		u, v := at.u, at.v
		if k.turned() {
			u, v = v, u
		}
		s.W, s.Rho = &gcg.Iterate{M: s.W.M, N: s.W.N, U: u, V: v}, at.rho
		copy(s.Intercept, at.intercept)
		s.Refresh(k.p)
	}
	if k.steps > 0 {
		k.s.Added = 0
	}
}

// shrunk takes t off the singular values of W and drops those below: U Vᵀ with orthonormal V, of trace norm rho.
func shrunk(w *gcg.Factor, t float64) (u, v *gcg.Factor, rho float64) {
	values, e := gcg.TMul(w, w).SymEigen(true)
	from := 0
	for from < w.K && !(values[from] > t*t) {
		from++
	}
	right := columnsOf(e, from, w.K)
	u = gcg.Mul(w, right)
	for c, x := range values[from:] {
		s := math.Sqrt(x)
		u.ScaleColumn(c, (s-t)/s)
		rho += s - t
	}
	return u, trimmed(right, w.K), rho
}
