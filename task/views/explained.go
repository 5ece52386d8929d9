package views

import (
	"math"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/task"
)

// Dictionary is the part of D that is a view's, features × rank, in units of the scaled data.
func (e *Encoder) Dictionary(view int) *dataset.Matrix {
	k, n := e.model.Rank, e.Views()[view].Features
	return &dataset.Matrix{Rows: n, Cols: k, Dense: e.d[e.first[view]*k : (e.first[view]+n)*k], RowNames: e.names(view)}
}

// Explained is the part of a view x of samples with these codes that each column of D explains beyond those before it,
//
//	(‖X - D_{c-1} H_{c-1}‖² - ‖X - D_c H_c‖²)/‖X‖²
//
// for X of the entries that are not missing, less their centre and over their scale, with D_c the first c columns. It is nil of a
// logistic view, whose codes are of log-odds.
func (e *Encoder) Explained(view int, x, codes *dataset.Matrix) []float64 {
	if e.losses[view].Kind == task.Logistic {
		return nil
	}
	m, k := e.model, e.model.Rank
	left := make([]float64, k+1) // ‖X - D_c H_c‖²
	for i := range x.Rows {
		h := codes.Dense[i*k : (i+1)*k]
		for j := range x.Cols {
			row := e.first[view] + j
			rest := x.Dense[i*x.Cols+j]
			if math.IsNaN(rest) {
				continue
			}
			if m.RowOffset != nil {
				rest -= m.RowOffset[row]
			}
			rest /= scaleAt(m.RowScale, row)
			left[0] += rest * rest
			for c, d := range e.d[row*k : (row+1)*k] {
				rest -= d * h[c]
				left[c+1] += rest * rest
			}
		}
	}
	parts := make([]float64, k)
	for c := range parts {
		if left[0] > 0 {
			parts[c] = (left[c] - left[c+1]) / left[0]
		}
	}
	return parts
}
