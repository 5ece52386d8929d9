package model

import "github.com/seed-b18ef778/gcg/dataset"

// Weights are what is not 0 of W, by feature: rows of feature, output and weight, the intercepts first.
func (m *Model) Weights() dataset.Records {
	fields := []dataset.Field{{Name: "feature"}, {Name: "output"}, {Name: "weight", Kind: dataset.NumberField}}
	return dataset.Records{Fields: fields, Rows: func(yield func([]dataset.Cell, error) bool) {
		l, cells := m.Linear(), make([]dataset.Cell, 3)
		features, outputs, row := named(m.RowIDs, m.Rows), named(m.ColIDs, m.Cols), make([]float64, m.Cols)
		write := func(feature string, row []float64) bool {
			for j, x := range row {
				cells[0].Text, cells[1].Text, cells[2].Number = feature, outputs[j], x
				if x != 0 && !yield(cells, nil) {
					return false
				}
			}
			return true
		}
		if !write("(intercept)", m.ColOffset) {
			return
		}
		for i, name := range features {
			if l.WeightsTo(row, i); !write(name, row) {
				return
			}
		}
	}}
}
