package model

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// A prediction is the formula of a Model, with all of its offsets and scales; of what is unknown, the centre alone.
func TestPredictionsAreTheFormula(t *testing.T) {
	m := sample(rand.New(rand.NewPCG(6, 1)))
	m.Clip = false
	for i := -1; i < m.Rows; i++ {
		for j := -1; j < m.Cols; j++ {
			want := m.Global
			if i >= 0 {
				want += m.RowOffset[i]
			}
			if j >= 0 {
				want += m.ColOffset[j]
			}
			if i >= 0 && j >= 0 {
				want += m.RowScale[i] * (m.U[2*i]*m.S[0]*m.V[2*j] + m.U[2*i+1]*m.S[1]*m.V[2*j+1]) * m.ColScale[j]
			}
			if got := m.Predict(i, j); math.Abs(got-want) > 1e-12 {
				t.Errorf("row %d, column %d: %g, the formula is %g", i, j, got, want)
			}
		}
	}
}

// thinned is a sample whose matrix is sparse.
func thinned() *Model {
	m := sample(rand.New(rand.NewPCG(6, 2)))
	m.Rank, m.U, m.V, m.S, m.Clip = 0, nil, nil, nil, false
	m.Entries = &Entries{Rows: []int32{0, 0, 3, 3, 6}, Cols: []int32{8, 1, 2, 5, 0}, Values: []float64{2, -1, 0.5, 4, -3}}
	return m
}

// What predicts single entries, ranks a row of them and multiplies W by features agrees, of a sparse W and of factors, with
// scales and offsets.
func TestPredictionsAgree(t *testing.T) {
	low := sample(rand.New(rand.NewPCG(6, 1)))
	low.Clip = false
	for name, m := range map[string]*Model{"low rank": low, "sparse": thinned()} {
		l, scores := m.Linear(), make([]float64, m.Cols)
		for i := range m.Rows {
			l.ScoresTo(scores, []int32{int32(i)}, []float64{1})
			for _, r := range m.Top(i, m.Cols, nil) {
				one := m.Predict(i, r.Item)
				if math.Abs(r.Score-one) > 1e-12 || math.Abs(scores[r.Item]+m.RowOffset[i]-one) > 1e-12 {
					t.Errorf("%s: row %d, column %d: %g predicted, %g in the ranking, %g from features", name, i, r.Item, one, r.Score,
						scores[r.Item]+m.RowOffset[i])
				}
			}
		}
	}
}

func TestSparseModelsFoldNothingIn(t *testing.T) {
	if _, err := thinned().FoldIn([]int32{1}, []float64{2}, 3); err == nil || !strings.Contains(err.Error(), "sparse") {
		t.Errorf("error %v", err)
	}
}
