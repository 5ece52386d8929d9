package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"
)

func sortTensors(t []tensor) {
	sort.Slice(t, func(a, b int) bool { return t[a].name < t[b].name })
}

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
	return m.topOf(u, m.centre(i, -1), n, seen)
}

// topOf ranks all items for a row with the given left factor, by a heap of n in one pass.
func (m *Model) topOf(u []float64, base float64, n int, seen []int32) []Recommendation {
	worse := func(a, b Recommendation) bool {
		return a.Score < b.Score || a.Score == b.Score && a.Item > b.Item
	}
	var heap []Recommendation // the worst first
	for j := range m.Cols {
		if at, ok := slices.BinarySearch(seen, int32(j)); ok && at >= 0 {
			continue
		}
		r := Recommendation{j, base + m.itemScore(u, j)}
		if len(heap) < n {
			heap = append(heap, r)
			if len(heap) == n {
				slices.SortFunc(heap, func(a, b Recommendation) int { return order(worse(a, b)) })
			}
			continue
		}
		if n == 0 || !worse(heap[0], r) {
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

func (m *Model) itemScore(u []float64, j int) float64 {
	v := m.V[j*m.Rank : (j+1)*m.Rank]
	var x float64
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

// FoldIn recommends for a row that the model has not seen, from its ratings: its factor solves
//
//	min over u of ½ Σ (x_j - centre_j - u·v̂_j)² + λ/2 ‖u‖²,   v̂ = V S^½ (scaled)
//
// exactly as the fit would with V fixed. The row's own offset, where rows are centred, is the mean of its residuals. A model that was fitted
// with a constraint has no λ, which is an error.
func (m *Model) FoldIn(cols []int32, values []float64, n int) ([]Recommendation, error) {
	u, base, err := m.fold(cols, values)
	if err != nil {
		return nil, err
	}
	seen := slices.Clone(cols)
	slices.Sort(seen)
	return m.topOf(u, base, n, seen), nil
}

// fold is the left factor (times S) of a new row, and its centre.
func (m *Model) fold(cols []int32, values []float64) (u []float64, base float64, err error) {
	if len(cols) == 0 {
		return make([]float64, m.Rank), m.Global, nil
	}
	if m.Info.Lambda <= 0 {
		return nil, 0, fmt.Errorf("model: has no λ to fold a new row in with; it was fitted with a constraint")
	}
	base = m.Global
	if m.RowOffset != nil {
		var off float64
		for t, j := range cols {
			off += values[t] - m.centre(-1, int(j))
		}
		base += off / float64(len(cols))
	}
	scale := m.foldScale(len(cols))
	k := m.Rank
	if k == 0 {
		return nil, base, nil
	}
	gram, rhs := mat.NewSymDense(k, nil), mat.NewVecDense(k, nil)
	v := make([]float64, k)
	for t, j := range cols {
		by := scale
		if m.ColScale != nil {
			by *= m.ColScale[j]
		}
		for c, s := range m.S {
			v[c] = m.V[int(j)*k+c] * math.Sqrt(s) * by
		}
		target := values[t] - base
		if m.ColOffset != nil {
			target -= m.ColOffset[j]
		}
		vec := mat.NewVecDense(k, v)
		gram.SymRankOne(gram, 1, vec)
		rhs.AddScaledVec(rhs, target, vec)
	}
	lambda := m.Info.Lambda
	if m.Info.Normalize == "mean" {
		lambda *= float64(m.Info.Observations)
	}
	for c := range k {
		gram.SetSym(c, c, gram.At(c, c)+lambda)
	}
	var chol mat.Cholesky
	var x mat.VecDense
	if !chol.Factorize(gram) || chol.SolveVecTo(&x, rhs) != nil {
		return nil, 0, fmt.Errorf("model: the ridge problem of the new row is singular")
	}
	u = make([]float64, k)
	for c, s := range m.S {
		u[c] = x.AtVec(c) * math.Sqrt(s) * scale
	}
	return u, base, nil
}

// foldScale is the row scale that the weighted trace norm gives a row with n ratings: 1/√p, p as in the fit.
func (m *Model) foldScale(n int) float64 {
	if m.RowScale == nil {
		return 1
	}
	p := math.Pow(float64(n)*m.Info.RowWeight, m.Info.RowPower) + m.Info.RowFloor
	return 1 / math.Sqrt(p)
}
