package views

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/rootfind"
)

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
			return rootfind.ExcessOf(h, kappa, mu)
		}
		from := rootfind.TrialMultiplier{Excess: excess(0)}
		if from.Excess <= 0 {
			return 0
		}
		to := rootfind.TrialMultiplier{Mu: rho * linalg.MaxAbs(sigma)}
		to.Excess = excess(to.Mu)
		return rootfind.Root(excess, from, to, 0) / rho
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
		kernel.Mirror(gram, n)
	} else {
		kernel.GemmNT(gram, y, y, m, m, n)
	}
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
