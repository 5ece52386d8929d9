package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// A spectrum is a symmetric positive semidefinite matrix, E diag(values) Eᵀ. Without vectors E is I.
type spectrum[T gcg.Real] struct {
	values            []float64
	vectors, vectorsT *gcg.FactorOf[T] // E and Eᵀ
}

// newSpectrum decomposes a Small.
func newSpectrum(k *gcg.Factor) spectrum[float64] {
	values, e := k.SymEigen(true)
	for i := range values {
		values[i] = math.Max(values[i], 0)
	}
	vectors := gcg.SmallOf(e)
	return spectrum[float64]{values, vectors, transposed(vectors, len(values))}
}

// spectrumIn is s with its vectors rounded to T.
func spectrumIn[T gcg.Real](s spectrum[float64]) spectrum[T] {
	if s.vectors == nil {
		return spectrum[T]{values: s.values}
	}
	return spectrum[T]{s.values, gcg.FactorIn[T](s.vectors), gcg.FactorIn[T](s.vectorsT)}
}

// whitened is the spectrum of S^½KS^½ = YΔYᵀ, with S^½Y in place of Y.
func whitened(k *gcg.Factor, sigma []float64) spectrum[float64] {
	g := k.Clone()
	for i, si := range sigma {
		for j, sj := range sigma {
			g.Row(i)[j] *= math.Sqrt(si * sj)
		}
	}
	w := newSpectrum(g)
	for i, s := range sigma {
		root := math.Sqrt(s)
		for c := range sigma {
			w.vectors.Row(i)[c] *= root
			w.vectorsT.Row(c)[i] *= root
		}
	}
	return w
}

// top is the largest eigenvalue.
func (s spectrum[T]) top() float64 {
	var top float64
	for _, x := range s.values {
		top = math.Max(top, x)
	}
	return top
}

// unpadded is E without the rows that only a Small has.
func (s spectrum[T]) unpadded() *gcg.FactorOf[T] { return trimmed(s.vectors, len(s.values)) }

// in is EᵀF.
func (s spectrum[T]) in(f *gcg.FactorOf[T]) *gcg.FactorOf[T] {
	if s.vectors == nil {
		return f
	}
	return gcg.TMul(s.unpadded(), f)
}

// out is E F.
func (s spectrum[T]) out(f *gcg.FactorOf[T]) *gcg.FactorOf[T] {
	if s.vectors == nil {
		return f
	}
	return gcg.Mul(s.unpadded(), f)
}

// times is K F, K the matrix itself.
func (s spectrum[T]) times(f *gcg.FactorOf[T]) *gcg.FactorOf[T] {
	t := s.in(f).Clone()
	for i, x := range s.values {
		kernel.Scale(T(x), t.Row(i))
	}
	return s.out(t)
}

// compress is FᵀKF.
func (s spectrum[T]) compress(f *gcg.FactorOf[T]) *gcg.FactorOf[T] { return gcg.TMul(f, s.times(f)) }
