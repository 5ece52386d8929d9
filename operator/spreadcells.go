package operator

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/internal/allcells"
)

// SpreadCells is the loss of implicit feedback [Hu08] over the ranks of a cluster, each of which holds the clicks of some rows:
//
//	½ Σ_ij c_ij (p_ij - x_ij)²,   p_ij = 1 and c_ij = w₀ + a_ij on the clicks,   p_ij = 0 and c_ij = w₀ elsewhere
//
// over all cells, of which a rank has those of its rows. Factors and what crosses the network are as those of SpreadSquares.
type SpreadCells struct {
	shared[allcells.Cells]
	background     float64 // w₀
	rowMul, colMul []float64
	totals         []float64 // w₀ m + Σ a of each column
	largest        float64   // c
	rr, ry         float64
}

// NewSpreadCells takes the clicks of the rows of this rank: ptr has m+1 offsets, and rows of other ranks are empty; weights are
// a = c - w₀ > 0, and background is w₀ > 0. It refuses offsets and columns out of order or range, other lengths, and numbers that
// are not positive and finite.
func NewSpreadCells(rows *cluster.Rows, n int, ptr []int64, cols []int32, weights []float64, background float64) (*SpreadCells,
	error) {
	s := &SpreadCells{background: background}
	var err error
	s.shared, err = newShared(rows, len(ptr)-1, n, func(lo, hi int) (*allcells.Cells, error) {
		from, to := ptr[lo], ptr[hi]
		return allcells.New(hi-lo, n, fromZero(nil, ptr[lo:hi+1]), cols[from:to], weights[from:to], background)
	})
	if err != nil {
		return nil, err
	}
	s.totals = make([]float64, n)
	cluster.Sum(rows, s.totals, func(shard int, part []float64) {
		clear(part)
		if q := s.shard(shard); q != nil {
			copy(part, q.ColumnTotals())
		}
	})
	for j := range s.totals {
		s.totals[j] += background * float64(s.m)
	}
	s.each(func(q *allcells.Cells, _, _ int) { s.largest = math.Max(s.largest, q.Curvature()) })
	_, s.largest = rows.Comm().Extremes(s.largest, s.largest)
	s.Move(nil, nil)
	return s, nil
}

// Scaled is the same data with X = diag(rowMul) W diag(colMul). The clicks are shared, the point is not.
func (s *SpreadCells) Scaled(rowMul, colMul []float64) (*SpreadCells, error) {
	if err := checkScales(s.m, s.n, rowMul, colMul); err != nil {
		return nil, err
	}
	c := *s
	c.rowMul, c.colMul = rowMul, colMul
	c.shards = make([]*allcells.Cells, len(s.shards))
	for t, q := range s.shards {
		if q != nil {
			lo, hi := s.rows.Shard(s.first + t)
			c.shards[t], _ = q.Scaled(rowMul[lo:hi], colMul) // which are right for a part where they are for all
		}
	}
	c.Move(nil, nil)
	return &c, nil
}

// Adjoint is G = -∇L where W is.
func (s *SpreadCells) Adjoint([]float64) gcg.Map { return &spreadCellsMap{s, false} }

// Curvature is the largest second derivative.
func (s *SpreadCells) Curvature() float64 { return s.largest }

// Move goes to W = U Vᵀ and returns the loss.
func (s *SpreadCells) Move(u, v *gcg.Factor) float64 {
	v, _, done := everywhere(v, nil)
	defer done()
	sums := s.numbers(2, func(q *allcells.Cells, lo, hi int) []float64 {
		if u == nil || u.K == 0 {
			q.Move(nil, nil)
		} else {
			q.Move(rowRange(u, lo, hi), v)
		}
		rr, ry := q.Sums()
		return []float64{rr, ry}
	})
	s.rr, s.ry = sums[0], sums[1]
	return math.Max(s.rr, 0) / 2
}

// Sums are Σ c (p - x)² and Σ c (p - x) p over all cells.
func (s *SpreadCells) Sums() (rr, ry float64) { return s.rr, s.ry }

// Cross returns ⟨x, y⟩ with the weights c for x = X of U Vᵀ and y of P Qᵀ: xx, xy and yy.
func (s *SpreadCells) Cross(u, v, p, q *gcg.Factor) (xx, xy, yy float64) {
	v, q, done := everywhere(v, q)
	defer done()
	sums := s.numbers(3, func(c *allcells.Cells, lo, hi int) []float64 {
		xx, xy, yy := c.Cross(rowRange(u, lo, hi), v, rowRange(p, lo, hi), q)
		return []float64{xx, xy, yy}
	})
	return sums[0], sums[1], sums[2]
}

