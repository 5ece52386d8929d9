package operator

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// Passes of second derivatives work in T, which for float32 takes half the time: they steer, and nothing that is reported rests on
// them. The loss, the residual and its products, which certificates are made of, are in float64 with either storage.

// A part is what a kernel needs of a run: the rows of the factors from the run's first on, and those of its block.
type part[T Storage] struct {
	run
	gu, gv []T
	u, v   [2][]T
	k      int
	r      []T
}

// pass runs f over all runs, with gu and gv (nil where f leaves one alone) cleared before. The sums of a column are in T
// only within a tile.
func (s *Squares[T]) pass(gu, gv *gcg.Factor, left, right []*gcg.Factor, f func(w *scratch, p part[T])) {
	k := left[0].Stride
	u, v := factorsIn[T](left), factorsIn[T](right)
	var rows []T
	if gu != nil {
		rows = sumsIn[T](gu)
	}
	for d := range s.t.parts {
		par.For(s.t.parts, func(a int) {
			b := (a + d) % s.t.parts
			lo, hi := s.t.cols[b]*k, s.t.cols[b+1]*k
			var sums []T
			if gv != nil {
				sums = blockSums[T](gv, lo, hi, d == 0)
			}
			w := borrowScratch()
			s.t.runs(a*s.t.parts+b, w, func(r run) {
				p := part[T]{run: r, gv: sums, k: k, r: s.r[r.lo:r.hi]}
				if gu != nil {
					p.gu = rows[r.row*k:]
				}
				for i := range u {
					p.u[i], p.v[i] = u[i][r.row*k:], v[i][lo:hi]
				}
				f(w, p)
			})
			w.release()
			if gv != nil {
				addBlock(gv, lo, sums)
			}
		})
	}
	if gu != nil {
		takeSums(gu, rows)
	}
	for i := range u {
		giveBack(u[i])
		giveBack(v[i])
	}
}

// AlongTo is one pass of 12k flops an observation.
func (s *Squares[T]) AlongTo(gu, gv, u, v, du, dv *gcg.Factor) {
	left := []*gcg.Factor{scaledRows(u, s.rowMul), scaledRows(du, s.rowMul)}
	right := []*gcg.Factor{scaledRows(v, s.colMul), scaledRows(dv, s.colMul)}
	hess := kernelsOf[T]().hess
	s.pass(gu, gv, left, right, func(_ *scratch, p part[T]) {
		hess(p.gu, p.gv, p.u[0], p.u[1], p.v[0], p.v[1], p.k, p.ptr, p.index, p.r)
	})
	s.finish(gu, gv)
}

// DiagonalTo is one pass of 4k flops an observation.
func (s *Squares[T]) DiagonalTo(du, dv, u2, v2 *gcg.Factor) {
	u2, v2 = scaledRows(scaledRows(u2, s.rowMul), s.rowMul), scaledRows(scaledRows(v2, s.colMul), s.colMul)
	spmm, ones := kernelsOf[T]().spmm, make([]T, s.t.longest())
	for e := range ones {
		ones[e] = 1
	}
	s.pass(du, dv, []*gcg.Factor{u2}, []*gcg.Factor{v2}, func(_ *scratch, p part[T]) {
		spmm(p.gu, p.gv, p.u[0], p.v[0], p.k, p.ptr, p.index, ones)
	})
	scaleRows(du, s.rowMul)
	scaleRows(dv, s.colMul)
	s.finish(du, dv)
}

// LeftTo is one pass of 4k flops an observation.
func (s *Squares[T]) LeftTo(g, x, v *gcg.Factor) {
	core := kernelsOf[T]().core
	s.pass(g, nil, []*gcg.Factor{scaledRows(x, s.rowMul)}, []*gcg.Factor{scaledRows(v, s.colMul)}, func(_ *scratch, p part[T]) {
		core(p.gu, p.u[0], p.v[0], p.k, p.ptr, p.index)
	})
	s.finish(g, nil)
}

// RightTo is one pass of 4k flops an observation.
func (s *Squares[T]) RightTo(g, u, x *gcg.Factor) {
	column := kernelsOf[T]().column
	s.pass(nil, g, []*gcg.Factor{scaledRows(u, s.rowMul)}, []*gcg.Factor{scaledRows(x, s.colMul)}, func(_ *scratch, p part[T]) {
		column(p.gv, p.u[0], p.v[0], p.k, p.ptr, p.index)
	})
	s.finish(nil, g)
}

// finish multiplies gradients by c and by the scales of rows and columns.
func (s *Squares[T]) finish(gu, gv *gcg.Factor) {
	s.finishSide(gu, s.rowMul)
	s.finishSide(gv, s.colMul)
}

func (s *Squares[T]) finishSide(g *gcg.Factor, mul []float64) {
	if g == nil {
		return
	}
	scaleRows(g, mul)
	if s.c != 1 {
		g.Scale(s.c)
	}
}
