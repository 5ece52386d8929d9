package operator

import (
	"fmt"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// SpreadSquares is Squares over the ranks of a cluster, each of which holds the observations of some rows. It is the same on all
// of them. The factors that it is given and those that it writes have m or n rows. Ranks share these rows where the factors are
// like Factors: U lives with its observations, and of V each rank keeps up some rows. Other factors are whole on every rank. All
// ranks call its methods in the same order. What crosses the network, for k columns, is
//
//	the rows of v and dv that each rank does not keep up, n·k numbers each
//	the sum gv, n·k numbers, of which each rank is given its rows; twice as many where gv is whole
//	the rows of gu where it is whole, m·k numbers
//	a few numbers for each loss and each inner product
type SpreadSquares[T Storage] struct {
	shared[Squares[T]] // their loss is a sum
	entries            int
	rowMul, colMul     []float64
	inCols             []float64 // the number of observations of every column
	rr, ry             float64   // c·Σ r² and c·Σ r y
	known              bool
}

// NewSpreadSquares takes the observed entries of the rows of this rank, as NewSquares does those of all rows: ptr has m+1
// offsets, and rows of other ranks are empty. The loss is a sum, or a mean over the observations of all ranks.
func NewSpreadSquares[T Storage](rows *cluster.Rows, n int, ptr []int64, cols []int32, y []T, mean bool) (*SpreadSquares[T],
	error) {
	s := &SpreadSquares[T]{}
	var err error
	s.shared, err = newShared(rows, len(ptr)-1, n, func(lo, hi int) (*Squares[T], error) {
		from, to := ptr[lo], ptr[hi]
		return NewSquares(hi-lo, n, fromZero(nil, ptr[lo:hi+1]), cols[from:to], y[from:to], false)
	})
	if err != nil {
		return nil, err
	}
	s.entries = rows.Comm().Count(len(y))
	if mean {
		if s.entries == 0 {
			return nil, fmt.Errorf("operator: no observations have no mean loss")
		}
		s.c = 1 / float64(s.entries)
	}
	s.inCols = make([]float64, n)
	cluster.Sum(rows, s.inCols, func(shard int, part []float64) {
		clear(part)
		if q := s.shard(shard); q != nil {
			copy(part, q.t.inCols)
		}
	})
	return s, nil
}

// Scaled is the same data with z_ij = rowMul_i W_ij colMul_j. The observations are shared, the residual is not.
func (s *SpreadSquares[T]) Scaled(rowMul, colMul []float64) (*SpreadSquares[T], error) {
	if err := checkScales(s.m, s.n, rowMul, colMul); err != nil {
		return nil, err
	}
	c := *s
	c.rowMul, c.colMul, c.known = rowMul, colMul, false
	c.shards = make([]*Squares[T], len(s.shards))
	for t, q := range s.shards {
		if q != nil {
			lo, hi := s.rows.Shard(s.first + t)
			c.shards[t], _ = q.Scaled(rowMul[lo:hi], colMul) // which are right for a part where they are for all
		}
	}
	return &c, nil
}

// Floor is about the smallest relative gap that can be certified.
func (s *SpreadSquares[T]) Floor() float64 { return (&Squares[T]{}).Floor() }

// Residuals calls f for the observations of this rank, row by row, each with its y and its r as they are stored.
func (s *SpreadSquares[T]) Residuals(f func(i, j int, y, r float64)) {
	for t, q := range s.shards {
		if q != nil {
			lo, _ := s.rows.Shard(s.first + t)
			q.Residuals(func(i, j int, y, r float64) { f(lo+i, j, y, r) })
		}
	}
}

// Entries is the number of observations of all ranks.
func (s *SpreadSquares[T]) Entries() int { return s.entries }

// Adjoint is G = -∇L where W is.
func (s *SpreadSquares[T]) Adjoint([]float64) gcg.Map { return &spreadMap[T]{s} }

// Curvature is the largest second derivative.
func (s *SpreadSquares[T]) Curvature() float64 { return s.c }

// Move makes r the residual of W = U Vᵀ and returns the loss.
func (s *SpreadSquares[T]) Move(u, v *gcg.Factor) float64 {
	s.known = false
	v, _, done := everywhere(v, nil)
	defer done()
	return s.c * s.numbers(1, func(q *Squares[T], lo, hi int) []float64 {
		if u == nil || u.K == 0 {
			return []float64{q.Move(nil, nil)}
		}
		return []float64{q.Move(rowRange(u, lo, hi), v)}
	})[0]
}

// Sums are c·Σ r² and c·Σ r y.
func (s *SpreadSquares[T]) Sums() (rr, ry float64) {
	if !s.known {
		sums := s.numbers(2, func(q *Squares[T], _, _ int) []float64 {
			rr, ry := q.Sums()
			return []float64{rr, ry}
		})
		s.rr, s.ry, s.known = s.c*sums[0], s.c*sums[1], true
	}
	return s.rr, s.ry
}

// Cross returns c·⟨z, z⟩, c·⟨z, a⟩ and c·⟨a, a⟩ for z = A(U Vᵀ) and a = A(P Qᵀ).
func (s *SpreadSquares[T]) Cross(u, v, p, q *gcg.Factor) (zz, za, aa float64) {
	v, q, done := everywhere(v, q)
	defer done()
	sums := s.numbers(3, func(data *Squares[T], lo, hi int) []float64 {
		zz, za, aa := data.Cross(rowRange(u, lo, hi), v, rowRange(p, lo, hi), q)
		return []float64{zz, za, aa}
	})
	return s.c * sums[0], s.c * sums[1], s.c * sums[2]
}

// AlongTo writes gu = E V - R dV and gv = Eᵀ U - Rᵀ dU.
func (s *SpreadSquares[T]) AlongTo(gu, gv, u, v, du, dv *gcg.Factor) {
	alongSpread(s, gu, gv, u, v, du, dv)
}

// Along32To is AlongTo in float32.
func (s *SpreadSquares[T]) Along32To(gu, gv, u, v, du, dv *gcg.Factor32) {
	alongSpread(s, gu, gv, u, v, du, dv)
}

// alongSpread is AlongTo in the precision of the factors.
func alongSpread[P, T Storage](s *SpreadSquares[T], gu, gv, u, v, du, dv *gcg.FactorOf[P]) {
	v, dv, done := everywhere(v, dv)
	defer done()
	passSpread(&s.shared, gu, gv, func(q *Squares[T], gu, gv *gcg.FactorOf[P], lo, hi int) {
		along(q, gu, gv, rowRange(u, lo, hi), v, rowRange(du, lo, hi), dv)
	})
}

// NormalTo writes gu = c·A*(A(X Vᵀ)) V.
func (s *SpreadSquares[T]) NormalTo(gu, x, v *gcg.Factor) { normalSpread(s, gu, x, v) }

// Normal32To is NormalTo in float32.
func (s *SpreadSquares[T]) Normal32To(gu, x, v *gcg.Factor32) { normalSpread(s, gu, x, v) }

// normalSpread is NormalTo in the precision of the factors.
func normalSpread[P, T Storage](s *SpreadSquares[T], gu, x, v *gcg.FactorOf[P]) {
	v, _, done := everywhere(v, nil)
	defer done()
	passSpread(&s.shared, gu, nil, func(q *Squares[T], gu, _ *gcg.FactorOf[P], lo, hi int) {
		normalOf(q, gu, rowRange(x, lo, hi), v)
	})
}

// DiagonalTo writes du_ic = c·Σⱼ α²_ij v2_jc and dv_jc = c·Σᵢ α²_ij u2_ic over the observed (i, j); dv may be nil.
func (s *SpreadSquares[T]) DiagonalTo(du, dv, u2, v2 *gcg.Factor) {
	v2, _, done := everywhere(v2, nil)
	defer done()
	passSpread(&s.shared, du, dv, func(q *Squares[T], du, dv *gcg.Factor, lo, hi int) {
		q.DiagonalTo(du, dv, rowRange(u2, lo, hi), v2)
	})
}

// RidgeRows is one half of a sweep of alternating ridge regressions, see gcg.Squares: each rank solves those of its rows.
func (s *SpreadSquares[T]) RidgeRows(u, v *gcg.Factor32, ridge float64, steps int) (square, gain float64) {
	v, _, done := everywhere(v, nil)
	defer done()
	sums := s.numbers(2, func(q *Squares[T], lo, hi int) []float64 {
		square, gain := q.RidgeRows(rowRange(u, lo, hi), v, ridge, steps)
		return []float64{square, gain}
	})
	if u.Shared == nil {
		cluster.Fill(s.rows, u.Data, u.Stride)
	}
	return sums[0], sums[1]
}

// RidgeColumns is the other half of a sweep, over V, see gcg.Squares: the normal equations of the columns are sums over the
// ranks.
func (s *SpreadSquares[T]) RidgeColumns(v, u *gcg.Factor32, ridge float64, steps int) (square, gain float64) {
	var by scaling[float32]
	defer by.repay()
	u, own := by.rows(u, ofRows(u, s.rowMul)), v
	v, _, done := everywhere(v, nil)
	defer done()
	b := &ridgeBatch{x: v, mul: s.colMul, counts: s.inCols, mean: s.meanSquares(u), ridge: ridge}
	b.residual = func(g *gcg.Factor32) float64 {
		squares := make([]float64, len(s.shards))
		s.addColumns(g, func(shard int, q *Squares[T], g *gcg.Factor32, lo, hi int) {
			u := rowRange(u, lo, hi)
			squares[shard-s.first] = ridgeResidual(q, u, v, func(r run, res []float32) {
				kernel.ScatterRows(block(g, r), from(u, r.row), u.Stride, r.ptr, r.index, res)
			})
		})
		return cluster.Numbers(s.rows, 1, func(shard int) []float64 { return squares[shard-s.first : shard-s.first+1] })[0]
	}
	b.normal = func(h, d *gcg.Factor32) {
		s.addColumns(h, func(_ int, q *Squares[T], h *gcg.Factor32, lo, hi int) {
			u := rowRange(u, lo, hi)
			q.t.each(func(_ *scratch, r run) {
				kernel.ColumnRows(block(h, r), from(u, r.row), block(d, r), u.Stride, r.ptr, r.index)
			})
		})
	}
	square, gain = b.solve(steps)
	takeOwn(own, v)
	return square, gain
}

// meanSquares has the mean squares of the columns of u over all observations.
func (s *SpreadSquares[T]) meanSquares(u *gcg.Factor32) []float32 {
	mean := make([]float32, u.Stride)
	cluster.Sum(s.rows, mean, func(shard int, part []float32) {
		clear(part)
		if q := s.shard(shard); q != nil {
			lo, hi := s.rows.Shard(shard)
			copy(part, weightedMeanSquares(rowRange(u, lo, hi), q.t.inRows, s.entries))
		}
	})
	return mean
}

// spreadMap is G = A*(c·r) over the ranks, see SpreadSquares.Factors. It has no rows: a rank has only its own.
type spreadMap[T Storage] struct{ s *SpreadSquares[T] }

// Dims is m, n.
func (g *spreadMap[T]) Dims() (m, n int) { return g.s.m, g.s.n }

// Factors are those of the operator.
func (g *spreadMap[T]) Factors() (left, right *gcg.Factor) { return g.s.Factors() }

// MulTo is dst = G x.
func (g *spreadMap[T]) MulTo(dst, x []float64) {
	s := g.s
	s.each(func(q *Squares[T], lo, hi int) { q.Adjoint(nil).MulTo(dst[lo:hi], x) })
	cluster.Fill(s.rows, dst, 1)
	s.times(dst)
}

// TMulTo is dst = Gᵀ y.
func (g *spreadMap[T]) TMulTo(dst, y []float64) {
	s := g.s
	cluster.Sum(s.rows, dst, func(shard int, part []float64) {
		if q := s.shard(shard); q != nil {
			lo, hi := s.rows.Shard(shard)
			q.Adjoint(nil).TMulTo(part, y[lo:hi])
			return
		}
		clear(part)
	})
	s.times(dst)
}

// times multiplies a product by c.
func (s *SpreadSquares[T]) times(x []float64) {
	if s.c != 1 {
		kernel.Scale(s.c, x)
	}
}

// MulBlockTo is dst (m×k) = G x (n×k).
func (g *spreadMap[T]) MulBlockTo(dst, x *gcg.Factor) {
	x, _, done := everywhere(x, nil)
	defer done()
	passSpread(&g.s.shared, dst, nil, func(q *Squares[T], gu, _ *gcg.Factor, _, _ int) {
		(&squaresMap[T]{q}).MulBlockTo(gu, x)
	})
}

// TMulBlockTo is dst (n×k) = Gᵀ y (m×k).
func (g *spreadMap[T]) TMulBlockTo(dst, y *gcg.Factor) {
	passSpread(&g.s.shared, nil, dst, func(q *Squares[T], _, gv *gcg.Factor, lo, hi int) {
		(&squaresMap[T]{q}).TMulBlockTo(gv, rowRange(y, lo, hi))
	})
}

// BothTo is gv = G v and gu = Gᵀ u in one pass.
func (g *spreadMap[T]) BothTo(gv, gu, u, v *gcg.Factor) {
	v, _, done := everywhere(v, nil)
	defer done()
	passSpread(&g.s.shared, gv, gu, func(q *Squares[T], rows, cols *gcg.Factor, lo, hi int) {
		(&squaresMap[T]{q}).BothTo(rows, cols, rowRange(u, lo, hi), v)
	})
}
