package factor

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// Multiply is z = x∘d, entry by entry.
func Multiply[T gcg.Real](z, x, d *gcg.FactorOf[T]) {
	d.RowBlocks(func(lo, hi int) {
		kernel.Hadamard(z.Data[lo*z.Stride:hi*z.Stride], x.Data[lo*x.Stride:hi*x.Stride], d.Data[lo*d.Stride:hi*d.Stride])
	})
}

// MaxOf is the largest entry of F, or 0.
func MaxOf(f *gcg.Factor) float64 {
	var top float64
	for _, x := range f.Data {
		top = math.Max(top, x)
	}
	return top
}

// MaxDiagonal is the largest entry on the diagonal of K, or 0.
func MaxDiagonal(k *gcg.Factor) float64 {
	var top float64
	for i := range k.K {
		top = math.Max(top, k.Row(i)[i])
	}
	return top
}

// SquaredEntries is F∘F.
func SquaredEntries(f *gcg.Factor) *gcg.Factor {
	g := gcg.RoomLike[float64](f, f.K)
	f.RowBlocks(func(lo, hi int) {
		rows := f.Data[lo*f.Stride : hi*f.Stride]
		kernel.Hadamard(g.Data[lo*g.Stride:], rows, rows)
	})
	return g
}

// AddByColumn is F += G diag(by).
func AddByColumn[T gcg.Real](f *gcg.FactorOf[T], by []T, g *gcg.FactorOf[T]) {
	f.RowBlocks(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row, other := f.Row(i), g.Row(i)
			for c, x := range by[:len(row)] {
				row[c] += x * other[c]
			}
		}
	})
}

// AddWide is u += F z, with F brought to float64 first.
func AddWide[T gcg.Real](u *gcg.Factor, f *gcg.FactorOf[T], z *gcg.Factor) {
	wide := gcg.FactorIn[float64](f)
	u.AddMul(wide, z)
	RepayIn(wide, f)
}

// WideGram is FᵀF, added up in float64.
func WideGram(f *gcg.Factor32) *gcg.Factor {
	wide := gcg.FactorIn[float64](f)
	defer gcg.Repay(wide)
	return gcg.TMul(wide, wide)
}
