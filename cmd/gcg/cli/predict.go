package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/seed-b18ef778/gcg/model"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// PredictFlags are the flags of predict that every model shares.
type PredictFlags struct {
	Model, Data, Output string
	JSON, Quiet         bool
}

// A Predictor is what predict does with models of a PROBLEM.
type Predictor interface {
	// Fields are where the values of flags of its own are kept.
	Fields() Fields
	// Check refuses what the flags say, before anything is read, and names the files that are to be read besides --data.
	Check(f *PredictFlags) (reads []string, err error)
	// OverRanks says that several ranks predict together.
	OverRanks() bool
	// Predict writes predictions to f.Output, or to out where that is empty, and says on log what they are worth.
	Predict(ctx context.Context, f *PredictFlags, m *model.Model, out, log io.Writer) error
}

// PredictCommand is the verb predict for the models of all kinds. A Predictor may serve several of them.
func PredictCommand(kinds []Kind, examples string) *cobra.Command {
	f := &PredictFlags{}
	by := predictors{}
	cmd := &cobra.Command{Use: "predict --model FILE --data FILE", Short: "Predict ratings, classes or numbers with a saved model",
		Example: examples, Args: NoArgs}
	all := Fields{"model": &f.Model, "data": &f.Data, "output": &f.Output, "json": &f.JSON, "quiet": &f.Quiet}
	for _, k := range kinds {
		if k.Predictor != nil {
			by[k.Name] = k.Predictor
			all.join(k.Predictor.Fields())
		}
	}
	Bind(cmd, cmd.Name(), "", all)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return by.run(cmd, f)
	}
	return cmd
}

// predictors are the Predictor of each PROBLEM, one for several perhaps.
type predictors map[string]Predictor

// reads says that models of a PROBLEM have a use for a flag; every model has, where none has a flag of that name.
func (p predictors) reads(problem, flag string) bool {
	_, own := p[problem].Fields()[flag]
	for _, other := range p {
		if _, its := other.Fields()[flag]; its {
			return own
		}
	}
	return true
}

// run predicts with the model that the flags name.
func (p predictors) run(cmd *cobra.Command, f *PredictFlags) error {
	if f.Model == "" {
		return Usagef("gcg predict needs --model and --data")
	}
	if f.JSON && (f.Output == "" || f.Output == "-") {
		return Usagef("--json: the predictions need a file of their own, --output FILE")
	}
	if f.JSON {
		if err := CheckResult(f.Output); err != nil {
			return err
		}
	}
	reads, checked := []string{f.Model, f.Data}, map[Predictor]bool{}
	for _, problem := range slices.Sorted(maps.Keys(p)) {
		by := p[problem]
		if checked[by] {
			continue
		}
		checked[by] = true
		own, err := by.Check(f)
		if err != nil {
			return err
		}
		reads = append(reads, own...)
	}
	if err := CheckOutput(reads, f.Output); err != nil {
		return err
	}
	m, err := UnlessInterrupted(cmd.Context(), func() (*model.Model, error) { return model.Load(f.Model) })
	if err != nil {
		return err
	}
	by, known := p[m.Problem]
	if !known {
		return fmt.Errorf("%s: is a model of %s, which predicts nothing", f.Model, m.Problem)
	}
	if err := p.suits(cmd, f, m.Problem); err != nil {
		return err
	}
	switch c := CommOf(cmd.Context()); {
	case c.Size() > 1 && !by.OverRanks():
		return Usagef("%s: is a model of %s, whose predictions are for one process, and %d ranks were started", f.Model, m.Problem,
			c.Size())
	case c.Size() > 1 && f.Data == "":
		return Usagef("gcg predict: %d ranks were started; they predict the rows of --data together", c.Size())
	case c.Rank() > 0:
		f.Output = "" // the first writes it
	}
	return by.Predict(cmd.Context(), f, m, cmd.OutOrStdout(), cmd.ErrOrStderr())
}

// suits refuses flags of models of another PROBLEM.
func (p predictors) suits(cmd *cobra.Command, f *PredictFlags, problem string) (err error) {
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if !p.reads(problem, flag.Name) {
			err = NoFlagOf(flag.Name, f.Model, problem)
		}
	})
	return err
}

// NoFlagOf says that models of a PROBLEM have no use for a flag.
func NoFlagOf(flag, file, problem string) error {
	return Usagef("--%s: %s is a model of %s, which has none", flag, file, problem)
}

// NeedData refuses to do without --data.
func (f *PredictFlags) NeedData() error {
	if f.Data == "" {
		return Usagef("gcg predict needs --model and --data")
	}
	return nil
}

// A Worth is what is known of predictions, for scripts.
type Worth struct {
	Problem     string `json:"problem"`
	Predictions int    `json:"predictions"`
	Unknown     int    `json:"unknown"`          // of unknown users, items or tasks, or with a label that the model does not know
	Filled      int    `json:"filled,omitempty"` // features that were missing, and filled by the model
	Measured    any    `json:"measured,omitempty"`
}