// AlongTo writes gu = E V - R dV and gv = Eᵀ U - Rᵀ dU.
func (s *SpreadCells) AlongTo(gu, gv, u, v, du, dv *gcg.Factor) {
	v, dv, done := everywhere(v, dv)
	defer done()
	passSpread(&s.shared, gu, gv, func(q *allcells.Cells, gu, gv *gcg.Factor, lo, hi int) {
		q.AlongTo(gu, gv, rowRange(u, lo, hi), v, rowRange(du, lo, hi), dv)
	})
}

// Along32To is AlongTo in float32.
func (s *SpreadCells) Along32To(gu, gv, u, v, du, dv *gcg.Factor32) {
	v, dv, done := everywhere(v, dv)
	defer done()
	passSpread(&s.shared, gu, gv, func(q *allcells.Cells, gu, gv *gcg.Factor32, lo, hi int) {
		q.Along32To(gu, gv, rowRange(u, lo, hi), v, rowRange(du, lo, hi), dv)
	})
}

// NormalTo writes gu = E V with the second derivative E of L along X Vᵀ.
func (s *SpreadCells) NormalTo(gu, x, v *gcg.Factor) {
	v, _, done := everywhere(v, nil)
	defer done()
	passSpread(&s.shared, gu, nil, func(q *allcells.Cells, gu, _ *gcg.Factor, lo, hi int) {
		q.NormalTo(gu, rowRange(x, lo, hi), v)
	})
}

// Normal32To is NormalTo in float32.
func (s *SpreadCells) Normal32To(gu, x, v *gcg.Factor32) {
	v, _, done := everywhere(v, nil)
	defer done()
	passSpread(&s.shared, gu, nil, func(q *allcells.Cells, gu, _ *gcg.Factor32, lo, hi int) {
		q.Normal32To(gu, rowRange(x, lo, hi), v)
	})
}

// DiagonalTo writes du_ic = Σⱼ αᵢ²βⱼ² c_ij v2_jc and dv_jc = Σᵢ αᵢ²βⱼ² c_ij u2_ic over all cells; dv may be nil.
func (s *SpreadCells) DiagonalTo(du, dv, u2, v2 *gcg.Factor) {
	v2, _, done := everywhere(v2, nil)
	defer done()
	passSpread(&s.shared, du, dv, func(q *allcells.Cells, du, dv *gcg.Factor, lo, hi int) {
		q.DiagonalTo(du, dv, rowRange(u2, lo, hi), v2)
	})
}

// RidgeRows is one half of a sweep of alternating ridge regressions, see gcg.Squares: each rank solves those of its rows.
func (s *SpreadCells) RidgeRows(u, v *gcg.Factor32, ridge float64, steps int) (square, gain float64) {
	v, _, done := everywhere(v, nil)
	defer done()
	sums := s.numbers(2, func(q *allcells.Cells, lo, hi int) []float64 {
		square, gain := q.RidgeRows(rowRange(u, lo, hi), v, ridge, steps)
		return []float64{square, gain}
	})
	if u.Shared == nil {
		cluster.Fill(s.rows, u.Data, u.Stride)
	}
	return sums[0], sums[1]
}

// RidgeColumns is the other half of a sweep, over V, see gcg.Squares. The normal equations of the columns are sums over the
// ranks, of the clicks and of w₀ UᵀU, which is the same for all columns.
func (s *SpreadCells) RidgeColumns(v, u *gcg.Factor32, ridge float64, steps int) (square, gain float64) {
	var by scaling[float32]
	defer by.repay()
	u, own := by.rows(u, ofRows(u, s.rowMul)), v
	v, _, done := everywhere(v, nil)
	defer done()
	gram := gcg.TMul(u, u)
	defer gcg.Repay(gram)
	mean := make([]float32, u.Stride)
	for c := range mean {
		if c < u.K {
			mean[c] = gram.Row(c)[c] / float32(s.m)
		}
		mean[c] = max(mean[c], leastMean)
	}
	gram.Scale(float32(s.background))
	b := &ridgeBatch{x: v, mul: s.colMul, counts: s.totals, mean: mean, ridge: ridge}
	b.residual = func(g *gcg.Factor32) float64 {
		dense := gcg.Mul(v, gram)
		defer gcg.Repay(dense)
		g.AddScaled(-1, dense)
		square := dense.Dot(v)
		squares := make([]float64, len(s.shards))
		s.addColumns(g, func(shard int, q *allcells.Cells, g *gcg.Factor32, lo, hi int) {
			squares[shard-s.first] = q.ColumnResidual(g, v, rowRange(u, lo, hi))
		})
		clicks := cluster.Numbers(s.rows, 1, func(shard int) []float64 { return squares[shard-s.first : shard-s.first+1] })
		return square + clicks[0]
	}
	b.normal = func(h, d *gcg.Factor32) {
		h.AddMul(d, gram)
		s.addColumns(h, func(_ int, q *allcells.Cells, h *gcg.Factor32, lo, hi int) { q.ColumnNormal(h, d, rowRange(u, lo, hi)) })
	}
	square, gain = b.solve(steps)
	takeOwn(own, v)
	return square, gain
}

