package gcg

import (
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// A Real is a type that numbers are stored in: float32 or float64.
type Real = kernel.Real

// A FactorOf is one side of a low-rank matrix: Rows×K, row-major, with Stride ≥ K. The stride is a multiple of 8 and the
// padding is zero, as the kernels of internal/kernel want it.
type FactorOf[T Real] struct {
	Rows, K, Stride int
	Data            []T
}

type (
	// Factor is what problems and solutions are made of.
	Factor = FactorOf[float64]
	// Factor32 takes half the memory and half the time. It is for quantities that only steer the steps: no objective and no bound
	// rests on it.
	Factor32 = FactorOf[float32]
)

// NewFactor is a zero rows×k factor.
func NewFactor(rows, k int) *Factor { return NewFactorOf[float64](rows, k) }

// NewFactorOf is a zero rows×k factor in T.
func NewFactorOf[T Real](rows, k int) *FactorOf[T] {
	return shaped(rows, k, memory.Zeros[T])
}

// shaped is a rows×k factor; numbers makes its memory of n numbers.
func shaped[T Real](rows, k int, numbers func(n int) []T) *FactorOf[T] {
	stride := (k + 7) &^ 7
	return &FactorOf[T]{Rows: rows, K: k, Stride: stride, Data: numbers(rows * stride)}
}

// Room is a rows×k factor with any content, for callers who overwrite all of it, padding too.
func Room[T Real](rows, k int) *FactorOf[T] { return shaped(rows, k, memory.Room[T]) }

// FactorIn is F rounded to T in a new factor, or F itself where it is in T.
func FactorIn[T, S Real](f *FactorOf[S]) *FactorOf[T] {
	if same, ok := any(f).(*FactorOf[T]); ok {
		return same
	}
	g := Room[T](f.Rows, f.K)
	par.Pieces(len(f.Data), func(lo, hi int) {
		kernel.Convert(g.Data[lo:hi], f.Data[lo:hi])
	})
	return g
}

// wellFormed reports whether F has the shape that NewFactorOf gives a factor of so many rows.
func (f *FactorOf[T]) wellFormed(rows int) bool {
	return f.Rows == rows && f.K >= 0 && f.Stride >= f.K && f.Stride%8 == 0 && len(f.Data) == rows*f.Stride
}

// Row is row i with its padding, not copied.
func (f *FactorOf[T]) Row(i int) []T {
	return f.Data[i*f.Stride : (i+1)*f.Stride : (i+1)*f.Stride]
}

// ColumnTo copies column c into dst (Rows).
func (f *FactorOf[T]) ColumnTo(dst []T, c int) {
	for i := range dst {
		dst[i] = f.Data[i*f.Stride+c]
	}
}

// SetColumn writes scale·x into column c.
func (f *FactorOf[T]) SetColumn(c int, x []T, scale T) {
	for i, xi := range x {
		f.Data[i*f.Stride+c] = scale * xi
	}
}

// setColumns writes G diag(scale) into the columns from c on.
func (f *FactorOf[T]) setColumns(c int, g *FactorOf[T], scale []T) {
	f.RowBlocks(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			to, from := f.Row(i)[c:], g.Row(i)
			for j, by := range scale {
				to[j] = by * from[j]
			}
		}
	})
}

// ScaleColumn multiplies column c by a number.
func (f *FactorOf[T]) ScaleColumn(c int, by T) {
	for i := c; i < len(f.Data); i += f.Stride {
		f.Data[i] *= by
	}
}

// ScaleColumns overwrites F with F diag(by); by is as long as a row with its padding.
func (f *FactorOf[T]) ScaleColumns(by []T) {
	f.RowBlocks(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := f.Row(i)
			kernel.Hadamard(row, row, by)
		}
	})
}

// Scale multiplies F by a number.
func (f *FactorOf[T]) Scale(by T) {
	par.Pieces(len(f.Data), func(lo, hi int) { kernel.Scale(by, f.Data[lo:hi]) })
}

// Clone is a copy of F.
func (f *FactorOf[T]) Clone() *FactorOf[T] {
	g := *f
	g.Data = memory.Room[T](len(f.Data))
	par.Pieces(len(f.Data), func(lo, hi int) { copy(g.Data[lo:hi], f.Data[lo:hi]) })
	return &g
}

// Repay gives the memory of factors to later ones, which need no fresh pages then; nil factors are passed over. It is
// optional. Data becomes nil, and all of its capacity is given away: a factor that is given back must not be a view of
// another one, nor share Data with a copy of itself.
func Repay[T Real](all ...*FactorOf[T]) {
	for _, f := range all {
		if f != nil {
			memory.Repay(f.Data)
			f.Data = nil
		}
	}
}

// Widen is a copy with k columns: the first k of F, or all of F and then zeros.
func (f *FactorOf[T]) Widen(k int) *FactorOf[T] {
	g, both := Room[T](f.Rows, k), min(k, f.K)
	f.RowBlocks(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := g.Row(i)
			copy(row[:both], f.Row(i))
			clear(row[both:])
		}
	})
	return g
}

// Identity is the identity matrix (n×n) as a factor: F Iᵀ writes any matrix F of n columns as a product of factors.
func Identity(n int) *Factor {
	f := NewFactor(n, n)
	for i := range n {
		f.Row(i)[i] = 1
	}
	return f
}

// Beside is [F G] in a new factor, for factors of as many rows.
func Beside[T Real](f, g *FactorOf[T]) *FactorOf[T] {
	h := Room[T](f.Rows, f.K+g.K)
	h.RowBlocks(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := h.Row(i)
			n := copy(row, f.Row(i)[:f.K])
			n += copy(row[n:], g.Row(i)[:g.K])
			clear(row[n:])
		}
	})
	return h
}

// Padded is a copy of F as a Small, to multiply factors of as many columns as F has rows.
func Padded[T Real](f *FactorOf[T]) *FactorOf[T] {
	s := SmallIn[T](f.Rows, f.K)
	for i := range f.Rows {
		copy(s.Row(i), f.Row(i)[:f.K])
	}
	return s
}
