package operator

import (
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cluster"
)

// SpreadSampling is Sampling over the ranks of a cluster, each of which holds the observations of some rows and shows these: it
// is for losses that SpreadSquares does not have. Its observations are those of its rows, in their order. Factors and what
// crosses the network are as those of SpreadSquares, which has the squared loss without weights at less memory.
type SpreadSampling struct {
	shared[Sampling]
	cuts []int // of the observations, see Shared
}

// NewSpreadSampling takes the observed entries of the rows of this rank, as NewSampling does those of all rows: ptr has m+1
// offsets, and rows of other ranks are empty. z_ij = rowMul_i W_ij colMul_j; nil scales are 1.
func NewSpreadSampling(rows *cluster.Rows, n int, ptr []int64, cols []int32, rowMul, colMul []float64) (*SpreadSampling, error) {
	s := &SpreadSampling{}
	var err error
	s.shared, err = newShared(rows, len(ptr)-1, n, func(lo, hi int) (*Sampling, error) {
		q, err := NewSampling(hi-lo, n, fromZero(nil, ptr[lo:hi+1]), cols[ptr[lo]:ptr[hi]])
		if err != nil || rowMul == nil {
			return q, err
		}
		return q.Scaled(rowMul[lo:hi], colMul)
	})
	if err != nil {
		return nil, err
	}
	first, end := rows.Own()
	for shard := first; shard < end; shard++ {
		lo, _ := rows.Shard(shard)
		s.cuts = append(s.cuts, int(ptr[lo]))
	}
	s.cuts = append(s.cuts, len(cols))
	return s, nil
}

// Shared are the shards of all ranks, and where the observations of those of this one begin and end.
func (s *SpreadSampling) Shared() (rows *cluster.Rows, cuts []int) { return s.rows, s.cuts }

// Dims is the size m×n of W and the number of observations of this rank.
func (s *SpreadSampling) Dims() (m, n, nobs int) { return s.m, s.n, s.cuts[len(s.cuts)-1] }

// over calls f for every shard that has some of the observations from lo on, with its rows, and these observations by its own
// numbers.
func (s *SpreadSampling) over(z []float64, lo int, f func(q *Sampling, z []float64, lo, row, end int)) {
	for t, q := range s.shards {
		if from, to := max(lo, s.cuts[t]), min(lo+len(z), s.cuts[t+1]); from < to {
			row, end := s.rows.Shard(s.first + t)
			f(q, z[from-lo:to-lo], from-s.cuts[t], row, end)
		}
	}
}

// AtomTo writes z = A(a) for the observations from lo on; V of an atom has all rows.
func (s *SpreadSampling) AtomTo(z []float64, lo int, a *gcg.Atom) {
	if a.LowRank() {
		s.FactoredTo(z, lo, a.U, a.V)
		return
	}
	s.over(z, lo, func(q *Sampling, z []float64, lo, row, end int) {
		own := gcg.Atom{Key: a.Key}
		for e, i := range a.Rows {
			if int(i) >= row && int(i) < end {
				own.Rows, own.Cols, own.Vals = append(own.Rows, i-int32(row)), append(own.Cols, a.Cols[e]), append(own.Vals, a.Vals[e])
			}
		}
		q.AtomTo(z, lo, &own)
	})
}

// FactoredTo writes z = A(U Vᵀ) for the observations from lo on; V has all rows.
func (s *SpreadSampling) FactoredTo(z []float64, lo int, u, v *gcg.Factor) {
	s.over(z, lo, func(q *Sampling, z []float64, lo, row, end int) { q.FactoredTo(z, lo, rowRange(u, row, end), v) })
}

// Adjoint is the map A*(r), which all ranks use together.
func (s *SpreadSampling) Adjoint(r []float64) gcg.Map { return &spreadSamplingMap{s, r} }

// of are those of a vector of observations that belong to a shard.
func of[T Storage](s *SpreadSampling, q *Sampling, r []T) []T {
	at := slices.Index(s.shards, q)
	return r[s.cuts[at]:s.cuts[at+1]]
}

// ResidualTo writes r = y - A(U Vᵀ) and returns Σ r² over the observations of all ranks.
func (s *SpreadSampling) ResidualTo(r, y []float64, u, v *gcg.Factor) float64 {
	v, _, done := everywhere(v, nil)
	defer done()
	return s.numbers(1, func(q *Sampling, lo, hi int) []float64 {
		return []float64{q.ResidualTo(of(s, q, r), of(s, q, y), rowRange(u, lo, hi), v)}
	})[0]
}

// CurvatureTo writes gu = E V - R dV and gv = Eᵀ U - Rᵀ dU, with E = A*(A(dU Vᵀ + U dVᵀ)) and R = A*(r).
func (s *SpreadSampling) CurvatureTo(gu, gv *gcg.Factor, r []float64, u, v, du, dv *gcg.Factor) {
	curvatureSpread(s, gu, gv, r, u, v, du, dv)
}

