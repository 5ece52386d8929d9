package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// thresholdedModel is the closed form of min ½‖X-W‖² + λ‖W‖_* for a full X.
func thresholdedModel(x []float64, rows, cols int, lambda float64) *Model {
	var svd mat.SVD
	svd.Factorize(mat.NewDense(rows, cols, x), mat.SVDThin)
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	m := &Model{Rows: rows, Cols: cols, Info: Info{Lambda: lambda}}
	for _, s := range svd.Values(nil) {
		if s > lambda {
			m.S = append(m.S, math.Max(s-lambda, 0))
		}
	}
	m.Rank = len(m.S)
	for i := range rows {
		m.U = append(m.U, u.RawRowView(i)[:m.Rank]...)
	}
	for j := range cols {
		m.V = append(m.V, v.RawRowView(j)[:m.Rank]...)
	}
	return m
}

// Ratings that are of no row are errors that say which, at any rank, and none is a panic or a list of NaN.
func TestFoldInRefuses(t *testing.T) {
	flat := &Model{Rows: 7, Cols: 9, RowOffset: make([]float64, 7)}
	for rank, m := range map[int]*Model{2: sample(rand.New(rand.NewPCG(9, 1))), 0: flat} {
		for _, c := range []struct {
			cols   []int32
			values []float64
			want   string
		}{
			{[]int32{0, 9}, []float64{1, 2}, "rating 2 of the new row is of column 9; the model has 9"},
			{[]int32{-1}, []float64{1}, "rating 1 of the new row is of column -1"},
			{[]int32{0, 1}, []float64{1}, "2 columns and 1 ratings"},
			{[]int32{0}, []float64{1, 2}, "1 columns and 2 ratings"},
			{nil, []float64{1}, "0 columns and 1 ratings"},
			{[]int32{3, 4}, []float64{1, math.NaN()}, "rating 2 of the new row, of column 4, is NaN"},
			{[]int32{3}, []float64{math.Inf(-1)}, "rating 1 of the new row, of column 3, is -Inf"},
			{[]int32{3, 4}, []float64{math.MaxFloat64, math.MaxFloat64}, "no finite factor"},
		} {
			if got, err := m.FoldIn(c.cols, c.values, 3); err == nil || got != nil || !strings.HasPrefix(err.Error(), "model: ") ||
				!strings.Contains(err.Error(), c.want) {
				t.Errorf("rank %d, %s: %v, %v", rank, fmt.Sprint(c.cols, c.values), got, err)
			}
		}
		if got, err := m.FoldIn([]int32{0, 8}, []float64{1, 2}, 3); err != nil || len(got) != 3 {
			t.Errorf("rank %d: %v, %v", rank, got, err)
		}
	}
}

// Without a centre the factor of a new row minimises ½ Σ (x_j - u·v̂_j)² + λ/2 ‖u - ū‖²: with v̂ = V S^½ the gradient
// Σ (u·v̂_j - x_j) v̂_j + λ(u - ū) is 0, and without ratings u = ū.
func TestFoldInTowardsTheMeanRow(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 2))
	x := make([]float64, 12*8)
	for k := range x {
		x[k] = 3 + r.NormFloat64()
	}
	m := thresholdedModel(x, 12, 8, 1.5)
	cols, values := []int32{1, 4, 6}, []float64{5, 5, 4}
	u, base, err := m.fold(m.meanRow(), nil, NewUser{Cols: cols, Values: values})
	if err != nil || base != 0 || m.Rank < 2 {
		t.Fatalf("base %v, rank %d, %v", base, m.Rank, err)
	}
	mean := make([]float64, m.Rank) // of U S^½
	for i := range m.Rows {
		for c, s := range m.S {
			mean[c] += m.U[i*m.Rank+c] * math.Sqrt(s) / float64(m.Rows)
		}
	}
	for c, s := range m.S {
		g := m.Info.Lambda * (u[c]/math.Sqrt(s) - mean[c])
		for k, j := range cols {
			g += (m.itemScore(u, nil, int(j)) - values[k]) * m.V[int(j)*m.Rank+c] * math.Sqrt(s)
		}
		if math.Abs(g) > 1e-10 {
			t.Errorf("derivative %d of the fold-in is %g", c, g)
		}
	}
	if u, _, _ = m.fold(m.meanRow(), nil, NewUser{}); math.Abs(u[0]-mean[0]*math.Sqrt(m.S[0])) > 1e-12 {
		t.Errorf("without ratings %v, not the mean row %v", u, mean)
	}
}
