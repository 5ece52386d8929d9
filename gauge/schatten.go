package gauge

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/spectral"
	"gonum.org/v1/gonum/mat"
)

// SchattenP is the ℓp norm of the singular values, κ(W) = (Σσᵢ^p)^(1/p), 1 ≤ p ≤ ∞: the trace norm for p = 1, Frobenius for
// 2, the spectral norm for ∞.
//
//	atoms  U diag(s) Vᵀ, U and V orthonormal, ‖s‖_p = 1
//	polar  κ°(G) = ‖σ(G)‖_q, 1/p + 1/q = 1, with G's singular vectors and sᵢ ∝ σᵢ^(q-1)
//
// An atom has as many columns as G has rank. For p = 1 the polar is that of Trace, for matrices of any size; otherwise all
// singular values count, and G is decomposed whole. Source: von Neumann's trace inequality.
type SchattenP struct {
	P float64 // 0 means 2
}

// Name is schatten, with the exponent.
func (k SchattenP) Name() string { return "schatten(" + number(k.p()) + ")" }

// p is P, with 2 for 0.
func (k SchattenP) p() float64 { return Lp(k).p() }

// svdLimit is the number of entries up to which G is decomposed whole: 0.5 GB, and minutes where it is square.
const svdLimit = 1 << 26

// Polar decomposes G whole, with 8mn bytes several times over and about 20·mn·min(m, n) flops, and returns one atom; for p =
// 1 it is the polar of Trace. It refuses p < 1, more than svdLimit entries, and entries that are not finite or so large that
// σ₁ is not.
func (k SchattenP) Polar(ctx context.Context, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	p, err := exponent("schatten", k.P)
	if err != nil {
		return gcg.Polar{}, err
	}
	if p == 1 {
		return Trace{}.Polar(ctx, g, ask)
	}
	m, n := g.Dims()
	if m > svdLimit/n {
		return gcg.Polar{}, fmt.Errorf("gauge: %s needs all singular values of a dense %d×%d matrix; "+
			"p = 1, the trace norm, needs only the first", k.Name(), m, n)
	}
	all, err := entriesOf(ctx, g)
	if err != nil {
		return gcg.Polar{}, err
	}
	top := linalg.MaxAbs(all)
	u, s, v := decompose(all, m, n)
	switch {
	case top == 0:
		return spectral.ZeroPolar(g), nil
	case !(s[0] > 0) || math.IsInf(s[0], 1):
		return gcg.Polar{}, fmt.Errorf("gauge: the gradient has entries up to %g, too large for its singular values", top)
	}
	a := make([]float64, len(s))
	holderTo(a, s, p)
	rank := 0
	for rank < len(a) && a[rank] > 1e-17 {
		rank++
	}
	atom := gcg.Atom{U: gcg.NewFactor(m, rank), V: gcg.NewFactor(n, rank)}
	for c := range rank {
		atom.U.SetColumn(c, mat.Col(nil, c, u), a[c])
		atom.V.SetColumn(c, mat.Col(nil, c, v), 1)
	}
	rounding := 8 * float64(m+n) * linalg.Epsilon * math.Pow(float64(len(s)), 1/dual(p)) // every σᵢ rounds like σ₁
	return proven([]gcg.Atom{atom}, []float64{kernel.Dot(a[:rank], s)}, rounding), nil
}

// decompose is W = U diag(s) Vᵀ with min(m, n) singular values, descending, for entries of any scale. w (m×n, row-major) is
// not changed.
func decompose(w []float64, m, n int) (u *mat.Dense, s []float64, v *mat.Dense) {
	return linalg.ThinSVD(mat.NewDense(m, n, append([]float64(nil), w[:m*n]...)))
}

// Of is ‖σ(W)‖_p.
func (k SchattenP) Of(w []float64, m, n int) float64 {
	_, s, _ := decompose(w, m, n)
	return linalg.PNorm(s, k.p())
}

// ProxTo applies the proximity operator of t‖·‖_p to the singular values of W, which is soft thresholding for p = 1. dst may
// be w, and κ(dst) is returned.
func (k SchattenP) ProxTo(dst, w []float64, m, n int, t float64) float64 {
	return k.ProxAlong(w, m, n)(dst, t)
}

// ProxAlong is (dst, t) ↦ ProxTo(dst, w, m, n, t), with one decomposition of W for all t.
func (k SchattenP) ProxAlong(w []float64, m, n int) func(dst []float64, t float64) float64 {
	u, all, v := decompose(w, m, n)
	return func(dst []float64, t float64) float64 {
		s := make([]float64, len(all))
		rho := proxNormTo(s, all, t, k.p())
		rank := len(s)
		for rank > 0 && s[rank-1] == 0 {
			rank--
		}
		clear(dst[:m*n])
		if rank == 0 {
			return 0
		}
		left := mat.DenseCopyOf(u.Slice(0, m, 0, rank))
		left.Mul(left, mat.NewDiagDense(rank, s[:rank]))
		mat.NewDense(m, n, dst[:m*n]).Mul(left, v.Slice(0, n, 0, rank).T())
		return rho
	}
}

// Compress rewrites the factors of w as P S^½ and Q S^½ of the singular value decomposition, which have the fewest columns,
// and returns κ = ‖s‖_p. The weights of the columns as atoms of rank one would sum to the trace norm.
func (k SchattenP) Compress(w *gcg.Iterate) float64 {
	if (Trace{}).Compress(w) == 0 {
		return 0
	}
	s := make([]float64, w.Rank())
	u, v := make([]float64, w.M), make([]float64, w.N)
	for c := range s {
		w.U.ColumnTo(u, c)
		w.V.ColumnTo(v, c)
		s[c] = gcg.Norm(u) * gcg.Norm(v)
	}
	return linalg.PNorm(s, k.p())
}
