package operator

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/internal/rounding"
)

// Squares is the operator and the loss of matrix completion as one, c·½ Σ (y_ij - αᵢ W_ij βⱼ)² over observed entries, see
// gcg.Squares: what Sampling and loss.Squared are together, without vectors of predictions. It keeps 4 bytes for the column
// of an observation, and y and r in T: 12 bytes an observation with float32, 20 with float64. All sums are in float64.
//
// With float32 the data are the rounded y; the rounded r is a dual point as good as any other, and the loss is summed before
// it is rounded. So the bracket that a certificate gives holds as it does in float64, and only its width has a floor, see
// Floor.
//
// It keeps the residual of the point that it is at, and so serves one Run at a time: two at once are a data race. For another
// Run at the same time, Scaled makes a Squares that has a residual of its own and shares the observations.
type Squares[T Storage] struct {
	t              *tiles
	y, r           []T       // in the order of the tiles
	c              float64   // 1, or 1/N
	rowMul, colMul []float64 // α and β, or nil for ones
	rr, ry         float64   // Σ r² and Σ r y
	known          bool      // rr and ry are those of the present r
}

// NewSquares takes the observed entries as compressed rows: ptr has m+1 ascending offsets, cols the column of every
// observation, in any order but not twice in a row, and y its value. cols and y are kept and reordered. The loss is a sum, or
// a mean over the observations, of which there must be one then. It refuses offsets and columns out of order or range, other
// lengths, and values that are not finite.
func NewSquares[T Storage](m, n int, ptr []int64, cols []int32, y []T, mean bool) (*Squares[T], error) {
	if len(y) != len(cols) {
		return nil, fmt.Errorf("operator: %d values for %d observations", len(y), len(cols))
	}
	if mean && len(y) == 0 {
		return nil, fmt.Errorf("operator: no observations have no mean loss")
	}
	for e, v := range y {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return nil, fmt.Errorf("operator: value %d is %v", e+1, v)
		}
	}
	var old []T
	t, err := newTiles(m, n, ptr, cols, func(lo int, from []int32) {
		old = append(old[:0], y[lo:lo+len(from)]...)
		for e, f := range from {
			y[lo+e] = old[f]
		}
	})
	if err != nil {
		return nil, err
	}
	s := &Squares[T]{t: t, y: y, r: make([]T, len(y)), c: 1}
	if mean {
		s.c = 1 / float64(len(y))
	}
	s.Move(nil, nil)
	return s, nil
}

// Scaled is the same data with z_ij = rowMul_i W_ij colMul_j, the variable of the weighted trace norm. The observations are
// shared, the residual is not. It refuses other lengths, and scales that are not positive and finite.
func (s *Squares[T]) Scaled(rowMul, colMul []float64) (*Squares[T], error) {
	if err := checkScales(s.t.m, s.t.n, rowMul, colMul); err != nil {
		return nil, err
	}
	c := *s
	c.rowMul, c.colMul, c.r, c.known = rowMul, colMul, append([]T(nil), s.r...), false
	return &c, nil
}

// Floor is about the smallest relative gap that can be certified at residuals like the present ones. The rounding of r moves each
// entry of the dual point by at most half a unit in the last place.
func (s *Squares[T]) Floor() float64 {
	if _, double := any(s.r).([]float64); double {
		return rounding.Sum
	}
	return 0x1p-23
}

// Dims is the size m×n of W and 0, as no observations are shown.
func (s *Squares[T]) Dims() (m, n, nobs int) { return s.t.m, s.t.n, 0 }

// Entries is the number of observations.
func (s *Squares[T]) Entries() int { return len(s.y) }

// Residuals calls f for the observations, row by row, each with its y and its r as they are stored.
func (s *Squares[T]) Residuals(f func(i, j int, y, r float64)) {
	for i := range s.t.m {
		s.t.row(i, func(first int, e, end int64) {
			for ; e < end; e++ {
				f(i, first+int(s.t.index[e]), float64(s.y[e]), float64(s.r[e]))
			}
		})
	}
}

// Counts has the number of observations of every row and of every column.
func (s *Squares[T]) Counts() (rows, cols []float64) {
	return slices.Clone(s.t.inRows), slices.Clone(s.t.inCols)
}

// The methods of gcg.Operator and gcg.LeastSquares show no observations, so that those on blocks have nothing to do.

