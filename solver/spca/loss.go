package spca

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// A Minorant is the linear part of λ‖z‖₁ - ⟨C, z⟩ at a U with |U| ≤ λ,
//
//	L(z) = -⟨C - U, z⟩ ≤ λ‖z‖₁ - ⟨C, z⟩
//
// A method moves U, by D. The loss whose certificate counts is the exact one, which L bounds from below, see gcg.Original.
type Minorant struct {
	C, D   []float64 // D = C - U
	Lambda float64
}

// Len is the number of entries.
func (l *Minorant) Len() int { return len(l.C) }

// Stride is 1.
func (l *Minorant) Stride() int { return 1 }

// Eval is -⟨D, z⟩, with r = D.
func (l *Minorant) Eval(lo int, z, r []float64) float64 {
	d := l.D[lo : lo+len(z)]
	value := -kernel.Dot(d, z)
	if r != nil {
		copy(r, d)
	}
	return value
}

// Original is the loss that is not smooth.
func (l *Minorant) Original() gcg.Loss { return exact{l.C, l.Lambda} }

// exact is λ‖z‖₁ - ⟨C, z⟩.
type exact struct {
	c      []float64
	lambda float64
}

// Len is the number of entries.
func (l exact) Len() int { return len(l.c) }

// Stride is 1.
func (l exact) Stride() int { return 1 }

// Eval is the value; it has no derivative.
func (l exact) Eval(lo int, z, _ []float64) float64 {
	var size float64
	for _, x := range z {
		size += math.Abs(x)
	}
	return l.lambda*size - kernel.Dot(l.c[lo:lo+len(z)], z)
}

// dualRounding is the part of λ + |C_ij| by which |C - D| may exceed λ, for the rounding of D = C - U.
const dualRounding = 1e-15

// Conjugate is L*(-s r): 0 where |C - s r| ≤ λ, +Inf elsewhere.
func (l exact) Conjugate(lo int, r []float64, s float64) float64 {
	for i, x := range r {
		c := l.c[lo+i]
		if math.Abs(c-s*x) > l.lambda+dualRounding*(l.lambda+math.Abs(c)) {
			return math.Inf(1)
		}
	}
	return 0
}

// ConjugateAlong is Conjugate at s = 1, and +Inf elsewhere: D is a dual point, and multiples of it rarely are.
func (l exact) ConjugateAlong(lo int, r []float64) func(s float64) float64 {
	value := l.Conjugate(lo, r, 1)
	return func(s float64) float64 {
		if s == 1 {
			return value
		}
		return math.Inf(1)
	}
}
