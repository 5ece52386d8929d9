package model

import (
	"cmp"
	"slices"
)

// A Recommendation is an item and its predicted rating.
type Recommendation struct {
	Item  int
	Score float64
}

// Top is the n items with the highest predictions for row i, without those that seen (ascending) lists. Ties go to the
// lower index. Scores rank unclipped and are reported clipped.
func (m *Model) Top(i, n int, seen []int32) []Recommendation {
	u := make([]float64, m.Rank)
	if i >= 0 {
		for c, s := range m.S {
			u[c] = m.U[i*m.Rank+c] * s
			if m.RowScale != nil {
				u[c] *= m.RowScale[i]
			}
		}
	}
	w := m.Entries.row(i, m.Cols)
	if w != nil && i >= 0 && m.RowScale != nil {
		for j := range w {
			w[j] *= m.RowScale[i]
		}
	}
	return m.topOf(u, w, m.centre(i, -1), n, seen)
}

// topOf ranks all items for a row with the given left factor, or row of a sparse W, by a heap of n in one pass.
func (m *Model) topOf(u, w []float64, base float64, n int, seen []int32) []Recommendation {
	worse := func(a, b Recommendation) bool {
		return a.Score < b.Score || a.Score == b.Score && a.Item > b.Item
	}
	var heap []Recommendation // the worst first
	for j := range m.Cols {
		if at, ok := slices.BinarySearch(seen, int32(j)); ok && at >= 0 {
			continue
		}
		r := Recommendation{j, base + m.itemScore(u, w, j)}
		if len(heap) < n {
			heap = append(heap, r)
			if len(heap) == n {
				slices.SortFunc(heap, func(a, b Recommendation) int { return order(worse(a, b)) })
			}
			continue
		}
		if n <= 0 || !worse(heap[0], r) {
			continue
		}
		heap[0] = r
		for at := 0; ; {
			child := 2*at + 1
			if child >= n {
				break
			}
			if child+1 < n && worse(heap[child+1], heap[child]) {
				child++
			}
			if !worse(heap[child], heap[at]) {
				break
			}
			heap[at], heap[child] = heap[child], heap[at]
			at = child
		}
	}
	slices.SortFunc(heap, func(a, b Recommendation) int {
		if a.Score != b.Score {
			return cmp.Compare(b.Score, a.Score)
		}
		return cmp.Compare(a.Item, b.Item)
	})
	for k := range heap {
		heap[k].Score = m.clip(heap[k].Score)
	}
	return heap
}

func order(less bool) int {
	if less {
		return -1
	}
	return 1
}

func (m *Model) itemScore(u, w []float64, j int) float64 {
	v := m.V[j*m.Rank : (j+1)*m.Rank]
	var x float64
	if w != nil {
		x = w[j]
	}
	for c := range u {
		x += u[c] * v[c]
	}
	if m.ColScale != nil {
		x *= m.ColScale[j]
	}
	if m.ColOffset != nil {
		x += m.ColOffset[j]
	}
	return x
}
