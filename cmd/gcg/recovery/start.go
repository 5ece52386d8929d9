package recovery

import (
	"fmt"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
)

// startOf is the iterate of a model of the same rows and columns.
func startOf(file string, m *model.Model, rows, cols []string) (selection.Start, error) {
	if !slices.Equal(m.RowIDs, rows) || !slices.Equal(m.ColIDs, cols) {
		return selection.Start{}, fmt.Errorf("%s: is a model of other rows or columns; --warm takes one of the same", file)
	}
	return StartOf(m), nil
}

// StartOf is the iterate of a model, for the same rows and columns.
func StartOf(m *model.Model) selection.Start {
	w := &gcg.Iterate{M: m.Rows, N: m.Cols}
	switch {
	case m.Rank > 0:
		w.U, w.V = model.Unpacked(m.U, m.Rows, m.Rank), model.Unpacked(m.V, m.Cols, m.Rank)
		w.U.ScaleColumns(append(slices.Clone(m.S), make([]float64, w.U.Stride-m.Rank)...))
	case m.Entries != nil:
		w.Terms = []gcg.Term{{Atom: gcg.Atom{Rows: m.Entries.Rows, Cols: m.Entries.Cols, Vals: m.Entries.Values}, Weight: 1}}
	default:
		return selection.Start{}
	}
	return selection.Start{W: w}
}
