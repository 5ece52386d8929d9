package views

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
)

// A written is G written out in blocks H_i = r_iG_i/scale, so that the largest entry of all is 1, and their Gram matrices in a
// basis Q of the rows of G.
type written struct {
	m, n  int
	d     int // columns of Q
	views []block
	h     [][]float64 // H_i, by rows of n
	q     *gcg.Factor // n×d, or nil for the identity
	grams [][]float64 // QᵀH_iᵀH_iQ, d×d
	scale float64     // 0 where G is 0
}

// write forms the blocks and their Gram matrices. Where G has more columns than rows, Q is a basis of its rows.
func write(g gcg.Map, views []block) *written {
	m, n := g.Dims()
	all := make([]float64, m*n)
	gcg.DenseTo(all, g)
	w := &written{m: m, n: n, d: n, views: views}
	for _, b := range views {
		h := all[b.lo*n : b.hi*n]
		w.scale = math.Max(w.scale, b.r*linalg.MaxAbs(h))
		w.h = append(w.h, h)
	}
	if w.scale == 0 || math.IsNaN(w.scale) || math.IsInf(w.scale, 1) {
		return w
	}
	w.scale = math.Max(w.scale, leastScale)
	for i, b := range views {
		kernel.Scale(b.r/w.scale, w.h[i])
	}
	if n > m {
		w.basis(all)
	}
	for _, h := range w.h {
		w.grams = append(w.grams, w.gram(h))
	}
	return w
}

// leastScale is the least scale whose inverse is finite.
const leastScale = 0x1p-1022

// basis finds Q for the rows of all of H.
func (w *written) basis(all []float64) {
	t := gcg.NewFactor(w.n, w.m)
	for i := range w.m {
		t.SetColumn(i, all[i*w.n:(i+1)*w.n], 1)
	}
	w.q, _ = gcg.Orthonormal(t, basisDrop)
	w.d = w.q.K
}

// basisDrop is the part of a row of G that may be outside the basis of the others: about what rounding leaves of it.
const basisDrop = rounding.Sum

// gram is QᵀHᵀHQ.
func (w *written) gram(h []float64) []float64 {
	rows := len(h) / w.n
	k := make([]float64, w.d*w.d)
	if w.q != nil {
		hq := make([]float64, rows*w.q.Stride)
		kernel.GemmNN(hq, h, w.q.Data, rows, w.q.Stride, w.n)
		h = compact(hq, rows, w.q.Stride, w.d)
	}
	kernel.Gram(k, h, rows, w.d)
	kernel.Mirror(k, w.d)
	return k
}

// compact is the first k columns of a matrix of the given rows and stride, without the others.
func compact(x []float64, rows, stride, k int) []float64 {
	if stride == k {
		return x
	}
	y := make([]float64, rows*k)
	for i := range rows {
		copy(y[i*k:(i+1)*k], x[i*stride:i*stride+k])
	}
	return y
}

// lift is Q x for x of d entries.
func (w *written) lift(x []float64) []float64 {
	if w.q == nil {
		return x
	}
	v := make([]float64, w.n)
	for j := range v {
		v[j] = kernel.Dot(w.q.Row(j)[:w.d], x)
	}
	return v
}

// product is H_i v.
func (w *written) product(i int, v []float64) []float64 {
	h := w.h[i]
	y := make([]float64, len(h)/w.n)
	for j := range y {
		y[j] = kernel.Dot(h[j*w.n:(j+1)*w.n], v)
	}
	return y
}

// attains is Σ‖H_iv‖/‖v‖·scale for v = Qx, and its atom [r_iH_iv/‖H_iv‖] vᵀ/‖v‖. Where H_iv = 0, any unit vector does.
func (w *written) attains(x []float64) (value float64, atom gcg.Atom) {
	v := append([]float64(nil), w.lift(x)...)
	kernel.Scale(1/gcg.Norm(v), v)
	u := make([]float64, w.m)
	for i, b := range w.views {
		y := w.product(i, v)
		norm := gcg.Norm(y)
		value += norm
		copy(u[b.lo:b.hi], ofLength(y, norm, b.r))
	}
	return value * w.scale, gcg.RankOne(u, v)
}

// ofLength overwrites y, of the given norm, with its multiple of norm r. A zero y becomes r times the first axis.
func ofLength(y []float64, norm, r float64) []float64 {
	if norm == 0 {
		y[0], norm = 1, 1
	}
	kernel.Scale(r/norm, y)
	if again := gcg.Norm(y); again > 0 { // a norm near the least number is not accurate
		kernel.Scale(r/again, y)
	}
	return y
}

// rounding is more than rounding can change an eigenvalue of Σ K_i/τ_i by, in forming the Gram matrices and in computing
// eigenvalues; trace is its trace.
func (w *written) rounding(trace float64) float64 {
	return float64(w.m+w.n+2) * 4 * linalg.Epsilon * trace
}

// zero is the answer at G = 0, where every atom attains 0.
func (w *written) zero() gcg.Polar {
	u, v := make([]float64, w.m), make([]float64, w.n)
	for _, b := range w.views {
		u[b.lo] = b.r
	}
	v[0] = 1
	return gcg.Polar{Atoms: []gcg.Atom{gcg.RankOne(u, v)}, Values: []float64{0}, Kind: gcg.Proven, Alpha: 1}
}

// broken is the answer at a G whose entries are not finite.
func broken() gcg.Polar { return gcg.Polar{Bound: math.Inf(1), Kind: gcg.Unbounded, Alpha: 1} }