// spreadCellsMap is -∇L over the ranks, see SpreadCells. It has no rows: a rank has only its own.
type spreadCellsMap struct {
	s       *SpreadCells
	outside bool // without the low rank, see OutsideW
}

// OutsideW is a map with the same products between vectors that are orthogonal to the column space, and to the row space, of
// W: where nothing is scaled the low rank is left out.
func (g *spreadCellsMap) OutsideW() gcg.Map {
	if g.s.rowMul != nil {
		return g
	}
	return &spreadCellsMap{g.s, true}
}

// Dims is m, n.
func (g *spreadCellsMap) Dims() (m, n int) { return g.s.m, g.s.n }

// Factors are those of the operator.
func (g *spreadCellsMap) Factors() (left, right *gcg.Factor) { return g.s.Factors() }

// part is the map of a shard.
func (g *spreadCellsMap) part(q *allcells.Cells) gcg.Map {
	if g.outside {
		return q.OutsideW()
	}
	return q.Adjoint(nil)
}

// MulTo is dst = G x.
func (g *spreadCellsMap) MulTo(dst, x []float64) {
	g.s.each(func(q *allcells.Cells, lo, hi int) { g.part(q).MulTo(dst[lo:hi], x) })
	cluster.Fill(g.s.rows, dst, 1)
}

// TMulTo is dst = Gᵀ y.
func (g *spreadCellsMap) TMulTo(dst, y []float64) {
	cluster.Sum(g.s.rows, dst, func(shard int, part []float64) {
		if q := g.s.shard(shard); q != nil {
			lo, hi := g.s.rows.Shard(shard)
			g.part(q).TMulTo(part, y[lo:hi])
			return
		}
		clear(part)
	})
}

// MulBlockTo is dst (m×k) = G x (n×k).
func (g *spreadCellsMap) MulBlockTo(dst, x *gcg.Factor) {
	x, _, done := everywhere(x, nil)
	defer done()
	passSpread(&g.s.shared, dst, nil, func(q *allcells.Cells, gu, _ *gcg.Factor, _, _ int) { gcg.MulBlock(g.part(q), gu, x) })
}

// TMulBlockTo is dst (n×k) = Gᵀ y (m×k).
func (g *spreadCellsMap) TMulBlockTo(dst, y *gcg.Factor) {
	passSpread(&g.s.shared, nil, dst, func(q *allcells.Cells, _, gv *gcg.Factor, lo, hi int) {
		gcg.TMulBlock(g.part(q), gv, rowRange(y, lo, hi))
	})
}

// BothTo is gv = G v and gu = Gᵀ u.
func (g *spreadCellsMap) BothTo(gv, gu, u, v *gcg.Factor) {
	g.MulBlockTo(gv, v)
	g.TMulBlockTo(gu, u)
}

// ShiftedSums are Sums for the dual point G - U Vᵀ in place of G = -∇L, see allcells.Cells.
func (s *SpreadCells) ShiftedSums(u, v *gcg.Factor) (rr, ry float64) {
	v, _, done := everywhere(v, nil)
	defer done()
	sums := s.numbers(2, func(q *allcells.Cells, lo, hi int) []float64 {
		rr, ry := q.ShiftedSums(rowRange(u, lo, hi), v)
		return []float64{rr, ry}
	})
	return sums[0], sums[1]
}

// ShiftPrice is 1/2w₀, or what is left of it where the scales are largest.
func (s *SpreadCells) ShiftPrice() float64 {
	price := 1 / (2 * s.background)
	for _, mul := range [][]float64{s.rowMul, s.colMul} {
		if mul != nil {
			most := slices.Max(mul)
			price /= most * most
		}
	}
	return price
}
