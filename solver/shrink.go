package solver

import (
	"context"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
)

// A shrinker takes proximal gradient steps on L(A(W)) + λ‖W‖_* for a small W, kept as a matrix:
//
//	W ← shrink(W + G/h, λ/h), G = -∇ℓ(W); shrink(W, t) takes t off every singular value [Cai, Candès, Shen 2010]
//
// with the spectral steps of [Barzilai and Borwein 1988; Wright, Nowak, Figueiredo 2009]: h = ⟨D, H⟩/⟨D, D⟩ and ⟨H, H⟩/⟨D, H⟩ by
// turns, D the last change of W and H that of -G. A step takes the products with the data of a gradient and the eigenvectors of a Gram
// matrix of W. An intercept goes along by a Newton step for each, and is fitted at the end.
type shrinker struct {
	p      *gcg.Problem
	lambda float64
	s      *gcg.State
	w, g   *gcg.Factor // W and G, transposed where that makes them tall
	h      float64
	steps  int
	spare  *gcg.State // a former state, whose predictions and residual the next one overwrites
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
		f = append(f, k.s.Objective(p))
		if it >= shrinkLook && f[it-shrinkLook]-f[it] < shrinkGain*f[it] {
			break
		}
	}
	if len(f) > 0 {
		*s = *k.s
		if s.Added = 0; s.Intercept != nil {
			s.Refresh(p)
		}
	}
}

// newShrinker starts at W if that is small, observations are coupled, as those of the classes of a row are, and features are hardly
// correlated: the steps are of first order.
func (l *Local) newShrinker(p *gcg.Problem, s *gcg.State) (k *shrinker, ok bool) {
	op, kronecker := p.Operator.(gcg.KroneckerOperator)
	_, dense := p.Operator.Adjoint(s.R).(gcg.DenseMap)
	m, n, _ := p.Operator.Dims()
	if !kronecker || !dense || gcg.Separable(p.Loss) || !linear(p.Penalty) || min(m, n) > shrinkSide || m*n > maxMatrix {
		return nil, false
	}
	left, right := l.basis.separable(p, op, s)
	if left.vectors == nil || !(left.spread() <= spreadMost) {
		return nil, false
	}
	k = &shrinker{p: p, lambda: p.Penalty.Deriv(0), s: s, h: left.top() * right.top()}
	k.w, k.g = k.matrix(s.W), k.gradient(s)
	return k, true
}

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
	w := k.w.Clone()
	w.AddScaled(1/k.h, k.g)
	next, ok := k.state(shrunk(w, k.lambda/k.h))
	if !ok {
		return false
	}
	w = k.matrix(next.W)
	d := w.Clone()
	d.AddScaled(-1, k.w)
	dd := d.Dot(d)
	if !(k.s.Objective(k.p)-next.Objective(k.p) >= shrinkLeast/2*k.h*dd) {
		k.spare = next
		return false
	}
	g := k.gradient(next)
	k.g.AddScaled(-1, g) // H
	dh, hh := d.Dot(k.g), k.g.Dot(k.g)
	if k.steps++; dh > 0 && k.steps%2 == 0 {
		k.h = hh / dh
	} else if dh > 0 {
		k.h = dh / dd
	}
	if k.steps > 1 { // the first is the caller's
		k.spare = k.s
	}
	k.s, k.w, k.g = next, w, g
	return true
}

// state is that of W = U Vᵀ with trace norm rho. It is not ok where W is 0.
func (k *shrinker) state(u, v *gcg.Factor, rho float64) (next *gcg.State, ok bool) {
	if u.K == 0 {
		return nil, false
	}
	if k.turned() {
		u, v = v, u
	}
	s := *k.s
	s.W = &gcg.Iterate{M: s.W.M, N: s.W.N, U: u, V: v}
	if s.Rho = rho; k.spare != nil {
		s.Z, s.R, k.spare = k.spare.Z, k.spare.R, nil
	} else {
		s.Z, s.R = make([]float64, len(s.Z)), make([]float64, len(s.R))
	}
	if s.Intercept != nil {
		s.Intercept = slices.Clone(s.Intercept)
		copy(s.Z, k.s.Z) // whose level the next keeps
	}
	s.Follow(k.p)
	return &s, true
}

func (k *shrinker) turned() bool { return k.s.W.N > k.s.W.M }

// matrix is W.
func (k *shrinker) matrix(w *gcg.Iterate) *gcg.Factor {
	u, v := w.U, w.V
	if k.turned() {
		u, v = v, u
	}
	return gcg.Mul(u, transposed(v, v.Rows))
}

// gradient is G.
func (k *shrinker) gradient(s *gcg.State) *gcg.Factor {
	m, n := s.W.M, s.W.N
	all := make([]float64, m*n)
	s.Gradient(k.p).(gcg.DenseMap).RowsTo(all, 0)
	if k.turned() {
		f := gcg.NewFactor(n, m)
		for i := range m {
			f.SetColumn(i, all[i*n:(i+1)*n], 1)
		}
		return f
	}
	f := gcg.NewFactor(m, n)
	for i := range m {
		copy(f.Row(i), all[i*n:(i+1)*n])
	}
	return f
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
