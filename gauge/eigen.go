package gauge

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/spectral"
	"gonum.org/v1/gonum/mat"
)

// symmetricOf is S = (G + Gᵀ)/2, written out.
func symmetricOf(ctx context.Context, g gcg.Map) (*mat.SymDense, error) {
	_, n := g.Dims()
	s := mat.NewSymDense(n, nil)
	err := forRows(ctx, g, func(i int, row []float64) {
		for j, x := range row {
			if i == j {
				s.SetSym(i, i, x)
			} else {
				s.SetSym(i, j, s.At(i, j)+x/2)
			}
		}
	})
	return s, err
}

// eigenPolar is the polar from all eigenvalues of S. A computed eigenvalue is within p(n)·ε·‖S‖₂ of the truth, with
// p(n) below n on every matrix of known spectrum that was tried; four times that makes the bound.
func eigenPolar(s *mat.SymDense, ask gcg.Ask) gcg.Polar {
	n := s.SymmetricDim()
	var scale float64
	for i := range n {
		for j := i; j < n; j++ {
			scale = math.Max(scale, math.Abs(s.At(i, j)))
		}
	}
	if scale == 0 {
		u := make([]float64, n)
		u[0] = 1
		return gcg.Polar{Atoms: []gcg.Atom{spectral.SquareAtom(u)}, Values: []float64{0}, Kind: gcg.Proven, Alpha: 1}
	}
	unit := mat.NewSymDense(n, nil)
	scale = math.Max(scale, spectral.Smallest)
	unit.ScaleSym(1/scale, s)
	values, q := linalg.SymEigen(unit, true)
	p := gcg.Polar{Kind: gcg.Proven, Alpha: 1}
	for c := range min(max(ask.Count, 1), n) {
		u := mat.Col(nil, n-1-c, q)
		value := mat.Inner(mat.NewVecDense(n, u), unit, mat.NewVecDense(n, u)) * scale
		if c > 0 && value <= ask.Above {
			break
		}
		p.Values, p.Atoms = append(p.Values, value), append(p.Atoms, spectral.SquareAtom(u))
	}
	p.Value = p.Values[0]
	norm := math.Max(math.Abs(values[0]), math.Abs(values[n-1])) * scale
	p.Bound = math.Max(p.Value, values[n-1]*scale) + 4*float64(n)*linalg.Epsilon*norm
	return p
}

// provenEigenvalue is a τ ≥ λ₁(S): a Cholesky factorization proves that τI - S is positive definite. value is the largest
// eigenvalue that is known, and want a bound that would do: τ is within want - value of the least that can be proven. What
// rounding could hide is taken off the diagonal first, as in provenBound.
func provenEigenvalue(ctx context.Context, g gcg.Map, value, want float64) (float64, error) {
	_, n := g.Dims()
	if err := provable(n); err != nil {
		return 0, err
	}
	s, err := symmetricOf(ctx, g)
	if err != nil {
		return 0, err
	}
	var diagonal, radius float64 // Σ|S_ii|, and the largest row sum Σ_j|S_ij|, which bounds λ₁ by Gershgorin's theorem
	for i := range n {
		var row float64
		for j := range n {
			row += math.Abs(s.At(i, j))
		}
		diagonal, radius = diagonal+math.Abs(s.At(i, i)), math.Max(radius, row)
	}
	radius *= 1 + float64(n)*linalg.Epsilon
	lower := lowerOf(s)
	proves := func(tau float64) bool {
		return lower.ShiftedNegative(tau - choleskyRounding(n, math.Abs(tau)+diagonal/float64(n))).CholeskyIn(ctx)
	}
	return spectral.LeastProven(ctx, proves, value, math.Max(want-value, rounding.Product*radius), want-value, radius)
}

// choleskyRounding is what the rounding of a Cholesky factorization may hide, of an n×n matrix with diagonal entries of a mean
// size.
func choleskyRounding(n int, size float64) float64 {
	return float64(n+2) * 4 * linalg.Epsilon * float64(n) * size
}

// lowerOf copies the lower triangle of S.
func lowerOf(s *mat.SymDense) *linalg.Lower {
	n := s.SymmetricDim()
	l := linalg.NewLower(n)
	for i := range n {
		for j := range i + 1 {
			l.Row(i, j)[j%linalg.PanelWidth] = s.At(i, j)
		}
	}
	return l
}
