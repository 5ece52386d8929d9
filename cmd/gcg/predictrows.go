package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/task"
)

// predictRows predicts what belongs to rows of features, and measures where it is known.
func (f *predictFlags) predictRows(ctx context.Context, m *model.Model, out, log io.Writer) error {
	by, err := task.NewPredictor(m)
	if err != nil {
		return fmt.Errorf("%s: %w to this gcg", f.model, err)
	}
	file := task.RowsFile{Data: f.data, Labels: f.labels, Targets: f.targets, Target: f.target, Task: f.task, Prefix: "--"}
	u, err := unlessInterrupted(ctx, func() (*dataset.Rows, error) { return file.Read(m) })
	if errors.Is(err, task.ErrWhichTask) {
		return usageError{err}
	}
	if err != nil {
		return worded(err)
	}
	p, err := by.Predict(u)
	if err != nil {
		return worded(err)
	}
	if err := toOutput(f.output, out, p.WriteCSV); err != nil {
		return err
	}
	unknown, got := p.Measure()
	switch {
	case f.json:
		return printJSON(out, worth{Problem: m.Problem, Predictions: u.X.Rows, Unknown: unknown, Measured: got})
	case !f.quiet:
		printWorth(log, p.Samples, unknown, got)
	}
	return nil
}

// printWorth says what predictions of rows are worth.
func printWorth(log io.Writer, s *task.Samples, unknown int, got selection.Measured) {
	switch {
	case unknown > 0 && s.Task != nil:
		fmt.Fprintf(log, "%d of %d rows are of tasks that the model does not know, and have no prediction\n", unknown, s.Rows())
	case got == nil && unknown > 0:
		fmt.Fprintln(log, "no label is among those of the model: nothing to measure")
	case unknown > 0:
		fmt.Fprintf(log, "%d of %d labels are not among those of the model, and count as wrong\n", unknown, len(s.Class))
	}
	if got == nil {
		return
	}
	res := &result{}
	noteMeasured(res, "measured", got)
	for _, n := range res.notes {
		fmt.Fprintf(log, "%-12s %s\n", n.name, n.text)
	}
}
