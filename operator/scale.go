package operator

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// A scaling makes diag(by) F of factors for one pass, where there is a scale, and ends them all after it.
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

func (s *scaling[T]) repay() { gcg.Repay(s.made...) }

// scaleRows is F ← diag(by) F, where by is not nil.
func scaleRows[T Storage](f *gcg.FactorOf[T], by []float64) {
	eachRow(f, by, func(by float64, row []T) { kernel.Scale(T(by), row) })
}

// unscaleRows takes scaleRows back.
func unscaleRows[T Storage](f *gcg.FactorOf[T], by []float64) {
	eachRow(f, by, func(by float64, row []T) { kernel.Scale(T(1/by), row) })
}

// eachRow calls do with every row and its scale, where there are such.
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

func scaled(x, by []float64) []float64 {
	if by == nil {
		return x
	}
	y := append([]float64(nil), x...)
	scaleTo(y, by)
	return y
}

func scaleTo(x, by []float64) {
	for i, b := range by {
		x[i] *= b
	}
}
