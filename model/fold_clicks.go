package model

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// foldClicks is the left factor (times S) of a new row of clicks of a model of implicit feedback, by all cells of the row as in
// the fit,
//
//	min over u of ½ Σⱼ c_j (p_j - u·v̂_j)² + λ/2 ‖u‖²,   c_j = w₀ + αr_j and p_j = 1 on the clicks, w₀ and 0 elsewhere
//
// Values are counts r ≥ 0, or ratings of which those from Info.Positive on are clicks.
func (m *Model) foldClicks(cols []int32, values []float64) ([]float64, error) {
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
	if len(clicks) == 0 {
		return make([]float64, m.Rank), nil
	}
	scale, k := m.foldScale(len(clicks)), m.Rank
	gram, rhs := mat.NewSymDense(k, nil), mat.NewVecDense(k, nil)
	v := make([]float64, k)
	for j := range m.Cols {
		m.foldedTo(v, j, scale)
		vec, weight := mat.NewVecDense(k, v), m.Info.Background
		if r, clicked := clicks[int32(j)]; clicked {
			weight += m.Info.Alpha * r
			rhs.AddScaledVec(rhs, weight, vec)
		}
		gram.SymRankOne(gram, weight, vec)
	}
	x, err := m.ridge(gram, rhs)
	if err != nil {
		return nil, err
	}
	u := make([]float64, k)
	for c, s := range m.S {
		u[c] = x.AtVec(c) * math.Sqrt(s) * scale
	}
	return u, nil
}

// foldedTo writes v̂ = V S^½ (scaled) of a column.
func (m *Model) foldedTo(v []float64, j int, scale float64) {
	if m.ColScale != nil {
		scale *= m.ColScale[j]
	}
	for c, s := range m.S {
		v[c] = m.V[j*m.Rank+c] * math.Sqrt(s) * scale
	}
}
