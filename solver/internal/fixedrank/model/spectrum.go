package model

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
)

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
