// Package symmetric is the trace norm of symmetric matrices.
package symmetric

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/spectral"
	"gonum.org/v1/gonum/mat"
)

// Trace is the trace norm on symmetric n×n matrices, Σ|λᵢ(W)|, +Inf elsewhere.
//
//	atoms  ±u uᵀ, ‖u‖₂ = 1
//	polar  κ°(G) = max |λᵢ((G + Gᵀ)/2)|
//
// The positive semidefinite ones alone are gauge.PSDTrace.
type Trace struct {
	// Steps is the most Lanczos steps of one polar beyond denseLimit rows; 0 means 200.
	Steps int
	// Failure is the probability that a certified bound may fail; 0 means 1e-9.
	Failure float64
}

// Name is symmetric-trace.
func (Trace) Name() string { return "symmetric-trace" }

const (
	denseLimit   = 256  // rows up to which all eigenvalues are computed, as for the trace norm
	usualSteps   = 200  // Lanczos steps of one vector
	usualFailure = 1e-9 // that a bound may fail
)

// Polar finds the eigenvalue of S = (G + Gᵀ)/2 that is largest by size, and an upper bound of that. Up to 256 rows S is
// decomposed whole, and the bound is proven. Otherwise both ends of the spectrum are found by Lanczos steps from a random start,
// and the bound holds but for a stated probability; a Cholesky factorization proves it where ask.Exact wants that. It refuses a G
// that is not square.
func (k Trace) Polar(ctx context.Context, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	m, n := g.Dims()
	if m != n {
		return gcg.Polar{}, fmt.Errorf("gauge: %s is for square matrices, this one is %d×%d", k.Name(), m, n)
	}
	if n <= denseLimit {
		return k.whole(ctx, g, n)
	}
	o := spectral.Options{Steps: k.Steps, Small: usualSteps, Failure: k.Failure / 2}
	if o.Steps == 0 {
		o.Steps = usualSteps
	}
	if o.Failure == 0 {
		o.Failure = usualFailure / 2
	}
	o.Patience = o.Steps
	top, err := spectral.NewSymmetric(g, nil).Polar(ctx, o, ask)
	if err != nil {
		return gcg.Polar{}, err
	}
	low, err := spectral.NewSymmetric(gcg.Scaled(g, -1), nil).Polar(ctx, o, ask)
	if err != nil {
		return gcg.Polar{}, err
	}
	p := larger(top, low)
	if ask.Exact {
		p.Bound, p.Kind, p.Failure = provenBoth(ctx, g, n, p.Value, ask.Tol), gcg.Proven, 0
	}
	return p, nil
}

// whole is Polar by all eigenvalues. Rounding of eigenvalues is at most n·ε·‖S‖_F, and four times that makes the bound.
func (k Trace) whole(ctx context.Context, g gcg.Map, n int) (gcg.Polar, error) {
	if err := ctx.Err(); err != nil {
		return gcg.Polar{}, err
	}
	s := symmetricPart(g, n)
	values, q := linalg.SymEigen(s, true)
	at := n - 1
	if -values[0] > values[n-1] {
		at = 0
	}
	a := spectral.SquareAtom(mat.Col(nil, at, q))
	if values[at] < 0 {
		a.V.Scale(-1)
	}
	value := math.Abs(values[at])
	bound := value + 4*float64(n)*linalg.Epsilon*mat.Norm(s, 2)
	return gcg.Polar{Atoms: []gcg.Atom{a}, Values: []float64{value}, Value: value, Bound: bound, Kind: gcg.Proven, Alpha: 1}, nil
}

// symmetricPart is (G + Gᵀ)/2, written out.
func symmetricPart(g gcg.Map, n int) *mat.SymDense {
	all := make([]float64, n*n)
	gcg.DenseTo(all, g)
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			s.SetSym(i, j, all[i*n+j]/2+all[j*n+i]/2)
		}
	}
	return s
}

// larger joins the polars of G and of -G: the first atom is of the end that is larger by size, and the bounds hold together.
func larger(top, low gcg.Polar) gcg.Polar {
	for i := range low.Atoms {
		low.Atoms[i].V.Scale(-1)
	}
	p, other := top, low
	if low.Value > top.Value {
		p, other = low, top
	}
	p.Bound, p.Failure, p.Spectral = math.Max(p.Bound, other.Bound), p.Failure+other.Failure, nil
	if other.Kind > p.Kind {
		p.Kind = other.Kind
	}
	return p
}

// provenBoth is a proven bound of max |λᵢ(S)|.
func provenBoth(ctx context.Context, g gcg.Map, n int, value, tol float64) float64 {
	s := symmetricPart(g, n)
	all := make([]float64, n*n)
	for i := range n {
		for j := range n {
			all[i*n+j] = s.At(i, j)
		}
	}
	top := spectral.DenseEigenvalue(ctx, all, n, value, tol)
	for i := range all {
		all[i] = -all[i]
	}
	return math.Max(top, spectral.DenseEigenvalue(ctx, all, n, value, tol))
}

// Of is Σ|λᵢ(W)|, or +Inf where W is not symmetric but for 1e-10 of its largest entry.
func (Trace) Of(w []float64, m, n int) float64 {
	if m != n {
		return math.Inf(1)
	}
	scale := linalg.MaxAbs(w[:m*n])
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			if math.Abs(w[i*n+j]-w[j*n+i]) > symmetryRounding*scale {
				return math.Inf(1)
			}
			s.SetSym(i, j, w[i*n+j])
		}
	}
	return sumAbs(s)
}

// symmetryRounding is the part of the largest entry that entries across the diagonal may differ by: what sums of products leave.
const symmetryRounding = rounding.Decomposed

// sumAbs is Σ|λᵢ(S)|.
func sumAbs(s *mat.SymDense) (sum float64) {
	values, _ := linalg.SymEigen(s, false)
	for _, v := range values {
		sum += math.Abs(v)
	}
	return sum
}

// Compress is that of the trace norm, for a W that is symmetric.
func (Trace) Compress(w *gcg.Iterate) (rho float64) {
	if len(w.Terms) > 0 {
		rows, cols, vals := w.Entries()
		rho = spectral.TraceNorm(w.M, w.N, rows, cols, vals)
	}
	if w.Rank() == 0 {
		return rho
	}
	p, s, q := gcg.SVD(w.U, w.V, compressRounding)
	roots := make([]float64, p.Stride)
	for c, x := range s {
		rho += x
		roots[c] = math.Sqrt(x)
	}
	p.ScaleColumns(roots)
	q.ScaleColumns(roots)
	w.SetFactors(p, q)
	return rho
}

// compressRounding is the part of the largest singular value below which others are rounding.
const compressRounding = rounding.Number
