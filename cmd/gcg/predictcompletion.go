package main

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/task"
)

// predictRatings predicts the ratings of pairs.
func (f *predictFlags) predictRatings(ctx context.Context, m *model.Model, out, log io.Writer) error {
	m.Name()
	r, err := readRatings(ctx, dataset.RatingsReader{Columns: f.columns, ValuesOptional: true}, f.data)
	if err != nil {
		return err
	}
	var stats predictStats
	if err := toOutput(f.output, out, func(w io.Writer) error { return stats.predict(w, m, r) }); err != nil {
		return err
	}
	switch {
	case f.json:
		return printJSON(out, stats.worth(m, r))
	case !f.quiet:
		stats.print(log, r)
	}
	return nil
}

type predictStats struct {
	errors  metric.Errors
	unknown int
}

// predict writes user, item and prediction as CSV, in the order of the file.
func (st *predictStats) predict(out io.Writer, m *model.Model, r *dataset.Ratings) error {
	at := m.Align(r)
	st.unknown = at.Unknown()
	w := newCSV(out)
	w.line("user", "item", "prediction")
	for e, x := range r.Values {
		y := m.Predict(int(at.Rows[e]), int(at.Cols[e]))
		if !math.IsNaN(x) { // a pair without a rating
			st.errors.Add(y, x)
		}
		w.line(r.RowIDs.Text(int(r.Rows[e])), r.ColIDs.Text(int(r.Cols[e])), number(y))
	}
	return w.flush()
}

func (st *predictStats) worth(m *model.Model, r *dataset.Ratings) worth {
	w := worth{Problem: m.Problem, Predictions: len(r.Values), Unknown: st.unknown}
	if !r.NoValues {
		w.Measured = &task.ValueScores{RMSE: st.errors.RMSE(), MAE: st.errors.MAE(), N: st.errors.N()}
	}
	return w
}

func (st *predictStats) print(log io.Writer, r *dataset.Ratings) {
	if st.unknown > 0 {
		fmt.Fprintf(log, "%d of %d predictions are for unknown users or items: the centre\n", st.unknown, len(r.Values))
	}
	if !r.NoValues {
		fmt.Fprintf(log, "RMSE %s, MAE %s on %d ratings\n", decimals(st.errors.RMSE()), decimals(st.errors.MAE()), st.errors.N())
	}
}

// number is a prediction in text.
func number(x float64) string { return metric.Number(x) }

// decimals is a score with four decimals.
func decimals(x float64) string { return metric.Decimals(x) }

// fixed is a score with so many decimals.
func fixed(x float64, places int) string { return metric.Fixed(x, places) }