func (s *Squares[T]) AtomTo([]float64, int, *gcg.Atom)                    {}
func (s *Squares[T]) FactoredTo([]float64, int, *gcg.Factor, *gcg.Factor) {}
func (s *Squares[T]) Adjoint([]float64) gcg.Map                           { return &squaresMap[T]{s} }
func (s *Squares[T]) Len() int                                            { return 0 }
func (s *Squares[T]) Stride() int                                         { return 1 }
func (s *Squares[T]) Eval(int, []float64, []float64) float64              { return 0 }
func (s *Squares[T]) HessTo([]float64, int, []float64, []float64)         {}
func (s *Squares[T]) Curvature() float64                                  { return s.c }
func (s *Squares[T]) Target() []float64                                   { return nil }
func (s *Squares[T]) Weights() []float64                                  { return nil }
func (s *Squares[T]) Scale() float64                                      { return s.c }

// Move makes r the residual of W = U Vᵀ and returns the loss; nil factors stand for W = 0. It takes 2k flops an observation.
func (s *Squares[T]) Move(u, v *gcg.Factor) float64 {
	s.known = false
	if u == nil || u.K == 0 {
		copy(s.r, s.y)
		rr, _ := s.Sums()
		return rr / 2
	}
	var by scaling[float64]
	defer by.repay()
	u, v = by.rows(u, s.rowMul), by.rows(v, s.colMul)
	return s.c / 2 * s.t.sum(func(w *scratch, r run) float64 {
		into := target(&w.a, s.r[r.lo:r.hi])
		sum := kernel.ResidualRows(into, from(u, r.row), block(v, r), u.Stride, r.ptr, r.index, widened(&w.b, s.y[r.lo:r.hi]))
		narrow(s.r[r.lo:r.hi], into)
		return sum
	})
}

// Sums are c·Σ r² and c·Σ r y of the stored residual, in one pass or from the last call.
func (s *Squares[T]) Sums() (rr, ry float64) {
	if !s.known {
		blocks := par.Grain(len(s.r), 1<<13, 256)
		part := make([]float64, blocks)
		s.rr = par.Sum(blocks, func(b int) (rr float64) {
			lo, hi := par.Range(b, blocks, len(s.r))
			y := s.y[lo:hi]
			for e, r := range s.r[lo:hi] {
				rr += float64(r) * float64(r)
				part[b] += float64(r) * float64(y[e])
			}
			return rr
		})
		s.ry = 0
		for _, x := range part {
			s.ry += x
		}
		s.known = true
	}
	return s.c * s.rr, s.c * s.ry
}

// Cross returns c·⟨z, z⟩, c·⟨z, a⟩ and c·⟨a, a⟩ for z = A(U Vᵀ) and a = A(P Qᵀ). It takes 4k flops an observation.
func (s *Squares[T]) Cross(u, v, p, q *gcg.Factor) (zz, za, aa float64) {
	var by scaling[float64]
	defer by.repay()
	u, v, p, q = by.rows(u, s.rowMul), by.rows(v, s.colMul), by.rows(p, s.rowMul), by.rows(q, s.colMul)
	part := make([][2]float64, len(s.t.ptr))
	zz = par.Sum(len(part), func(tile int) (zz float64) {
		w := borrowScratch()
		defer w.release()
		s.t.runs(tile, w, func(r run) {
			z, a := grown(&w.a, r.hi-r.lo), grown(&w.b, r.hi-r.lo)
			kernel.DotRows(z, from(u, r.row), block(v, r), u.Stride, r.ptr, r.index)
			kernel.DotRows(a, from(p, r.row), block(q, r), p.Stride, r.ptr, r.index)
			zz += kernel.Dot(z, z)
			part[tile][0] += kernel.Dot(z, a)
			part[tile][1] += kernel.Dot(a, a)
		})
		return zz
	})
	for _, x := range part {
		za += x[0]
		aa += x[1]
	}
	return s.c * zz, s.c * za, s.c * aa
}

// from is the rows of a factor from the given one on.
func from[T Storage](f *gcg.FactorOf[T], row int) []T { return f.Data[row*f.Stride:] }

// rowsOf is the rows lo ≤ i < hi of a factor.
func rowsOf[T Storage](f *gcg.FactorOf[T], lo, hi int) []T { return f.Data[lo*f.Stride : hi*f.Stride] }

// block is the rows of a right factor that belong to the block of columns of a run.
func block[T Storage](f *gcg.FactorOf[T], r run) []T { return rowsOf(f, r.first, r.end) }

// squaresMap is G = A*(c·r), the m×n matrix with entries c·αᵢ r_ij βⱼ at the observations.
type squaresMap[T Storage] struct{ s *Squares[T] }

// Dims is m, n.
func (g *squaresMap[T]) Dims() (m, n int) { return g.s.t.m, g.s.t.n }

