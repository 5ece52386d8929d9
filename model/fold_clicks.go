package model

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// foldClicks is the left factor (times S) of a new row of clicks of a model of implicit feedback, by all cells of the row as in
// the fit,
//
//	min over u of ½ Σⱼ c_j (p_j - u·v̂_j)² + λ/2 ‖u‖²,   c_j = w₀ + αr_j and p_j = 1 on the clicks, w₀ and 0 elsewhere
//
// Values are counts r ≥ 0, or ratings of which those from Info.Positive on are clicks. inner is itemGram, or nil, and stays as it
// is.
func (m *Model) foldClicks(inner *mat.SymDense, cols []int32, values []float64) ([]float64, error) {
	clicks, err := m.clickCounts(cols, values)
	if err != nil {
		return nil, err
	}
	if len(clicks) == 0 {
		return make([]float64, m.Rank), nil
	}
	if inner == nil {
		inner = m.itemGram()
	}
	scale, k := m.foldScale(len(clicks)), m.Rank
	gram, rhs := mat.NewSymDense(k, nil), mat.NewVecDense(k, nil)
	gram.ScaleSym(m.Info.Background*scale*scale, inner)
	rows := mat.NewDense(len(clicks), k, nil) // times √(αr)
	for t, j := range slices.Sorted(maps.Keys(clicks)) {
		v, more := m.foldRow(j, scale), m.Info.Alpha*clicks[j]
		rhs.AddScaledVec(rhs, m.Info.Background+more, mat.NewVecDense(k, v))
		floats.ScaleTo(rows.RawRowView(t), math.Sqrt(more), v)
	}
	gram.SymRankK(gram, 1, rows.T())
	x, err := m.ridge(gram, rhs)
	if err != nil {
		return nil, err
	}
	return m.foldedFactor(x, scale, nil), nil
}

// clickCounts are r_j of the columns that a row clicked on.
func (m *Model) clickCounts(cols []int32, values []float64) (map[int32]float64, error) {
	clicks := make(map[int32]float64, len(cols))
	for t, j := range cols {
		switch r := values[t]; {
		case m.Info.Positive > 0 && r >= m.Info.Positive:
			clicks[j]++
		case m.Info.Positive > 0 || r == 0:
		case r < 0:
			return nil, fmt.Errorf("model: click %d of the new row has the count %v; counts are not negative", t+1, r)
		default:
			clicks[j] += r
		}
	}
	return clicks, nil
}

// itemGram is Σⱼ v̂ⱼv̂ⱼᵀ over all columns, which all new rows of clicks share.
func (m *Model) itemGram() *mat.SymDense {
	v := mat.NewDense(m.Cols, m.Rank, nil)
	for j := range m.Cols {
		v.SetRow(j, m.foldRow(int32(j), 1))
	}
	gram := &mat.SymDense{}
	gram.SymOuterK(1, v.T())
	return gram
}
