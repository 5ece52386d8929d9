package main

import (
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
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
	load() (job, error)
}

// A job is a PROBLEM on the user's data: what fit, path, cv and check need of it.
type job interface {
	selection.Source
	run() *runFlags
	greet(*progress)
	noun() string     // what observations are called: ratings, rows
	choosing() string // how λ is chosen, for the log
	// release drops what only the choice of λ needs.
	release()
	// identity names all that must be the same for a checkpoint to be continued.
	identity(lambda float64) string
	// start is where a model is on the whole; its W is nil where nothing of it is left.
	start(t *selection.Fitting, m *model.Model) (selection.Start, error)
	// answer makes the model, and completes the result with what it is worth.
	answer(t *selection.Fitting, r *solver.Result, res *result) *model.Model
}

// A verb is the same for every PROBLEM.
type verb struct {
	name, short string
	path, cv    bool     // which flags it has beyond those of a run
	unused      []string // and which of those it refuses
	do          func(cmd *cobra.Command, st job, log io.Writer) error
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
		if err := v.check(cmd, f, allowed); err != nil {
			return err
		}
		st, err := unlessInterrupted(cmd.Context(), f.load)
		if err != nil {
			return err
		}
		f.run().began = time.Now()
		return v.do(cmd, st, cmd.ErrOrStderr())
	}
	return cmd
}

// check refuses what the flags say before anything is read; folds may be by what is allowed.
func (v verb) check(cmd *cobra.Command, f loader, allowed string) error {
	r := f.run()
	if v.path {
		if err := r.checkPath(v.cv, allowed); err != nil {
			return err
		}
	}
	if name := r.changed(v.unused); name != "" {
		return usagef("--%s: %s solves nothing that it could be for", name, cmd.CommandPath())
	}
	if err := f.check(); err != nil {
		return err
	}
	if r.threads > 0 {
		runtime.GOMAXPROCS(r.threads)
	}
	return checkFiles(append(filesOf(cmd.Flags(), dataFlags), r.gaugeFile()), r.model, r.trace, r.checkpoint, r.plot)
}
