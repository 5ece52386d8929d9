package gcg

import (
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// A Real is a storage type.
type Real = kernel.Real

// A FactorOf is one side of a low-rank matrix: Rows×K, row-major with Stride ≥ K. The stride is a multiple of 8 and
// the padding is zero, which is what the kernels of internal/kernel ask for.
type FactorOf[T Real] struct {
	Rows, K, Stride int
	Data            []T
}

// A Factor is what problems and solutions are made of. A Factor32 takes half the memory and the time, for what only steers: no
// objective and no bound rests on it.
type (
	Factor   = FactorOf[float64]
	Factor32 = FactorOf[float32]
)

// NewFactor is a zero rows×k factor.
func NewFactor(rows, k int) *Factor { return NewFactorOf[float64](rows, k) }

// NewFactorOf is a zero rows×k factor in T.
func NewFactorOf[T Real](rows, k int) *FactorOf[T] {
	return shaped(rows, k, memory.Zeros[T])
}

// shaped is a rows×k factor in memory for so many numbers.
func shaped[T Real](rows, k int, numbers func(n int) []T) *FactorOf[T] {
	stride := (k + 7) &^ 7
	return &FactorOf[T]{Rows: rows, K: k, Stride: stride, Data: numbers(rows * stride)}
}

// Room is a rows×k factor with any content, for those who write all of it, padding too.
func Room[T Real](rows, k int) *FactorOf[T] { return shaped(rows, k, memory.Room[T]) }

// FactorIn is F rounded to T, or F itself where that is what it is in.
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

// wellFormed reports whether F is as NewFactorOf makes one of so many rows.
func (f *FactorOf[T]) wellFormed(rows int) bool {
	return f.Rows == rows && f.K >= 0 && f.Stride >= f.K && f.Stride%8 == 0 && len(f.Data) == rows*f.Stride
}

// Row is row i with its padding.
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

// setColumns writes the columns of G, each with its scale, from column c on.
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

// ScaleColumn multiplies column c.
func (f *FactorOf[T]) ScaleColumn(c int, by T) {
	for i := c; i < len(f.Data); i += f.Stride {
		f.Data[i] *= by
	}
}

// ScaleColumns is F diag(by), for by as long as a row.
func (f *FactorOf[T]) ScaleColumns(by []T) {
	f.RowBlocks(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := f.Row(i)
			kernel.Hadamard(row, row, by)
		}
	})
}

// Scale multiplies every column.
func (f *FactorOf[T]) Scale(by T) {
	par.Pieces(len(f.Data), func(lo, hi int) { kernel.Scale(by, f.Data[lo:hi]) })
}

// Clone is a copy.
func (f *FactorOf[T]) Clone() *FactorOf[T] {
	g := *f
	g.Data = memory.Room[T](len(f.Data))
	par.Pieces(len(f.Data), func(lo, hi int) { copy(g.Data[lo:hi], f.Data[lo:hi]) })
	return &g
}

// Repay ends factors, those that are not nil, and gives their memory to later ones, which need no fresh pages then. Calling it is optional. Data
// becomes nil, and all of its capacity is given away: a factor must not be a view of another, nor share Data with a copy of itself.
func Repay[T Real](all ...*FactorOf[T]) {
	for _, f := range all {
		if f != nil {
			memory.Repay(f.Data)
			f.Data = nil
		}
	}
}

// Widen is a copy with room for k columns; the new ones are zero.
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
