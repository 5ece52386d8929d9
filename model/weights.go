package model

import (
	"encoding/csv"
	"io"
	"strconv"
)

// WriteWeights writes what is not 0 of W as CSV, by feature: lines of feature, output and weight under a header, the intercepts
// first.
func (m *Model) WriteWeights(out io.Writer) error {
	w, l := csv.NewWriter(out), m.Linear()
	features, outputs, row := named(m.RowIDs, m.Rows), named(m.ColIDs, m.Cols), make([]float64, m.Cols)
	write := func(feature string, row []float64) {
		for j, x := range row {
			if x != 0 {
				w.Write([]string{feature, outputs[j], strconv.FormatFloat(x, 'g', -1, 64)})
			}
		}
	}
	w.Write([]string{"feature", "output", "weight"})
	write("(intercept)", m.ColOffset)
	for i, name := range features {
		l.WeightsTo(row, i)
		write(name, row)
	}
	w.Flush()
	return w.Error()
}
