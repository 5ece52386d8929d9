package model

import (
	"math"
	"math/rand/v2"
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
