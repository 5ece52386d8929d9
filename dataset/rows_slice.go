package dataset

import (
	"fmt"
	"math"
)

// NewRows are rows of features, one slice each, whose answers are to be set: Labels, or SetTargets and SetTasks. An error is
// for rows of different lengths, and for numbers that are not finite.
func NewRows(x [][]float64) (*Rows, error) {
	m := &Matrix{Rows: len(x)}
	if len(x) > 0 {
		m.Cols = len(x[0])
	}
	m.Dense = make([]float64, 0, m.Rows*m.Cols)
	for i, row := range x {
		if len(row) != m.Cols {
			return nil, fmt.Errorf("dataset: row %d has %d features, and row 1 has %d", i+1, len(row), m.Cols)
		}
		for j, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("dataset: row %d, feature %d is %v; features are finite numbers", i+1, j+1, v)
			}
		}
		m.Dense = append(m.Dense, row...)
	}
	return &Rows{Name: "the rows", XName: "the rows", X: m}, nil
}

// SetTargets makes targets the answers, y[i·k + t] of row i for target t of k. It copies them.
func (r *Rows) SetTargets(y []float64) error {
	if len(y) == 0 || len(y)%max(1, r.X.Rows) != 0 {
		return fmt.Errorf("dataset: %d targets are not the same number for each of %d rows", len(y), r.X.Rows)
	}
	for e, v := range y {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("dataset: target %d is %v; targets are finite numbers", e+1, v)
		}
	}
	r.Targets = &Matrix{Rows: r.X.Rows, Cols: len(y) / r.X.Rows, Dense: append([]float64(nil), y...)}
	return nil
}

// SetTasks names the task of each row.
func (r *Rows) SetTasks(tasks []string) error {
	if len(tasks) != r.X.Rows {
		return fmt.Errorf("dataset: %d tasks are not one for each of %d rows", len(tasks), r.X.Rows)
	}
	ids := &IDs{}
	r.Task = make([]int32, len(tasks))
	for i, name := range tasks {
		r.Task[i] = ids.Add([]byte(name))
	}
	r.Tasks = ids.Texts()
	return nil
}
