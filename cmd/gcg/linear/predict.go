package linear

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/printable"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/task"
)

// A predictor predicts what belongs to rows of features, and measures where it is known.
type predictor struct {
	labels, targets, task, target string
	confusion                     bool
	decimal                       cli.Decimal
}

func (p *predictor) Fields() cli.Fields {
	return cli.Fields{"labels": &p.labels, "targets": &p.targets, "task": &p.task, "target": &p.target,
		"confusion": &p.confusion, "decimal": &p.decimal}
}

// OverRanks is true: each rank predicts some of the rows.
func (*predictor) OverRanks() bool { return true }

func (p *predictor) Check(*cli.PredictFlags) ([]string, error) {
	return []string{p.labels, p.targets}, nil
}

// suits refuses flags that mean nothing for the model.
func (p *predictor) suits(file string, m *model.Model) error {
	for _, c := range []struct{ name, value, problem string }{{"labels", p.labels, "classification"},
		{"targets", p.targets, "regression"}, {"task", p.task, "multitask"}} {
		if c.value != "" && c.problem != m.Problem {
			return cli.NoFlagOf(c.name, file, m.Problem)
		}
	}
	if p.confusion && m.Problem != "classification" {
		return cli.NoFlagOf("confusion", file, m.Problem)
	}
	return nil
}

func (p *predictor) Predict(ctx context.Context, f *cli.PredictFlags, m *model.Model, out, log io.Writer) error {
	if err := p.suits(f.Model, m); err != nil {
		return err
	}
	if err := f.NeedData(); err != nil {
		return err
	}
	by, err := task.NewPredictor(m)
	if err != nil {
		return fmt.Errorf("%s: %w to this gcg", f.Model, err)
	}
	by.Ranks = cli.CommOf(ctx)
	if by.Ranks.Size() > 1 && slices.Contains([]string{f.Data, p.labels, p.targets}, "-") {
		return errStandardInput
	}
	file := task.RowsFile{Data: f.Data, Labels: p.labels, Targets: p.targets, Target: p.target, Task: p.task,
		Decimal: byte(p.decimal), Prefix: "--", Ranks: by.Ranks}
	u, err := cli.UnlessInterrupted(ctx, func() (*dataset.Rows, error) { return file.Read(m) })
	if errors.Is(err, task.ErrWhichTask) {
		return cli.Usage(err)
	}
	if errors.Is(err, dataset.ErrMissing) {
		return fmt.Errorf("%w; a model that was fitted with --missing mean fills features by their means", err)
	}
	if err != nil {
		return Worded(err)
	}
	got, err := by.Predict(u)
	if err != nil {
		return Worded(err)
	}
	if err := cli.WriteRecords(f.Output, out, got.Records()); err != nil {
		return err
	}
	unknown, worth := got.Measure()
	switch {
	case f.JSON:
		return cli.PrintJSON(out, cli.Worth{Problem: m.Problem, Predictions: u.Len(), Unknown: unknown, Filled: got.Samples.Filled,
			Measured: brief(worth, p.confusion)})
	case !f.Quiet:
		if len(u.Lacks) > 0 {
			fmt.Fprintf(log, "%s: has no column %s of the answers: nothing is measured\n", u.XName, printable.Join(u.Lacks, ", "))
		}
		printWorth(log, got.Samples, unknown, worth, p.confusion)
	}
	return nil
}

// printWorth says what predictions of rows are worth.
func printWorth(log io.Writer, s *task.Samples, unknown int, got selection.Measured, confusion bool) {
	if s.Filled > 0 {
		fmt.Fprintln(log, filledBy(s))
	}
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
	res := &cli.Result{}
	NoteMeasured(res, "measured", got, confusion)
	for _, n := range res.Notes {
		fmt.Fprintf(log, "%-12s %s\n", n.Name, n.Text)
	}
}