// Curvature32To is CurvatureTo in float32.
func (s *SpreadSampling) Curvature32To(gu, gv *gcg.Factor32, r []float32, u, v, du, dv *gcg.Factor32) {
	curvatureSpread(s, gu, gv, r, u, v, du, dv)
}

// curvatureSpread is CurvatureTo in T.
func curvatureSpread[T Storage](s *SpreadSampling, gu, gv *gcg.FactorOf[T], r []T, u, v, du, dv *gcg.FactorOf[T]) {
	v, dv, done := everywhere(v, dv)
	defer done()
	passSpread(&s.shared, gu, gv, func(q *Sampling, gu, gv *gcg.FactorOf[T], lo, hi int) {
		curvatureTo(q, gu, gv, of(s, q, r), rowRange(u, lo, hi), v, rowRange(du, lo, hi), dv)
	})
}

// NormalTo writes gu = A*(A(X Vᵀ)) V.
func (s *SpreadSampling) NormalTo(gu, x, v *gcg.Factor) { normalSampling(s, gu, x, v) }

// Normal32To is NormalTo in float32.
func (s *SpreadSampling) Normal32To(gu, x, v *gcg.Factor32) { normalSampling(s, gu, x, v) }

// normalSampling is NormalTo in T.
func normalSampling[T Storage](s *SpreadSampling, gu, x, v *gcg.FactorOf[T]) {
	v, _, done := everywhere(v, nil)
	defer done()
	passSpread(&s.shared, gu, nil, func(q *Sampling, gu, _ *gcg.FactorOf[T], lo, hi int) {
		normalTo(q, gu, rowRange(x, lo, hi), v)
	})
}

// DiagonalTo writes du_ic = Σⱼ α²_ij v2_jc and dv_jc = Σᵢ α²_ij u2_ic over the observed (i, j); dv may be nil.
func (s *SpreadSampling) DiagonalTo(du, dv, u2, v2 *gcg.Factor) {
	v2, _, done := everywhere(v2, nil)
	defer done()
	passSpread(&s.shared, du, dv, func(q *Sampling, du, dv *gcg.Factor, lo, hi int) {
		q.DiagonalTo(du, dv, rowRange(u2, lo, hi), v2)
	})
}

// spreadSamplingMap is G = A*(r) over the ranks. It has no rows: a rank has only its own.
type spreadSamplingMap struct {
	*SpreadSampling
	r []float64
}

// Dims is m, n.
func (g *spreadSamplingMap) Dims() (m, n int) { return g.m, g.n }

// part is the map of a shard.
func (g *spreadSamplingMap) part(q *Sampling) *samplingMap {
	return &samplingMap{q, of(g.SpreadSampling, q, g.r)}
}

// MulTo is dst = G x.
func (g *spreadSamplingMap) MulTo(dst, x []float64) {
	g.each(func(q *Sampling, lo, hi int) { g.part(q).MulTo(dst[lo:hi], x) })
	cluster.Fill(g.rows, dst, 1)
}

// TMulTo is dst = Gᵀ y.
func (g *spreadSamplingMap) TMulTo(dst, y []float64) {
	cluster.Sum(g.rows, dst, func(shard int, part []float64) {
		if q := g.shard(shard); q != nil {
			lo, hi := g.rows.Shard(shard)
			g.part(q).TMulTo(part, y[lo:hi])
			return
		}
		clear(part)
	})
}

// MulBlockTo is dst (m×k) = G x (n×k).
func (g *spreadSamplingMap) MulBlockTo(dst, x *gcg.Factor) {
	x, _, done := everywhere(x, nil)
	defer done()
	passSpread(&g.shared, dst, nil, func(q *Sampling, gu, _ *gcg.Factor, _, _ int) { g.part(q).MulBlockTo(gu, x) })
}

// TMulBlockTo is dst (n×k) = Gᵀ y (m×k).
func (g *spreadSamplingMap) TMulBlockTo(dst, y *gcg.Factor) {
	passSpread(&g.shared, nil, dst, func(q *Sampling, _, gv *gcg.Factor, lo, hi int) {
		g.part(q).TMulBlockTo(gv, rowRange(y, lo, hi))
	})
}

// BothTo is gv = G v and gu = Gᵀ u in one pass.
func (g *spreadSamplingMap) BothTo(gv, gu, u, v *gcg.Factor) {
	v, _, done := everywhere(v, nil)
	defer done()
	passSpread(&g.shared, gv, gu, func(q *Sampling, rows, cols *gcg.Factor, lo, hi int) {
		g.part(q).BothTo(rows, cols, rowRange(u, lo, hi), v)
	})
}
