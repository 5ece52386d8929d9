package operator

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// Passes of second derivatives work in the precision of the factors that they are given, or in T where more would be of no use:
// float32 takes half the time. They only steer the steps, and nothing that is reported rests on them. The loss, the residual and
// its products, which certificates are made of, are in float64 with either storage.

// A part is what a kernel needs of a run. Of gu and the left factors these are the rows from the first of the run on; of gv and
// the right factors they are those of its block of columns.
type part[P Storage] struct {
	run
	gu, gv []P    // nil where the pass has none
	u, v   [2][]P // of the left and right factors, of which there are one or two
	k      int    // their stride
}

// pass clears gu and gv, each of which may be nil, and runs f over all runs. left and right have one or two factors each.
func pass[P, T Storage](s *Squares[T], gu, gv *gcg.FactorOf[P], left, right []*gcg.FactorOf[P], f func(w *scratch, p part[P])) {
	for _, g := range []*gcg.FactorOf[P]{gu, gv} {
		if g != nil {
			par.Pieces(len(g.Data), func(lo, hi int) { clear(g.Data[lo:hi]) })
		}
	}
	s.t.each(func(w *scratch, r run) {
		p := part[P]{run: r, k: left[0].Stride}
		if gu != nil {
			p.gu = from(gu, r.row)
		}
		if gv != nil {
			p.gv = block(gv, r)
		}
		for i := range left {
			p.u[i], p.v[i] = from(left[i], r.row), block(right[i], r)
		}
		f(w, p)
	})
}

// AlongTo writes gu = E V - R dV and gv = Eᵀ U - Rᵀ dU, with E = c·A*(A(dU Vᵀ + U dVᵀ)) and R = A*(c·r), in one pass of 12k flops
// an observation.
func (s *Squares[T]) AlongTo(gu, gv, u, v, du, dv *gcg.Factor) {
	along(s, gu, gv, u, v, du, dv)
}

// Along32To is AlongTo in float32.
func (s *Squares[T]) Along32To(gu, gv, u, v, du, dv *gcg.Factor32) {
	along(s, gu, gv, u, v, du, dv)
}

// along is AlongTo in the precision of the factors.
func along[P, T Storage](s *Squares[T], gu, gv, u, v, du, dv *gcg.FactorOf[P]) {
	var by scaling[P]
	defer by.repay()
	left := []*gcg.FactorOf[P]{by.rows(u, s.rowMul), by.rows(du, s.rowMul)}
	right := []*gcg.FactorOf[P]{by.rows(v, s.colMul), by.rows(dv, s.colMul)}
	pass(s, gu, gv, left, right, func(w *scratch, p part[P]) {
		kernel.HessRows(p.gu, p.gv, p.u[0], p.u[1], p.v[0], p.v[1], p.k, p.ptr, p.index, in(spare[P](w), s.r[p.lo:p.hi]))
	})
	finish(s, gu, s.rowMul)
	finish(s, gv, s.colMul)
}

// NormalTo writes gu = c·A*(A(X Vᵀ)) V, in one pass of 4k flops an observation.
func (s *Squares[T]) NormalTo(gu, x, v *gcg.Factor) { normalOf(s, gu, x, v) }

// Normal32To is NormalTo in float32.
func (s *Squares[T]) Normal32To(gu, x, v *gcg.Factor32) { normalOf(s, gu, x, v) }

// normalOf is NormalTo in the precision of the factors.
func normalOf[P, T Storage](s *Squares[T], gu, x, v *gcg.FactorOf[P]) {
	var by scaling[P]
	defer by.repay()
	pass(s, gu, nil, []*gcg.FactorOf[P]{by.rows(x, s.rowMul)}, []*gcg.FactorOf[P]{by.rows(v, s.colMul)},
		func(_ *scratch, p part[P]) {
			kernel.CoreRows(p.gu, p.u[0], p.v[0], p.k, p.ptr, p.index)
		})
	finish(s, gu, s.rowMul)
}

// DiagonalTo writes du_ic = c·Σⱼ αᵢ²βⱼ² v2_jc and dv_jc = c·Σᵢ αᵢ²βⱼ² u2_ic over the observed (i, j), in one pass of 4k flops an
// observation, or 2k where dv is nil.
func (s *Squares[T]) DiagonalTo(du, dv, u2, v2 *gcg.Factor) {
	var by scaling[float64]
	defer by.repay()
	u2, v2 = by.rows(by.rows(u2, s.rowMul), s.rowMul), by.rows(by.rows(v2, s.colMul), s.colMul)
	ones := make([]T, s.t.longest())
	for e := range ones {
		ones[e] = 1
	}
	gu := sumsIn[T](du)
	var gv *gcg.FactorOf[T]
	if dv != nil {
		gv = sumsIn[T](dv)
	}
	pass(s, gu, gv, factorsIn[T](u2), factorsIn[T](v2), func(_ *scratch, p part[T]) {
		if gv == nil {
			kernel.GatherRows(p.gu, p.v[0], p.k, p.ptr, p.index, ones)
			return
		}
		kernel.SpmmRows(p.gu, p.gv, p.u[0], p.v[0], p.k, p.ptr, p.index, ones)
	})
	done := func(d *gcg.Factor, sums *gcg.FactorOf[T], mul []float64) {
		takeSums(d, sums)
		scaleRows(d, mul)
		finish(s, d, mul)
	}
	done(du, gu, s.rowMul)
	if dv != nil {
		done(dv, gv, s.colMul)
	}
}

// finish multiplies a gradient by c and by the scales of its side.
func finish[P, T Storage](s *Squares[T], g *gcg.FactorOf[P], mul []float64) {
	scaleRows(g, mul)
	if s.c != 1 {
		g.Scale(P(s.c))
	}
}
