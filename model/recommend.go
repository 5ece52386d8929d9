package model

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// A Recommendation is an item and its predicted rating.
type Recommendation struct {
	Item  int
	Score float64
}

// Top is the n items with the highest predictions for row i, which may be unknown as for [Model.Predict], without those that seen
// lists, in any order. Ties go to the lower index. Scores rank unclipped and are reported clipped.
func (m *Model) Top(i, n int, seen []int32) []Recommendation {
	i = known(i, m.Rows)
	u, w := m.rowOf(i)
	return m.topOf(u, w, m.centre(i, -1), n, seen)
}

// rowOf is the left factor (times S, scaled) of row i, and its row of a sparse W, nil of others.
func (m *Model) rowOf(i int) (u, w []float64) {
	u = make([]float64, m.Rank)
	w = m.Entries.row(i, m.Cols)
	if i < 0 {
		return u, w
	}
	for c, s := range m.S {
		u[c] = m.leftRow(i)[c] * s
		if m.RowScale != nil {
			u[c] *= m.RowScale[i]
		}
	}
	if w != nil && m.RowScale != nil {
		for j := range w {
			w[j] *= m.RowScale[i]
		}
	}
	return u, w
}

// topOf ranks all items for a row with the given left factor, or row of a sparse W, in one pass: a heap has the best n so far.
func (m *Model) topOf(u, w []float64, base float64, n int, seen []int32) []Recommendation {
	var best worstFirst
	seen = ascending(seen)
	for j := range m.Cols {
		for len(seen) > 0 && int(seen[0]) < j {
			seen = seen[1:]
		}
		if len(seen) > 0 && int(seen[0]) == j {
			continue
		}
		best.offer(Recommendation{j, base + m.itemScore(u, w, j)}, n)
	}
	best.sort()
	for k := range best {
		best[k].Score = m.clip(best[k].Score)
	}
	return best
}

// ascending is seen where that ascends, and else a sorted copy.
func ascending(seen []int32) []int32 {
	if slices.IsSorted(seen) {
		return seen
	}
	return slices.Sorted(slices.Values(seen))
}

// worse says that b goes before a.
func worse(a, b Recommendation) bool {
	return a.Score < b.Score || a.Score == b.Score && a.Item > b.Item
}

// worstFirst is a heap.
type worstFirst []Recommendation

// offer keeps r if it is one of the best n so far.
func (h *worstFirst) offer(r Recommendation, n int) {
	switch {
	case len(*h) < n:
		heap.Push(h, r)
	case n > 0 && worse((*h)[0], r):
		(*h)[0] = r
		heap.Fix(h, 0)
	}
}

// sort puts the best first; it is no heap afterwards.
func (h worstFirst) sort() {
	slices.SortFunc(h, func(a, b Recommendation) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Item, b.Item))
	})
}

func (h worstFirst) Len() int           { return len(h) }
func (h worstFirst) Less(a, b int) bool { return worse(h[a], h[b]) }
func (h worstFirst) Swap(a, b int)      { h[a], h[b] = h[b], h[a] }
func (h *worstFirst) Push(r any)        { *h = append(*h, r.(Recommendation)) }

// Pop is part of heap.Interface.
func (h *worstFirst) Pop() any {
	last := len(*h) - 1
	r := (*h)[last]
	*h = (*h)[:last]
	return r
}

// itemScore is the prediction of column j less what all columns have in common.
func (m *Model) itemScore(u, w []float64, j int) float64 {
	x := kernel.Dot(u, m.V[j*m.Rank:(j+1)*m.Rank])
	if w != nil {
		x += w[j]
	}
	if m.ColScale != nil {
		x *= m.ColScale[j]
	}
	if m.ColOffset != nil {
		x += m.ColOffset[j]
	}
	return x
}
