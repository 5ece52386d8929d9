package main

import (
	"context"
	"fmt"
	"io"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/task"
)

// predictRatings predicts the ratings of pairs.
func (f *predictFlags) predictRatings(ctx context.Context, m *model.Model, out, log io.Writer) error {
	r, err := readRatings(ctx, dataset.RatingsReader{Columns: f.columns, ValuesOptional: true}, f.data)
	if err != nil {
		return err
	}
	p := task.PredictRatings(m, r)
	if err := toOutput(f.output, out, p.WriteCSV); err != nil {
		return err
	}
	e := &p.Errors
	switch {
	case f.json:
		w := worth{Problem: m.Problem, Predictions: len(p.Values), Unknown: p.Unknown}
		if !r.NoValues {
			w.Measured = &task.ValueScores{RMSE: e.RMSE(), MAE: e.MAE(), N: e.N()}
		}
		return printJSON(out, w)
	case f.quiet:
		return nil
	case p.Unknown > 0:
		fmt.Fprintf(log, "%d of %d predictions are for unknown users or items: the centre\n", p.Unknown, len(p.Values))
	}
	if !r.NoValues {
		fmt.Fprintf(log, "RMSE %s, MAE %s on %d ratings\n", decimals(e.RMSE()), decimals(e.MAE()), e.N())
	}
	return nil
}

// number is a prediction in text.
func number(x float64) string { return metric.Number(x) }

// decimals is a score with four decimals.
func decimals(x float64) string { return metric.Decimals(x) }

// fixed is a score with so many decimals.
func fixed(x float64, places int) string { return metric.Fixed(x, places) }
