package model

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// SimilarItems is the n items most like item j, best first, without it. The likeness is the cosine of their factors
//
//	⟨v̂_j, v̂_l⟩ / (‖v̂_j‖‖v̂_l‖),   v̂ = V S^½
//
// which is between -1 and 1, and of which ties go to the lower index. V S^½ is the factor of W that the trace norm weighs, as
// ‖W‖_* = min ½(‖A‖² + ‖B‖²) over W = A Bᵀ. Offsets do not count: items are alike that the same users like more than usual. An
// item whose factor is 0 is like none, and none like it; one that the model does not have, and any of a model whose W is sparse,
// which has no factors, has no list.
func (m *Model) SimilarItems(j, n int) []Recommendation { return NewIndex(m).Similar(j, n) }

// SimilarUsers is SimilarItems for the users of the model, by U S^½.
func (m *Model) SimilarUsers(i, n int) []Recommendation { return NewIndex(m.flipped()).Similar(i, n) }

// Similar is Model.SimilarItems by the index, whose nil has no lists.
func (x *Index) Similar(j, n int) []Recommendation {
	if x == nil || known(j, x.m.Cols) < 0 {
		return nil
	}
	v := x.factor(j)
	s := x.search(v, n)
	if s.norm == 0 {
		return nil
	}
	s.cosine, s.margin = true, s.norm*rounding32
	s.score = func(l int) float64 { // times ‖v̂_j‖
		w := x.factor(l)
		return kernel.Dot(v, w) / math.Sqrt(kernel.SumSq(w))
	}
	s.skip = func(l int32) bool { return int(l) == j || x.norms[x.place[l]] == 0 }
	s.run()
	best := s.best
	best.sort()
	for k := range best {
		best[k].Score = math.Max(-1, math.Min(best[k].Score/s.norm, 1))
	}
	return best
}

// factor is v̂_j.
func (x *Index) factor(j int) []float64 {
	v := make([]float64, x.m.Rank)
	x.balanced(v, j)
	return v
}
