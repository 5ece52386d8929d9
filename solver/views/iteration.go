package views

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/internal/roots"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// A viewRows is the rows lo ≤ i < hi of W that are one view, of radius r.
type viewRows struct {
	lo, hi int
	r      float64
}

// An iteration is alternating directions for min L(Z) + h(‖W̃‖_*) over D_τZ = W̃, at shares τ that move along.
type iteration struct {
	m, n    int
	views   []viewRows
	tau     []float64
	penalty gcg.Penalty
	rho     float64 // of the quadratic term
	prox    view.Proximity

	z  []float64 // m×n, as the others
	wt []float64 // W̃ = D_τW
	u  []float64 // Λ, the multiplier over ρ
	v  []float64 // work space

	last        thresholded // W̃ of the last round
	lastWeights []float64   // D_τ then
}

// weight is the entry of D_τ for view i.
func (it *iteration) weight(i int) float64 { return math.Sqrt(it.tau[i]) / it.views[i].r }

// overRelaxed is the part of the way from the last W̃ that D_τZ counts for.
const overRelaxed = 1.6

// step is one round of the iteration. It returns the relative residuals of D_τZ = W̃ and of the multiplier.
func (it *iteration) step() (primal, dual float64) {
	it.moveZ()
	y := it.v
	var apart, size, sizeW float64
	for i, rows := range it.views {
		d := it.weight(i)
		for e := rows.lo * it.n; e < rows.hi*it.n; e++ {
			x := d * it.z[e]
			apart += (x - it.wt[e]) * (x - it.wt[e])
			size += x * x
			y[e] = overRelaxed*x + (1-overRelaxed)*it.wt[e] + it.u[e]
		}
	}
	it.lastWeights = it.lastWeights[:0]
	for i := range it.views {
		it.lastWeights = append(it.lastWeights, it.weight(i))
	}
	it.last = threshold(y, it.m, it.n, levels(it.penalty, it.rho))
	next := it.last.write(y)
	var moved, multiplier, left float64
	for i, rows := range it.views {
		d := it.weight(i)
		for e := rows.lo * it.n; e < rows.hi*it.n; e++ {
			step := d * (next[e] - it.wt[e])
			moved += step * step
			x := d*it.z[e] - next[e]
			left += x * x
			sizeW += next[e] * next[e]
			it.u[e] = y[e] - next[e]
			multiplier += d * d * it.u[e] * it.u[e]
		}
	}
	it.wt = next
	primal = math.Sqrt(left / math.Max(math.Max(size, sizeW), math.SmallestNonzeroFloat64))
	dual = math.Sqrt(moved / math.Max(multiplier, math.SmallestNonzeroFloat64))
	return primal, dual
}

// moveZ is the proximity operator of the loss at (W̃ - Λ)/d, row by row.
func (it *iteration) moveZ() {
	for i, rows := range it.views {
		d := it.weight(i)
		w := it.rho * d * d
		par.For(rows.hi-rows.lo, func(row int) {
			lo := (rows.lo + row) * it.n
			at := it.z[lo : lo+it.n]
			for j := range at {
				at[j] = (it.wt[lo+j] - it.u[lo+j]) / d
			}
			it.prox.ProxTo(at, at, lo, w)
		})
	}
}

// moveShares moves τ and keeps W and the dual point ρD_τΛ.
func (it *iteration) moveShares(tau []float64) {
	for i, rows := range it.views {
		old := it.weight(i)
		it.tau[i] = tau[i]
		by := it.weight(i) / old
		kernel.Scale(by, it.wt[rows.lo*it.n:rows.hi*it.n])
		kernel.Scale(1/by, it.u[rows.lo*it.n:rows.hi*it.n])
	}
}

// rescale changes ρ and keeps the dual point.
func (it *iteration) rescale(by float64) {
	it.rho *= by
	kernel.Scale(1/by, it.u)
}

// shares are those of the views in ‖W̃‖_*.
func (it *iteration) shares() []float64 {
	all := make([]float64, len(it.views))
	var sum float64
	for i, rows := range it.views {
		all[i] = it.last.share(rows.lo, rows.hi)
		sum += all[i]
	}
	for i := range all {
		all[i] /= sum
	}
	return all
}

// start sets W̃, Λ and ρ for the W that Z holds and the residual r = -∇L there: ρD_τΛ = r, and ρ is the quotient of the sizes of
// D_τ⁻¹r and of D_τ times what the loss alone would fit.
func (it *iteration) start(r []float64) {
	var steepness, size float64
	fitted := it.v
	for i, rows := range it.views {
		d := it.weight(i)
		for row := rows.lo; row < rows.hi; row++ {
			lo := row * it.n
			at := fitted[lo : lo+it.n]
			it.prox.ProxTo(at, it.z[lo:lo+it.n], lo, looseWeight)
			for j, x := range at {
				e := lo + j
				it.wt[e] = d * it.z[e]
				it.u[e] = r[e] / d
				steepness += it.u[e] * it.u[e]
				size += d * d * math.Max(x*x, it.z[e]*it.z[e])
			}
		}
	}
	it.rho = 1
	if steepness > 0 && size > 0 && !math.IsInf(size, 1) {
		it.rho = math.Sqrt(steepness / size)
	}
	kernel.Scale(1/it.rho, it.u)
}

// looseWeight is the weight at which a proximity operator is about the fit of the loss alone.
const looseWeight = 1e-3

