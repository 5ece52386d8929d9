package spca

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/output"
	"github.com/seed-b18ef778/gcg/internal/text"
	"github.com/seed-b18ef778/gcg/model"
)

// projections predicts the scores of new rows: their projections on the loadings.
type projections struct{ table cli.TableFlags }

func (p *projections) Fields() cli.Fields { return p.table.Fields() }

func (*projections) OverRanks() bool { return false }

func (*projections) Check(*cli.PredictFlags) ([]string, error) { return nil, nil }

func (p *projections) Predict(ctx context.Context, f *cli.PredictFlags, m *model.Model, out, log io.Writer) error {
	if err := f.NeedData(); err != nil {
		return err
	}
	x, err := cli.UnlessInterrupted(ctx, func() (*dataset.Matrix, error) { return p.table.Reader().Read(f.Data, nil) })
	if err != nil {
		return err
	}
	m.Name()
	column, err := columns(f, x, m)
	if err != nil {
		return err
	}
	if err := cli.WriteRecords(f.Output, out, output.Records(scores(x, m, column))); err != nil {
		return err
	}
	if f.JSON {
		return cli.PrintJSON(out, cli.Worth{Problem: m.Problem, Predictions: x.Rows})
	}
	if m.Info.Observations == 0 && !f.Quiet {
		fmt.Fprintln(log, "the model is of a covariance, which has no means: rows are projected as they are")
	}
	return nil
}

// columns are the variables of the model that the columns of the data are, by name where both have names: -1 for others.
func columns(f *cli.PredictFlags, x *dataset.Matrix, m *model.Model) ([]int, error) {
	column := make([]int, x.Cols)
	if len(x.Names) == 0 || !slices.ContainsFunc(x.Names, func(name string) bool { return slices.Contains(m.RowIDs, name) }) {
		if x.Cols != m.Rows {
			return nil, fmt.Errorf("%s: has %s, and %s is of %s: give the same columns, or a header that names them",
				f.Data, text.Counted(x.Cols, "column"), f.Model, text.Counted(m.Rows, "variable"))
		}
		for j := range column {
			column[j] = j
		}
		return column, nil
	}
	at := make(map[string]int, m.Rows)
	for i, name := range m.RowIDs {
		at[name] = i
	}
	found := map[int]bool{}
	for j, name := range x.Names {
		column[j] = -1
		if i, ok := at[name]; ok {
			column[j], found[i] = i, true
		}
	}
	for _, i := range m.Entries.Rows {
		if !found[int(i)] {
			return nil, fmt.Errorf("%s: has no column %s, which has a loading in %s", f.Data, m.RowIDs[i], f.Model)
		}
	}
	return column, nil
}

// scores are the projections of each row, under the names of the components.
func scores(x *dataset.Matrix, m *model.Model, column []int) *dataset.Matrix {
	l := m.Linear()
	to := &dataset.Matrix{Rows: x.Rows, Cols: m.Cols, Names: m.ColIDs, RowNames: x.RowNames, Dense: make([]float64, x.Rows*m.Cols)}
	for i := range x.Rows {
		index, values := []int32{}, []float64(nil) // nil would be all features
		add := func(j int, v float64) {
			if at := column[j]; at >= 0 && v != 0 {
				index, values = append(index, int32(at)), append(values, v)
			}
		}
		if x.Dense != nil {
			for j, v := range x.Dense[i*x.Cols : (i+1)*x.Cols] {
				add(j, v)
			}
		} else {
			for e := x.Ptr[i]; e < x.Ptr[i+1]; e++ {
				add(int(x.Index[e]), x.Values[e])
			}
		}
		l.ScoresTo(to.Dense[i*m.Cols:(i+1)*m.Cols], index, values)
	}
	return to
}
