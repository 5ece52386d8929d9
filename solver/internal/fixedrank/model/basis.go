package model

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
)

// A Basis approximates X ↦ A*(∇²L A(X)) by L X R. From point to point it keeps L and R, which serve while ∇²L has hardly moved,
// and the eigenvectors E of an L, which serve while EᵀLE of the next ones is about diagonal. The zero value keeps nothing.
type Basis struct {
	vectors, vectorsT *gcg.Factor       // E and Eᵀ
	Weights           []float64         // the diagonal of ∇²L that L and R are of
	left, right       Spectrum[float64] // L and R
	Gram              *gcg.Factor       // L as a matrix (m×m), or nil where only its diagonal is known
	grams             [2]*Gram          // of both sides of an operator that observes L W Rᵀ, see Curvature.Grams
}

// Separable gives L and R at a state. p has a view.KroneckerOperator.
func (b *Basis) Separable(p *view.Problem, s *gcg.State) (l, r Spectrum[float64]) {
	weights := p.HessDiagonal(s)
	if b.serves(p, weights) {
		memory.Repay(weights)
		return b.left, b.right
	}
	gram, left, right := p.Kronecker.Kronecker(weights, p.Intercept)
	l = Spectrum[float64]{Values: left}
	if gram != nil {
		l = b.spectrum(gram)
	}
	b.Weights, b.left, b.right, b.Gram = weights, l, Spectrum[float64]{Values: right}, gram
	return b.left, b.right
}

// staleWeights is the part of the weights that may have moved: conjugate gradients took as many steps as with new ones. With 0
// school takes 1.17 times as long.
const staleWeights = 0.3

// serves says that L and R are those of such weights but for a part: ‖w - w'‖₁ ≤ staleWeights ‖w‖₁.
func (b *Basis) serves(p *view.Problem, weights []float64) bool {
	if len(b.Weights) != len(weights) {
		return false
	}
	sums := p.Sums(2, func(lo, hi int, sums []float64) {
		for i, w := range weights[lo:hi] {
			sums[0] += math.Abs(w - b.Weights[lo+i])
			sums[1] += w
		}
	})
	return sums[0] <= staleWeights*sums[1]
}

// spectrum is that of a p×p K, or about: its diagonal where features are hardly correlated, or diag(EᵀKE) in the last basis E
// while the rest of EᵀKE is small. That takes 4p³ flops in place of about 20p³, and those at a far higher rate.
func (b *Basis) spectrum(k *gcg.Factor) Spectrum[float64] {
	if d := k.Diagonal(); offDiagonal(k, d) <= uncorrelated*float64(k.K) {
		return Spectrum[float64]{Values: d}
	}
	if b.vectors != nil && b.vectors.K == k.K {
		m := gcg.Mul(gcg.Mul(b.vectorsT, k), b.vectors)
		values := make([]float64, k.K)
		for i := range values {
			values[i] = math.Max(m.Row(i)[i], 0)
		}
		if offDiagonal(m, values) <= float64(k.K) {
			return Spectrum[float64]{values, b.vectors, b.vectorsT}
		}
	}
	s := NewSpectrum(k)
	b.vectors, b.vectorsT = s.Vectors, s.VectorsT
	return s
}

// uncorrelated bounds the sum of squares of a feature's correlations with the others, on average, for which the diagonal
// serves: conjugate gradients took as many steps with it, but for a tenth. Where samples are independent the sum is the
// number of features over that of samples.
const uncorrelated = 1.5

// offDiagonal is Σ over i≠j of mᵢⱼ²/(vᵢvⱼ), v being the diagonal of m, which is positive semidefinite.
func offDiagonal(m *gcg.Factor, v []float64) float64 {
	var off float64
	for i, vi := range v {
		row := m.Row(i)
		for j, vj := range v[:i] {
			off += 2 * row[j] * row[j] / math.Max(vi*vj, 1e-300)
		}
	}
	return off
}

// A Spectrum is a symmetric positive semidefinite matrix, E diag(values) Eᵀ. Without vectors E is I.
type Spectrum[T gcg.Real] struct {
	Values            []float64
	Vectors, VectorsT *gcg.FactorOf[T] // E and Eᵀ
}

// NewSpectrum decomposes a Small.
func NewSpectrum(k *gcg.Factor) Spectrum[float64] {
	values, e := k.SymEigen(true)
	for i := range values {
		values[i] = math.Max(values[i], 0)
	}
	vectors := gcg.SmallOf(e)
	return Spectrum[float64]{values, vectors, factor.Transposed(vectors, len(values))}
}

// SpectrumIn is s with its vectors rounded to T.
func SpectrumIn[T gcg.Real](s Spectrum[float64]) Spectrum[T] {
	if s.Vectors == nil {
		return Spectrum[T]{Values: s.Values}
	}
	return Spectrum[T]{s.Values, gcg.FactorIn[T](s.Vectors), gcg.FactorIn[T](s.VectorsT)}
}

// Top is the largest eigenvalue.
func (s Spectrum[T]) Top() float64 {
	var top float64
	for _, x := range s.Values {
		top = math.Max(top, x)
	}
	return top
}

// Unpadded is E without the rows that only a Small has.
func (s Spectrum[T]) Unpadded() *gcg.FactorOf[T] { return factor.Trimmed(s.Vectors, len(s.Values)) }

// in is EᵀF.
func (s Spectrum[T]) in(f *gcg.FactorOf[T]) *gcg.FactorOf[T] {
	if s.Vectors == nil {
		return f
	}
	return gcg.TMul(s.Unpadded(), f)
}

// out is E F.
func (s Spectrum[T]) out(f *gcg.FactorOf[T]) *gcg.FactorOf[T] {
	if s.Vectors == nil {
		return f
	}
	return gcg.Mul(s.Unpadded(), f)
}

// Times is K F, K the matrix itself.
func (s Spectrum[T]) Times(f *gcg.FactorOf[T]) *gcg.FactorOf[T] {
	t := s.in(f).Clone()
	for i, x := range s.Values {
		kernel.Scale(T(x), t.Row(i))
	}
	return s.out(t)
}

// Compress is FᵀKF.
func (s Spectrum[T]) Compress(f *gcg.FactorOf[T]) *gcg.FactorOf[T] { return gcg.TMul(f, s.Times(f)) }
