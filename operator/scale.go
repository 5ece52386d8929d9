package operator

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// A scaling makes factors diag(by) F for one pass, and gives the memory of all of them back after it.
type scaling[T Storage] struct{ made []*gcg.FactorOf[T] }

// rows is diag(by) F, or F itself where by is nil.
func (s *scaling[T]) rows(f *gcg.FactorOf[T], by []float64) *gcg.FactorOf[T] {
	if by == nil {
		return f
	}
	g := f.Clone()
	scaleRows(g, by)
	s.made = append(s.made, g)
	return g
}

// repay gives the memory of all factors back that rows has made.
func (s *scaling[T]) repay() { gcg.Repay(s.made...) }

// scaleRows overwrites F with diag(by) F; a nil by stands for ones.
func scaleRows[T Storage](f *gcg.FactorOf[T], by []float64) {
	eachRow(f, by, func(by float64, row []T) { kernel.Scale(T(by), row) })
}

// unscaleRows undoes scaleRows.
func unscaleRows[T Storage](f *gcg.FactorOf[T], by []float64) {
	eachRow(f, by, func(by float64, row []T) { kernel.Scale(T(1/by), row) })
}

// eachRow calls do with every row and its scale, or never where by is nil.
func eachRow[T Storage](f *gcg.FactorOf[T], by []float64, do func(by float64, row []T)) {
	if by == nil {
		return
	}
	f.RowBlocks(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			do(by[i], f.Row(i))
		}
	})
}

// scaled is diag(by) x in a new slice, or x itself where by is nil.
func scaled(x, by []float64) []float64 {
	if by == nil {
		return x
	}
	y := append([]float64(nil), x...)
	scaleTo(y, by)
	return y
}

// scaleTo overwrites x with diag(by) x; a nil by stands for ones.
func scaleTo(x, by []float64) {
	for i, b := range by {
		x[i] *= b
	}
}