// factors are U and orthonormal V of W = D_τ⁻¹W̃; nil for W = 0.
func (it *iteration) factors() (u, v *gcg.Factor) {
	x := &it.last
	r := len(x.s)
	if r == 0 {
		return nil, nil
	}
	u, v = gcg.NewFactor(it.m, r), gcg.NewFactor(it.n, r)
	if it.n <= it.m {
		for i := range it.m {
			for c, y := range x.c[i*r : (i+1)*r] {
				u.Row(i)[c] = y / x.raw[c] * x.s[c]
			}
		}
		for c := range r {
			v.SetColumn(c, x.q[c*it.n:(c+1)*it.n], 1)
		}
	} else {
		for c := range r {
			u.SetColumn(c, x.q[c*it.m:(c+1)*it.m], x.s[c])
			v.SetColumn(c, x.c[c*it.n:(c+1)*it.n], 1/x.raw[c])
		}
	}
	for i, rows := range it.views {
		for row := rows.lo; row < rows.hi; row++ {
			kernel.Scale(1/it.lastWeights[i], u.Row(row))
		}
	}
	return u, v
}

// A thresholded is the singular values of Y above a level t, and X = P (S - t) Qᵀ.
type thresholded struct {
	m, n  int
	level float64
	s     []float64 // singular values of X, descending, positive
	raw   []float64 // of Y
	q     []float64 // singular vectors on the shorter side, by rows: len(s)×min(m, n)
	c     []float64 // PS: m×len(s), or n×len(s) where m < n
}

// A leveller finds the level t of singular values σ for which Σ(σ-t)₊ is that of the minimiser of ½‖X - Y‖² + h(‖X‖_*)/ρ: t =
// h'(‖X‖_*)/ρ.
type leveller func(sigma []float64) float64

// levels is that of h and ρ. For h = λx all levels are λ/ρ, and for others t is the root of a decreasing function.
func levels(h gcg.Penalty, rho float64) leveller {
	if view.IsLinear(h) {
		return func([]float64) float64 { return h.Deriv(1) / rho }
	}
	return func(sigma []float64) float64 {
		excess := func(mu float64) float64 {
			var kappa float64
			for _, s := range sigma {
				kappa += math.Max(s-mu/rho, 0)
			}
			return roots.ExcessOf(h, kappa, mu)
		}
		from := roots.TrialMultiplier{Excess: excess(0)}
		if from.Excess <= 0 {
			return 0
		}
		to := roots.TrialMultiplier{Mu: rho * linalg.MaxAbs(sigma)}
		to.Excess = excess(to.Mu)
		return roots.Root(excess, from, to, 0) / rho
	}
}

// threshold decomposes YᵀY or, where m < n, YYᵀ.
func threshold(y []float64, m, n int, level leveller) thresholded {
	x := thresholded{m: m, n: n}
	k := min(m, n)
	st := (k + 7) &^ 7
	gram := make([]float64, k*k)
	if n <= m {
		kernel.Gram(gram, y, m, n)
	} else {
		kernel.GramNT(gram, y, m, n)
	}
	kernel.Mirror(gram, k)
	if st != k {
		padded := make([]float64, k*st)
		for i := range k {
			copy(padded[i*st:], gram[i*k:(i+1)*k])
		}
		gram = padded
	}
	values, z := linalg.VectorsByRow(gram, k)
	for i := range values {
		values[i] = math.Sqrt(math.Max(values[i], 0))
	}
	t := level(values[:k])
	x.level = t
	for at := k - 1; at >= 0; at-- {
		s := values[at]
		if !(s > t) {
			break
		}
		x.raw, x.s = append(x.raw, s), append(x.s, s-t)
		x.q = append(x.q, z[at*st:at*st+k]...)
	}
	return x
}

// write is X as an m×n matrix.
func (x *thresholded) write(y []float64) []float64 {
	r := len(x.s)
	w := make([]float64, x.m*x.n)
	if r == 0 {
		return w
	}
	if x.n <= x.m {
		x.c = make([]float64, x.m*r)
		kernel.GemmNT(x.c, y, x.q, x.m, r, x.n)
		scaled := append([]float64(nil), x.q...)
		for i := range r {
			kernel.Scale(x.s[i]/x.raw[i], scaled[i*x.n:(i+1)*x.n])
		}
		kernel.GemmNN(w, x.c, scaled, x.m, x.n, r)
		return w
	}
	x.c = make([]float64, r*x.n) // Qᵀ Y, by rows
	kernel.GemmNN(x.c, x.q, y, r, x.n, x.m)
	scaled := append([]float64(nil), x.q...)
	for i := range r {
		kernel.Scale(x.s[i]/x.raw[i], scaled[i*x.m:(i+1)*x.m])
	}
	kernel.GemmTN(w, scaled, x.c, x.m, x.n, r)
	return w
}

// share is the part of Σs that rows lo to hi have: Σ_c s_c ‖P_c‖² over these rows.
func (x *thresholded) share(lo, hi int) (sum float64) {
	r := len(x.s)
	if x.n <= x.m {
		for i := lo; i < hi; i++ {
			for c, y := range x.c[i*r : (i+1)*r] {
				sum += y * y / x.raw[c] / x.raw[c] * x.s[c]
			}
		}
		return sum
	}
	for c := range r {
		sum += x.s[c] * kernel.SumSq(x.q[c*x.m+lo:c*x.m+hi])
	}
	return sum
}
