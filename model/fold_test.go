package model

import (
	"math"

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
