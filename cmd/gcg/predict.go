package main

import (
	"context"
	"fmt"
	"io"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/spf13/cobra"
)

type predictFlags struct {
	model, data, output, columns  string
	labels, targets, task, target string
	json, quiet                   bool
}

func predictCommand() *cobra.Command {
	f := &predictFlags{}
	cmd := &cobra.Command{
		Use:   "predict --model FILE --data FILE",
		Short: "Predict ratings, classes or numbers with a saved model",
		Example: `  gcg predict --model my.gcg --data pairs.csv > predictions.csv
  gcg predict --model my.gcg --data test.csv --output predictions.csv --json
  gcg predict --model digits.gcg --data test.libsvm         labels with probabilities; accuracy if the labels are known
  gcg predict --model digits.gcg --data X.csv --labels y.csv`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	s := cmd.Flags()
	s.SortFlags = false
	s.StringVar(&f.model, "model", "", "a fitted model")
	s.StringVar(&f.data, "data", "", "users and items, or rows of features, as in training; - is standard input")
	s.StringVar(&f.output, "output", "", "file of CSV to write (default: standard output)")
	s.StringVar(&f.columns, "columns", "", "of ratings: user, item and rating columns, names or numbers from 1")
	s.StringVar(&f.labels, "labels", "", "of classes: the true labels, to measure against")
	s.StringVar(&f.targets, "targets", "", "of regression: the true targets, to measure against")
	s.StringVar(&f.task, "task", "",
		"of tasks: the column of the task (default: as in training), or the task of a file without one (default: its name)")
	s.StringVar(&f.target, "target", "", "the column of the true target or label (default: as in training)")
	s.BoolVar(&f.json, "json", false, "print what the predictions are worth as JSON; they go to --output")
	s.BoolVar(&f.quiet, "quiet", false, "print predictions only")
	return cmd
}

func (f *predictFlags) run(ctx context.Context, out, log io.Writer) error {
	if f.model == "" || f.data == "" {
		return usagef("gcg predict needs --model and --data")
	}
	if f.json && (f.output == "" || f.output == "-") {
		return usagef("--json: the predictions need a file of their own, --output FILE")
	}
	if err := checkColumns(f.columns, false); err != nil {
		return err
	}
	if err := checkOutput([]string{f.model, f.data, f.labels, f.targets}, f.output); err != nil {
		return err
	}
	m, err := unlessInterrupted(ctx, func() (*model.Model, error) { return model.Load(f.model) })
	if err != nil {
		return err
	}
	if err := f.suits(m); err != nil {
		return err
	}
	if m.Problem == "completion" {
		return f.predictRatings(ctx, m, out, log)
	}
	return f.predictRows(ctx, m, out, log)
}

// A worth is what is known of predictions, for scripts.
type worth struct {
	Problem     string `json:"problem"`
	Predictions int    `json:"predictions"`
	Unknown     int    `json:"unknown"` // of unknown users, items or tasks, or with a label that the model does not know
	Measured    any    `json:"measured,omitempty"`
}

// suits refuses flags that mean nothing for the model.
func (f *predictFlags) suits(m *model.Model) error {
	for _, c := range []struct{ name, value, problems string }{{"columns", f.columns, "completion"},
		{"labels", f.labels, "classification"},
		{"targets", f.targets, "regression"}, {"task", f.task, "multitask"}, {"target", f.target,
			"multitask regression classification"}} {
		if c.value != "" && !contains(c.problems, m.Problem) {
			return usagef("--%s: %s is a model of %s, which has none", c.name, f.model, m.Problem)
		}
	}
	return nil
}

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

// loadModel reads a model; rows and columns that a library saved without ids are called 1, 2, 3, …
func loadModel(name string) (*model.Model, error) {
	m, err := model.Load(name)
	if err == nil {
		m.Name()
	}
	return m, err
}
