package main

import (
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/spf13/cobra"
)

// A kind is one PROBLEM of the command line.
type kind struct {
	name    string
	about   string
	data    string // of examples
	flags   func(*cobra.Command) loader
	example map[string]string // by verb: what else there is to try
}

// kinds in the order of the help.
func kinds() []kind {
	linear := func(problem string) func(*cobra.Command) loader {
		return func(c *cobra.Command) loader { return newLinearFlags(c, problem) }
	}
	return []kind{{
		name:    "completion",
		about:   "fill in a matrix of ratings: sampled entries, squared loss, trace norm",
		data:    "--train ratings.csv",
		flags:   func(c *cobra.Command) loader { return newCompletionFlags(c) },
		example: map[string]string{"fit": "--weights smoothed:0.1 --center global", "check": "--weights smoothed:0.1"},
	}, {
		name:    "classification",
		about:   "classes of rows of features: multinomial logistic loss, trace norm",
		data:    "--train digits.libsvm",
		flags:   linear("classification"),
		example: map[string]string{"fit": "--intercept --split 0.75"},
	}, {
		name:    "multitask",
		about:   "related tasks on the same features: squared or logistic loss, trace norm",
		data:    "--train school.csv --task school --target score",
		flags:   linear("multitask"),
		example: map[string]string{"fit": "--split 0.75"},
	}, {
		name:    "regression",
		about:   "numbers from rows of features: squared loss, ℓ1 or group norm",
		data:    "--features X.csv --targets y.csv",
		flags:   linear("regression"),
		example: map[string]string{"fit": "--intercept --gauge group"},
	}}
}

// A loader is the flags of a PROBLEM, which know how to read its data.
type loader interface {
	run() *runFlags
	check() error
	// foldsBy is what --by of cv holds out: the usual word, those that are allowed, and what they mean.
	foldsBy() (usual, allowed, meaning string)
	load() (study, error)
}

// A study is a PROBLEM on the user's data: what fit, path, cv and check need of it.
type study interface {
	run() *runFlags
	greet(*progress)
	noun() string     // what observations are called: ratings, rows
	choosing() string // how λ is chosen, for the log
	// whole is the problem on all training data, measured on the test data.
	whole() (*trial, error)
	// validation is the problem on what λ is chosen with, and fold on all but part k of the training data.
	validation() (*trial, error)
	fold(k int) (*trial, error)
	// release drops what only the choice of λ needs.
	release()
	// identity names all that must be the same for a checkpoint to be continued.
	identity(lambda float64) string
	// start is where a model is on whole; its W is nil where nothing of it is left.
	start(t *trial, m *model.Model) (place, error)
	// answer makes the model, and completes the result with what it is worth.
	answer(t *trial, r *solver.Result, res *result) *model.Model
}

// A trial is a problem on part of the data, its penalty open, and what its solutions are worth on other data.
type trial struct {
	problem *gcg.Problem
	measure func(*gcg.State) measured // nil where nothing is held out
	// share is what a λ of the whole must be multiplied by: a sum over fewer observations is smaller.
	share float64
	// mean is the first score of what the mean of the ratings alone predicts, where it was not taken off; 0 otherwise.
	mean float64
	// top is the smallest λ that gives W = 0, known where that is the solution.
	top float64
}

// A place is an iterate with its intercept.
type place struct {
	w         *gcg.Iterate
	intercept []float64
}

// measured is what predictions are worth on held-out data.
type measured interface {
	scores() scores
	brief() string // for progress lines
}

// scores are errors that may be averaged over folds; what does not apply is nil. The first one chooses λ.
type scores struct {
	RMSE      *float64 `json:"rmse,omitempty"`
	LogLoss   *float64 `json:"log_loss,omitempty"`
	ErrorRate *float64 `json:"error_rate,omitempty"`
}

// list is the scores that apply with their names.
func (s scores) list() (names []string, values []float64) {
	for _, x := range []struct {
		name string
		at   *float64
	}{{"RMSE", s.RMSE}, {"log loss", s.LogLoss}, {"error rate", s.ErrorRate}} {
		if x.at != nil {
			names, values = append(names, x.name), append(values, *x.at)
		}
	}
	return names, values
}

// first is the score that chooses.
func (s scores) first() float64 {
	_, values := s.list()
	return values[0]
}

// replaced is the same scores with other values, in the order of list.
func (s scores) replaced(values []float64) scores {
	for _, at := range []**float64{&s.RMSE, &s.LogLoss, &s.ErrorRate} {
		if *at != nil {
			x := values[0]
			*at, values = &x, values[1:]
		}
	}
	return s
}

// A verb is the same for every PROBLEM.
type verb struct {
	name, short string
	path, cv    bool     // which flags it has beyond those of a run
	unused      []string // and which of those it refuses
	do          func(cmd *cobra.Command, st study, log io.Writer) error
}

// command is the verb with a subcommand for each PROBLEM.
func (v verb) command() *cobra.Command {
	top := &cobra.Command{Use: v.name + " PROBLEM [flags]", Short: v.short, Annotations: map[string]string{"children": "problems"},
		Args: problemArg, RunE: func(*cobra.Command, []string) error { return nil }}
	top.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%s takes a problem first: %s (%v)", cmd.CommandPath(), problemNames(), err)
	})
	examples := ""
	for _, k := range kinds() {
		sub := v.of(k)
		examples += sub.Example + "\n"
		top.AddCommand(sub)
	}
	top.Example = examples[:len(examples)-1]
	return top
}

// hideRefused leaves out of the help what the verb refuses.
func (v verb) hideRefused(cmd *cobra.Command) {
	names := v.unused
	if v.path {
		names = append(slices.Clone(ofOneFit), "lambda", "constrain")
	}
	if v.cv {
		names = append(names, ofTests...)
	}
	for _, name := range names {
		if f := cmd.Flags().Lookup(name); f != nil {
			f.Hidden = true
		}
	}
}

func (v verb) of(k kind) *cobra.Command {
	line := "  gcg " + v.name + " " + k.name + " "
	cmd := &cobra.Command{Use: k.name + " [flags]", Short: k.about, Long: v.short + ".\n" + k.name + ": " + k.about,
		Example: line + k.data, Args: noArgs}
	if v.name == "fit" {
		cmd.Example += " --model my.gcg"
	}
	if more := k.example[v.name]; more != "" {
		cmd.Example += "\n" + line + k.data + " " + more
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usageError{flagError(cmd, err)} })
	f := k.flags(cmd)
	by, allowed, meaning := f.foldsBy()
	if v.path {
		f.run().registerPath()
	}
	if v.cv {
		f.run().registerCV(by, meaning)
	}
	v.hideRefused(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if v.path {
			if err := f.run().checkPath(v.cv, allowed); err != nil {
				return err
			}
		}
		if name := f.run().changed(v.unused); name != "" {
			return usagef("--%s: %s solves nothing that it could be for", name, cmd.CommandPath())
		}
		if err := f.check(); err != nil {
			return err
		}
		r := f.run()
		if r.threads > 0 {
			runtime.GOMAXPROCS(r.threads)
		}
		if err := checkFiles(append(filesOf(cmd.Flags(), dataFlags), r.gaugeFile()), r.model, r.trace, r.checkpoint, r.plot); err != nil {
			return err
		}
		st, err := unlessInterrupted(cmd.Context(), f.load)
		if err != nil {
			return err
		}
		r.began = time.Now()
		return v.do(cmd, st, cmd.ErrOrStderr())
	}
	return cmd
}
