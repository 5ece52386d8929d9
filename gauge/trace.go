package gauge

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/spectral"
)

// Trace is the trace (nuclear) norm, the sum of the singular values. Its atoms are u vᵀ with unit u and v, its polar is
// the spectral norm σ₁ with the leading singular pair.
type Trace struct {
	// Steps is the most block Lanczos steps of one polar. 0 means 40, and up to 96 where the shorter side is beyond proofLimit.
	// On shorter sides, where a proof costs no more, at most 22 are taken.
	Steps int
	// Failure is the probability that a certified bound may fail; 0 means 1e-9.
	Failure float64
}

// Name is trace.
func (Trace) Name() string { return "trace" }

// Spectral marks the trace norm for solvers that work on singular values.
func (Trace) Spectral() {}

// FactorNorms are 2 and 2: κ is that of Factor.
func (Trace) FactorNorms() (left, right float64, ok bool) { return 2, 2, true }

// denseLimit is the shorter side up to which all singular values are computed: at 256 the eigenvalues of the Gram matrix cost
// about 20 ms, less than the Lanczos steps that an equally good bound needs.
const denseLimit = 256

// Dense reports whether Polar decomposes an m×n matrix whole, which takes 24 bytes an entry for a while.
func (Trace) Dense(m, n int) bool { return min(m, n) <= denseLimit && m*n <= 1<<24 }

// Polar finds the leading singular pairs of G (m×n), as many as ask wants, and an upper bound of σ₁.
//
// Where Dense is true, G is decomposed whole, and the bound is proven. Otherwise G is cut by the spaces P, Q of ask.W. PᵀGQ and
// the two off-diagonal blocks are computed exactly. ‖(I-PPᵀ)G(I-QQᵀ)‖ is bounded by block Lanczos steps from a random start, see
// package spectral. This bound holds but for a stated probability. A Cholesky factorization proves a bound where ask.Exact wants
// it, or where the other is not good enough and the shorter side is at most proofLimit.
//
// The errors are those of ctx, and that ask.Exact wants a proof on a side beyond ExactLimit.
func (t Trace) Polar(ctx context.Context, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	m, n := g.Dims()
	if t.Dense(m, n) {
		return spectral.DenseSVD(g, ask), nil
	}
	p, err := t.cut(ctx, g, ask)
	if err != nil {
		return gcg.Polar{}, err
	}
	return spectral.Rescaled(ctx, p, g, ask, t.cut)
}

// cut is Polar where G is not decomposed whole.
func (t Trace) cut(ctx context.Context, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	m, n := g.Dims()
	o := t.options(min(m, n))
	s := spectral.NewStructure(g, ask)
	defer s.Repay()
	p, accurate, err := s.Polar(ctx, o, ask)
	if err != nil {
		return gcg.Polar{}, err
	}
	// A proof is wanted where the bound, and not what new atoms attain, is what keeps the gap open.
	top := math.Max(p.Value, ask.Above)
	loose := p.Bound - top
	wanted := loose > top*ask.Tol && (!ask.OutsideW || p.Count() == 0 || loose > 2*(top-ask.Above))
	if ask.Exact || !accurate && wanted && min(m, n) <= proofLimit {
		bound, err := provenBound(ctx, g, top, ask.Tol)
		if err != nil {
			return gcg.Polar{}, err
		}
		if ask.Exact || bound < p.Bound {
			p.Bound, p.Kind, p.Failure = bound, gcg.Proven, 0
		}
	}
	return p, nil
}

// proofLimit is the shorter side up to which a Cholesky factorization costs less than the Lanczos steps that sharpen a bound
// at a spectrum without a gap: 1500³/3 flops are 0.3 s.
const proofLimit = 1500

// basisBytes limits the memory of a Lanczos basis on sides beyond proofLimit: at a spectrum without a gap below λ, the bound
// of a large problem needs some 90 steps to come within a thousandth.
const basisBytes int64 = 4 << 30

// options are the limits of Lanczos steps for a shorter side of the given length, with the defaults of t.
func (t Trace) options(side int) spectral.Options {
	o := spectral.Options{Steps: t.Steps, Small: 22, Failure: t.Failure}
	if o.Steps == 0 {
		o.Steps = 40
	}
	o.Patience = min(o.Steps, o.Small)
	if side > proofLimit && t.Steps == 0 {
		o.Patience = max(o.Steps, int(min(96, basisBytes/(8*spectral.Starts*int64(side)))))
	}
	if o.Failure == 0 {
		o.Failure = 1e-9
	}
	return o
}

// Compress rewrites the factors of w as P S^½ and Q S^½ of the singular value decomposition W = P S Qᵀ, and drops null
// directions. It returns the trace norm, to which the weights of the atoms then sum. Sparse atoms are left alone: with them it
// returns the sum of the trace norms of both parts of W, a bound.
func (t Trace) Compress(w *gcg.Iterate) float64 {
	var sparse float64
	if len(w.Terms) > 0 {
		rows, cols, vals := w.Entries()
		sparse = spectral.TraceNorm(w.M, w.N, rows, cols, vals)
	}
	if w.Rank() == 0 {
		return sparse
	}
	p, s, q := gcg.SVD(w.U, w.V, rounding.Number)
	var rho float64
	roots := make([]float64, p.Stride)
	for c, sc := range s {
		rho += sc
		roots[c] = math.Sqrt(sc)
	}
	p.ScaleColumns(roots)
	q.ScaleColumns(roots)
	w.SetFactors(p, q)
	return rho + sparse
}
