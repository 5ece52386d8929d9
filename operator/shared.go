package operator

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/internal/memory"
)

// A shared operator is made of one for each shard of rows. Ranks hold those of their shards.
type shared[Q any] struct {
	rows, items *cluster.Rows // how ranks share the rows of U and of V
	m, n        int
	shards      []*Q    // of this rank, each with its own rows; nil where one has no rows
	first       int     // the number of the first of them
	c           float64 // of all products
}

// newShared has make build the part of every shard of this rank, of the rows lo ≤ i < hi. It is an error of the first rank that
// has one, on all of them.
func newShared[Q any](rows *cluster.Rows, m, n int, make func(lo, hi int) (*Q, error)) (s shared[Q], err error) {
	s = shared[Q]{rows: rows, items: rows.Beside(n), m: m, n: n, c: 1}
	first, end := rows.Own()
	s.first = first
	for shard := first; shard < end && err == nil; shard++ {
		var q *Q
		if lo, hi := rows.Shard(shard); lo < hi {
			q, err = make(lo, hi)
		}
		s.shards = append(s.shards, q)
	}
	return s, rows.Comm().FirstError(err)
}

// Dims is the size m×n of W and 0, as no observations are shown.
func (s *shared[Q]) Dims() (m, n, nobs int) { return s.m, s.n, 0 }

func (*shared[Q]) AtomTo([]float64, int, *gcg.Atom)                    {}
func (*shared[Q]) FactoredTo([]float64, int, *gcg.Factor, *gcg.Factor) {}
func (*shared[Q]) Len() int                                            { return 0 }
func (*shared[Q]) Stride() int                                         { return 1 }
func (*shared[Q]) Eval(int, []float64, []float64) float64              { return 0 }
func (*shared[Q]) HessTo([]float64, int, []float64, []float64)         {}
func (*shared[Q]) Target() []float64                                   { return nil }
func (*shared[Q]) Weights() []float64                                  { return nil }

// Scale is c.
func (s *shared[Q]) Scale() float64 { return s.c }

// addColumns adds to g the sum over the shards of what f adds to its part of it.
func (s *shared[Q]) addColumns(g *gcg.Factor32, f func(shard int, q *Q, g *gcg.Factor32, lo, hi int)) {
	sum := memory.Borrow[float32](len(g.Data))
	defer memory.Repay(sum)
	cluster.Sum(s.rows, sum, func(shard int, part []float32) {
		clear(part)
		if q := s.shard(shard); q != nil {
			lo, hi := s.rows.Shard(shard)
			f(shard, q, withData(g, part), lo, hi)
		}
	})
	g.AddScaled(1, withData(g, sum))
}

// Factors are factors without columns whose rows ranks share as those of U and of V.
func (s *shared[Q]) Factors() (left, right *gcg.Factor) {
	return gcg.NewShared(s.rows, 0), gcg.NewShared(s.items, 0)
}

// shard is the data of a shard of this rank, or nil where it has no rows.
func (s *shared[Q]) shard(number int) *Q { return s.shards[number-s.first] }

// each calls f for every shard of this rank that has rows, with these.
func (s *shared[Q]) each(f func(q *Q, lo, hi int)) {
	for t, q := range s.shards {
		if q != nil {
			lo, hi := s.rows.Shard(s.first + t)
			f(q, lo, hi)
		}
	}
}

// numbers are sums of a few numbers over the shards of all ranks.
func (s *shared[Q]) numbers(count int, f func(q *Q, lo, hi int) []float64) []float64 {
	return cluster.Numbers(s.rows, count, func(shard int) []float64 {
		if q := s.shard(shard); q != nil {
			lo, hi := s.rows.Shard(shard)
			return f(q, lo, hi)
		}
		return make([]float64, count)
	})
}

// passSpread has f write gu, whose rows belong to the shards, and add up gv, of which each shard has a part; either may be nil.
// f is told the shard's rows. Both are multiplied by c.
func passSpread[P Storage, Q any](s *shared[Q], gu, gv *gcg.FactorOf[P], f func(q *Q, gu, gv *gcg.FactorOf[P], lo, hi int)) {
	if gv == nil {
		s.each(func(q *Q, lo, hi int) { f(q, rowRange(gu, lo, hi), nil, lo, hi) })
	} else {
		term := func(shard int, part []P) {
			if q := s.shard(shard); q != nil {
				lo, hi := s.rows.Shard(shard)
				f(q, rowRange(gu, lo, hi), withData(gv, part), lo, hi)
				return
			}
			clear(part)
		}
		if gv.Shared != nil {
			cluster.SumRows(s.rows, gv.Shared, gv.Data, gv.Stride, term)
		} else {
			cluster.Sum(s.rows, gv.Data, term)
		}
	}
	if gu != nil && gu.Shared == nil {
		cluster.Fill(s.rows, gu.Data, gu.Stride)
	}
	for _, g := range []*gcg.FactorOf[P]{gu, gv} {
		if g != nil && s.c != 1 {
			g.Scale(P(s.c))
		}
	}
}

// rowRange is the rows lo ≤ i < hi of a factor, or nil of nil.
func rowRange[P Storage](f *gcg.FactorOf[P], lo, hi int) *gcg.FactorOf[P] {
	if f == nil {
		return nil
	}
	return f.Between(lo, hi)
}

// everywhere are v and dv, which may be nil, with all rows on every rank; done gives their memory back.
func everywhere[P Storage](v, dv *gcg.FactorOf[P]) (all, dAll *gcg.FactorOf[P], done func()) {
	all, dAll = v.Whole(), dv.Whole()
	return all, dAll, func() {
		gcg.RepayWhole(all, v)
		gcg.RepayWhole(dAll, dv)
	}
}

// ofRows are those of numbers of all rows that belong to the rows of f on this rank; nil of nil.
func ofRows[P Storage](f *gcg.FactorOf[P], x []float64) []float64 {
	if x == nil {
		return nil
	}
	return x[f.First() : f.First()+f.Rows]
}

// takeOwn overwrites the rows of f on this rank with those of all, which has all of them, where these have memory of their own.
func takeOwn[P Storage](f, all *gcg.FactorOf[P]) {
	if f.Shared != nil {
		copy(f.Data, rowsOf(all, f.First(), f.First()+f.Rows))
	}
}

// withData is a factor of the shape of f, with all rows, on other memory.
func withData[P Storage](f *gcg.FactorOf[P], data []P) *gcg.FactorOf[P] {
	return &gcg.FactorOf[P]{Rows: f.Height(), K: f.K, Stride: f.Stride, Data: data}
}
