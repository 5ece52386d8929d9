package newton

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
)

// A tangent is P M Qᵀ + A Qᵀ + P Bᵀ: M is a Small(k, k), A is m×k with PᵀA = 0, B is n×k with QᵀB = 0. M is small, and always in
// float64: between directions of tiny singular values the trace norm bends by its skew part alone, a difference that float32
// would lose.
type tangent[T gcg.Real] struct {
	m    *gcg.Factor
	a, b *gcg.FactorOf[T]
}

// tangentIn is t with A and B rounded to T, or t itself where they are in T.
func tangentIn[T, S gcg.Real](t tangent[S]) tangent[T] {
	return tangent[T]{t.m, gcg.FactorIn[T](t.a), gcg.FactorIn[T](t.b)}
}

// dot is ⟨t, o⟩.
func (t tangent[T]) dot(o tangent[T]) float64 { return t.m.Dot(o.m) + t.a.Dot(o.a) + t.b.Dot(o.b) }

// clone is a copy.
func (t tangent[T]) clone() tangent[T] { return tangent[T]{t.m.Clone(), t.a.Clone(), t.b.Clone()} }

// repay gives the memory of t back.
func (t tangent[T]) repay() {
	gcg.Repay(t.m)
	gcg.Repay(t.a, t.b)
}

// zero is 0, in the shape of t.
func (t tangent[T]) zero() tangent[T] {
	return tangent[T]{factor.Blank(t.m), factor.Blank(t.a), factor.Blank(t.b)}
}

// addScaled is t += c·o.
func (t tangent[T]) addScaled(c float64, o tangent[T]) {
	t.m.AddScaled(c, o.m)
	t.a.AddScaled(T(c), o.a)
	t.b.AddScaled(T(c), o.b)
}

// scale is t *= c.
func (t tangent[T]) scale(c float64) {
	t.m.Scale(c)
	t.a.Scale(T(c))
	t.b.Scale(T(c))
}
