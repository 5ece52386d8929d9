package operator

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// AlongTo is one pass of 12k flops an observation.
func (s *Squares[T]) AlongTo(gu, gv, u, v, du, dv *gcg.Factor) {
	u, v = scaledRows(u, s.rowMul), scaledRows(v, s.colMul)
	du, dv = scaledRows(du, s.rowMul), scaledRows(dv, s.colMul)
	clear(gu.Data)
	clear(gv.Data)
	s.t.each(func(w *scratch, r run) {
		kernel.HessRows(from(gu, r.row), block(gv, r), from(u, r.row), from(du, r.row), block(v, r), block(dv, r), u.Stride,
			r.ptr, r.index, widened(&w.a, s.r[r.lo:r.hi]))
	})
	s.finish(gu, gv)
}

// finish multiplies gradients by c and by the scales of rows and columns.
func (s *Squares[T]) finish(gu, gv *gcg.Factor) {
	for _, side := range []struct {
		g   *gcg.Factor
		mul []float64
	}{{gu, s.rowMul}, {gv, s.colMul}} {
		if side.g == nil {
			continue
		}
		scaleRows(side.g, side.mul)
		if s.c != 1 {
			side.g.Scale(s.c)
		}
	}
}

// DiagonalTo is one pass of 4k flops an observation.
func (s *Squares[T]) DiagonalTo(du, dv, u2, v2 *gcg.Factor) {
	u2, v2 = scaledRows(scaledRows(u2, s.rowMul), s.rowMul), scaledRows(scaledRows(v2, s.colMul), s.colMul)
	clear(du.Data)
	clear(dv.Data)
	s.t.each(func(w *scratch, r run) {
		kernel.SpmmRows(from(du, r.row), block(dv, r), from(u2, r.row), block(v2, r), u2.Stride, r.ptr, r.index, w.allOnes(r.hi-r.lo))
	})
	scaleRows(du, s.rowMul)
	scaleRows(dv, s.colMul)
	s.finish(du, dv)
}

// LeftTo is one pass of 4k flops an observation.
func (s *Squares[T]) LeftTo(g, x, v *gcg.Factor) {
	x, v = scaledRows(x, s.rowMul), scaledRows(v, s.colMul)
	clear(g.Data)
	s.t.each(func(_ *scratch, r run) {
		kernel.CoreRows(from(g, r.row), from(x, r.row), block(v, r), x.Stride, r.ptr, r.index)
	})
	s.finish(g, nil)
}

// RightTo is one pass of 4k flops an observation.
func (s *Squares[T]) RightTo(g, u, x *gcg.Factor) {
	u, x = scaledRows(u, s.rowMul), scaledRows(x, s.colMul)
	clear(g.Data)
	s.t.each(func(_ *scratch, r run) {
		kernel.ColumnRows(block(g, r), from(u, r.row), block(x, r), x.Stride, r.ptr, r.index)
	})
	s.finish(nil, g)
}