// MulTo is dst = G x: 2 flops and 8 or 12 bytes an observation, besides the reads of x.
func (g *squaresMap[T]) MulTo(dst, x []float64) {
	s := g.s
	x = scaled(x, s.colMul)
	clear(dst)
	s.t.each(func(w *scratch, r run) {
		values, part := widened(&w.a, s.r[r.lo:r.hi]), x[r.first:r.end]
		for i := range len(r.ptr) - 1 {
			lo, hi := r.ptr[i], r.ptr[i+1]
			dst[r.row+i] += kernel.DotSparse(part, r.index[lo:hi], values[lo:hi])
		}
	})
	s.finishVector(dst, s.rowMul)
}

// TMulTo is dst = Gᵀ y.
func (g *squaresMap[T]) TMulTo(dst, y []float64) {
	s := g.s
	y = scaled(y, s.rowMul)
	clear(dst)
	s.t.each(func(w *scratch, r run) {
		values, part := widened(&w.a, s.r[r.lo:r.hi]), dst[r.first:r.end]
		for i := range len(r.ptr) - 1 {
			lo, hi := r.ptr[i], r.ptr[i+1]
			kernel.AxpySparse(part, y[r.row+i], r.index[lo:hi], values[lo:hi])
		}
	})
	s.finishVector(dst, s.colMul)
}

// finishVector multiplies a product with G by c and by the scales of its side.
func (s *Squares[T]) finishVector(x, mul []float64) {
	scaleTo(x, mul)
	if s.c != 1 {
		kernel.Scale(s.c, x)
	}
}

// MulBlockTo is dst (m×k) = G x (n×k).
func (g *squaresMap[T]) MulBlockTo(dst, x *gcg.Factor) {
	s := g.s
	var by scaling[float64]
	defer by.repay()
	x = by.rows(x, s.colMul)
	clear(dst.Data)
	s.t.each(func(w *scratch, r run) {
		kernel.GatherRows(from(dst, r.row), block(x, r), x.Stride, r.ptr, r.index, widened(&w.a, s.r[r.lo:r.hi]))
	})
	finish(s, dst, s.rowMul)
}

// TMulBlockTo is dst (n×k) = Gᵀ y (m×k).
func (g *squaresMap[T]) TMulBlockTo(dst, y *gcg.Factor) {
	s := g.s
	var by scaling[float64]
	defer by.repay()
	y = by.rows(y, s.rowMul)
	clear(dst.Data)
	s.t.each(func(w *scratch, r run) {
		kernel.ScatterRows(block(dst, r), from(y, r.row), y.Stride, r.ptr, r.index, widened(&w.a, s.r[r.lo:r.hi]))
	})
	finish(s, dst, s.colMul)
}

// BothTo is gv = G v and gu = Gᵀ u in one pass: 4k flops an observation.
func (g *squaresMap[T]) BothTo(gv, gu, u, v *gcg.Factor) {
	s := g.s
	var by scaling[float64]
	defer by.repay()
	u, v = by.rows(u, s.rowMul), by.rows(v, s.colMul)
	clear(gv.Data)
	clear(gu.Data)
	s.t.each(func(w *scratch, r run) {
		kernel.SpmmRows(from(gv, r.row), block(gu, r), from(u, r.row), block(v, r), u.Stride, r.ptr, r.index,
			widened(&w.a, s.r[r.lo:r.hi]))
	})
	finish(s, gv, s.rowMul)
	finish(s, gu, s.colMul)
}

// RowsTo writes the rows of G from the given one on, with their zeros, as many as dst has room for.
func (g *squaresMap[T]) RowsTo(dst []float64, row int) {
	t, s := g.s.t, g.s
	clear(dst)
	for i := range len(dst) / t.n {
		for tile, ptr := range t.ptr {
			at, first := row+i-t.rows[tile/t.parts], t.cols[tile%t.parts]
			if at < 0 || at >= len(ptr)-1 {
				continue
			}
			for e := ptr[at]; e < ptr[at+1]; e++ {
				j := first + int(t.index[e])
				dst[i*t.n+j] = s.c * float64(s.r[e])
				if s.rowMul != nil {
					dst[i*t.n+j] *= s.rowMul[row+i] * s.colMul[j]
				}
			}
		}
	}
}

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

// Squares has no transpose of its data to read a column from. So the regressions of all columns take their conjugate gradient
// steps at once, with a pass over the data for each step, in float32. Those of all rows do so too where rows are long; short
// rows are solved a few at a time.

