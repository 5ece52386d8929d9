package spectral

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/roots"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"gonum.org/v1/gonum/mat"
)

// A coupling is G in the bases [P X ⊥] and [Q Y ⊥], for Ritz pairs X, Y of D. All of it is known exactly except D', the part of D
// from ⊥ to ⊥:
//
//	⎡ C    FᵀY  F⊥ᵀ ⎤
//	⎢ XᵀE  Θ    Aᵀ  ⎥   = ⎡ core  Fᵀ ⎤     D Y = X Θ,  DᵀX = Y Θ + A
//	⎣ E⊥   0    D'  ⎦     ⎣ E     D' ⎦
//
// Let ‖D'‖ ≤ τ, so that lᵀD'r ≤ τ(|l|² + |r|²)/2. Then ‖G‖ ≤ t where
//
//	⎡ t - FᵀF/(t-τ)  -core         ⎤ ⪰ 0,
//	⎣ -coreᵀ         t - EᵀE/(t-τ) ⎦
//
// which a Cholesky factorization proves. A bound from the norms of the four blocks alone would be larger: it would count every
// coupling to D' as one to the leading singular vectors of core.
type coupling struct {
	core *mat.Dense  // k×k
	ff   *gcg.Factor // FᵀF (k×k)
	ee   *gcg.Factor // EᵀE, for the columns of E that are not 0, which are the first; nil where there are none
}

// coupling is G for the Ritz pairs x (m×d), theta and y (n×d), with a (n×d) for A.
func (s *structure) coupling(x, y *gcg.Factor, theta []float64, a *gcg.Factor) coupling {
	c := coupling{core: s.unionCore(x, y, gcg.SmallOf(mat.NewDiagDense(len(theta), theta))), ff: gcg.TMul(a, a)}
	if s.p == nil {
		return c
	}
	e, f := s.e.Clone(), s.f.Clone()
	e.Project(x)
	f.Project(y)
	all := gcg.Beside(f, a)
	defer gcg.Repay(e, f, all)
	c.ee, c.ff = gcg.TMul(e, e), gcg.TMul(all, all)
	return c
}

// holds reports whether ‖G‖ ≤ t is proven, for ‖D'‖ ≤ tau. What rounding could hide is taken off the diagonal first, as in
// provenBound.
func (c coupling) holds(t, tau float64) bool {
	k, _ := c.core.Dims()
	delta := t - tau
	if !(delta > 0) {
		return false
	}
	diagonal := t * (1 - float64(2*k+2)*4*linalg.Epsilon*float64(2*k))
	l := linalg.NewLower(2 * k)
	entry := func(i, j int) *float64 { return &l.Row(i, j)[j%linalg.PanelWidth] }
	for i := range k {
		for j := range i + 1 {
			*entry(i, j) = -c.ff.Row(i)[j] / delta
			if c.ee != nil && i < c.ee.K {
				*entry(k+i, k+j) = -c.ee.Row(i)[j] / delta
			}
		}
		for j := range k {
			*entry(k+i, j) = -c.core.At(j, i)
		}
		*entry(i, i) += diagonal
		*entry(k+i, k+i) += diagonal
	}
	return l.Cholesky()
}

// bound is a t for which holds is true: want if it is, else one whose excess above low is within a tenth, or 1e-12·low, of
// the least possible. It is +Inf where even 1,000 times low is not enough. low is about the least that ‖G‖ can be.
func (c coupling) bound(tau, low, want float64) float64 {
	if c.holds(want, tau) || math.IsInf(tau, 1) {
		return math.Max(want, tau) // want, which is above τ if it holds, or +Inf
	}
	lo, hi := want-low, math.Max(4*(want-low), rounding.Null*low)
	for !c.holds(low+hi, tau) {
		if hi > 1e3*low {
			return math.Inf(1)
		}
		lo, hi = hi, 4*hi
	}
	from := math.Log(math.Max(lo, rounding.Null*low)) // lo is 0 where want is low
	roots.Bisect(from, math.Log(hi), math.Log(1.1), func(x float64) bool {
		excess := math.Exp(x)
		if !c.holds(low+excess, tau) {
			return true
		}
		hi = excess // the number that is proven, not one that rounds to the same logarithm
		return false
	})
	return low + hi
}