// RidgeRows is one half of a sweep of alternating ridge regressions, see gcg.Squares. It takes 4k flops for every observation,
// once and for every step; with short rows the last step takes 2k.
func (s *Squares[T]) RidgeRows(u, v *gcg.Factor32, ridge float64, steps int) (square, gain float64) {
	var by scaling[float32]
	defer by.repay()
	v = by.rows(v, s.colMul)
	mean := weightedMeanSquares(v, s.t.inCols, len(s.y))
	if 4*v.Stride*len(s.y) <= shortRow*s.t.m {
		return s.ridgeShortRows(u, v, mean, ridge, steps)
	}
	b := &ridgeBatch{x: u, mul: s.rowMul, counts: s.t.inRows, mean: mean, ridge: ridge}
	b.residual = func(g *gcg.Factor32) float64 {
		return ridgeResidual(s, u, v, func(r run, res []float32) {
			kernel.GatherRows(from(g, r.row), block(v, r), v.Stride, r.ptr, r.index, res)
		})
	}
	b.normal = func(h, d *gcg.Factor32) {
		s.t.each(func(_ *scratch, r run) {
			kernel.CoreRows(from(h, r.row), from(d, r.row), block(v, r), v.Stride, r.ptr, r.index)
		})
	}
	return b.solve(steps)
}

// shortRow is the size in bytes of the rows of V that a mean row of the data meets, up to which rows are solved a few at a time.
// Measured with an earlier build, one row at a time, a half-sweep took 0.7 of the time of a batch at 8 KB, 0.8 at 33 KB, and as
// long at 62 KB. With 100 million ratings and a V that no cache holds it took 0.7 at 32 KB.
const shortRow = 64 << 10

// ridgeShortRows solves the regressions of a few rows at a time. After the first pass over these it finds every row of V that
// they meet in the cache, and it needs no vectors as large as U.
func (s *Squares[T]) ridgeShortRows(u, v *gcg.Factor32, mean []float32, ridge float64, steps int) (square, gain float64) {
	blocks := par.Grain(s.t.m, 64, 256)
	ranges := func(b int) (lo, hi int) { return par.Range(b, blocks, s.t.m) }
	longest := int(slices.Max(s.t.inRows))
	entries := func(i int) int { return int(s.t.inRows[i]) }
	rows := ridgeRows{u: u, v: v, mul: s.rowMul, mean: mean, entries: entries, longest: longest, ridge: ridge, steps: steps}
	return rows.solve(blocks, ranges, func(w *ridgeWork, lo, hi int) {
		w.ptr, w.cols, w.y = append(w.ptr[:0], 0), w.cols[:0], w.y[:0]
		for i := lo; i < hi; i++ {
			s.t.row(i, func(first int, e, end int64) {
				at := len(w.y)
				w.y = slices.Grow(w.y, int(end-e))[:at+int(end-e)]
				kernel.Convert(w.y[at:], s.y[e:end])
				for _, j := range s.t.index[e:end] {
					w.cols = append(w.cols, int32(first)+j)
				}
			})
			w.ptr = append(w.ptr, int64(len(w.cols)))
		}
	})
}

// RidgeColumns is the other half of a sweep, over V, see gcg.Squares. It takes 4k flops for every observation, once and for every
// step.
func (s *Squares[T]) RidgeColumns(v, u *gcg.Factor32, ridge float64, steps int) (square, gain float64) {
	var by scaling[float32]
	defer by.repay()
	u = by.rows(u, s.rowMul)
	b := &ridgeBatch{x: v, mul: s.colMul, counts: s.t.inCols, mean: weightedMeanSquares(u, s.t.inRows, len(s.y)), ridge: ridge}
	b.residual = func(g *gcg.Factor32) float64 {
		return ridgeResidual(s, u, v, func(r run, res []float32) {
			kernel.ScatterRows(block(g, r), from(u, r.row), u.Stride, r.ptr, r.index, res)
		})
	}
	b.normal = func(h, d *gcg.Factor32) {
		s.t.each(func(_ *scratch, r run) {
			kernel.ColumnRows(block(h, r), from(u, r.row), block(d, r), u.Stride, r.ptr, r.index)
		})
	}
	return b.solve(steps)
}

// ridgeResidual calls f for every run with the residuals of its observations, in float32, and returns the sum of their
// squares.
func ridgeResidual[T Storage](s *Squares[T], u, v *gcg.Factor32, f func(r run, res []float32)) float64 {
	return s.t.eachSum(func(w *scratch, r run) float64 {
		res := grown(&w.single, r.hi-r.lo)
		kernel.Convert(res, s.y[r.lo:r.hi])
		square := kernel.ResidualRows(res, from(u, r.row), block(v, r), u.Stride, r.ptr, r.index, res)
		f(r, res)
		return square
	})
}
