package cli

import (
	"cmp"
	"io"
	"runtime"
	"strings"

	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/spf13/cobra"
)

// problemArg sees the words that are no PROBLEM.
func problemArg(names string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return Usagef("%s takes a problem: %s", cmd.CommandPath(), names)
		}
		return Usagef("unknown problem %q; there are %s", args[0], names)
	}
}

// problemNames lists the problems in words.
func problemNames(kinds []Kind) string {
	names := kinds[0].Name
	for _, k := range kinds[1 : len(kinds)-1] {
		names += ", " + k.Name
	}
	return names + " and " + kinds[len(kinds)-1].Name
}

// A Kind is one PROBLEM of the command line.
type Kind struct {
	Name  string
	About string
	Data  string // of examples
	Flags func(*cobra.Command) Loader
	// Own makes the command of a verb, where the problem's runs are not those of Job: λ is not the weight of the gauge, for one.
	// Nil is the command that Flags make.
	Own     func(verb, short string) *cobra.Command
	Example map[string]string // by verb: what else there is to try
	// Predictor is nil where models predict nothing.
	Predictor Predictor
	// Show prints what show says of a model beyond its objective; nil is W, by its singular values or its entries.
	Show func(out io.Writer, m *model.Model) error
}

// A Loader is the flags of a PROBLEM, which know how to read its data.
type Loader interface {
	Shared() *RunFlags
	Check() error
	// Fields are where the values of flags are kept.
	Fields() Fields
	Load() (Job, error)
}

// A Job is a PROBLEM on the user's data: what fit, path, cv and check need of it.
type Job interface {
	selection.Source
	Shared() *RunFlags
	Greet(*Progress)
	Noun() string     // what observations are called: ratings, rows
	Choosing() string // how λ is chosen, for the log
	// Release drops what only the choice of λ needs.
	Release()
	// Identity names all that must be the same for a checkpoint to be continued.
	Identity(lambda float64) string
	// Start is where a model is on the whole; its W is nil where nothing of it is left.
	Start(t *selection.Fitting, m *model.Model) (selection.Start, error)
	// Answer makes the model, and completes the result with what it is worth.
	Answer(t *selection.Fitting, r *solver.Result, res *Result) *model.Model
}

// A verb is the same for every PROBLEM.
type verb struct {
	name, short string
	path, cv    bool // which flags it has beyond those of a run
	chooses     bool // λ, on a grid, where it is not given
	do          func(cmd *cobra.Command, st Job, log io.Writer) error
}

// Command is the verb with a subcommand for each PROBLEM, or for the only one where that is named.
func (v verb) Command(kinds []Kind, only string) *cobra.Command {
	return overProblems(v.name, v.short, kinds, only, v.sub)
}

// overProblems is a verb that sub makes the subcommands of, or the only one that is named.
func overProblems(name, short string, kinds []Kind, only string, sub func(Kind) *cobra.Command) *cobra.Command {
	names := problemNames(kinds)
	top := &cobra.Command{Use: name + " PROBLEM [flags]", Short: short, Annotations: map[string]string{"children": "problems"},
		Args: problemArg(names), RunE: func(*cobra.Command, []string) error { return nil }}
	top.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return Usagef("%s takes a problem first: %s (%v)", cmd.CommandPath(), names, err)
	})
	var examples []string
	for _, k := range kinds {
		if only != "" && k.Name != only {
			continue
		}
		cmd := sub(k)
		examples = append(examples, cmd.Example)
		top.AddCommand(cmd)
	}
	top.Example = strings.Join(examples, "\n")
	return top
}

// sub is the verb for one PROBLEM.
func (v verb) sub(k Kind) *cobra.Command {
	if k.Own == nil {
		return v.of(k)
	}
	cmd := k.Own(v.name, v.short)
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return Usage(FlagError(cmd, err)) })
	return cmd
}

func (v verb) of(k Kind) *cobra.Command {
	line := "  gcg " + v.name + " " + k.Name + " "
	cmd := &cobra.Command{Use: k.Name + " [flags]", Short: k.About, Long: v.short + ".\n" + k.Name + ": " + k.About,
		Example: line + k.Data, Args: NoArgs}
	if v.name == "fit" {
		cmd.Example += " --model my.gcg"
	}
	if more := k.Example[v.name]; more != "" {
		cmd.Example += "\n" + line + k.Data + " " + more
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return Usage(FlagError(cmd, err)) })
	f := k.Flags(cmd)
	Bind(cmd, v.name, k.Name, f.Fields())
	f.Shared().describeSolvers()
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := v.check(cmd, f); err != nil {
			return err
		}
		st, err := load(cmd.Context(), f)
		if err != nil {
			return err
		}
		if err := v.do(cmd, st, cmd.ErrOrStderr()); err != nil {
			return err
		}
		return f.Shared().converged()
	}
	return cmd
}

// check refuses what the flags say before anything is read.
func (v verb) check(cmd *cobra.Command, f Loader) error {
	r := f.Shared()
	r.onlyFirst()
	if v.path {
		if err := r.checkPath(); err != nil {
			return err
		}
	}
	if v.chooses {
		if err := r.checkChoice(); err != nil {
			return err
		}
	}
	if err := f.Check(); err != nil {
		return err
	}
	if err := cmp.Or(r.checkReads(), r.checkRival()); err != nil {
		return err
	}
	if r.threads > 0 {
		runtime.GOMAXPROCS(r.threads)
	}
	writes := []string{r.Model, r.trace, r.Plot}
	if r.Comm().Rank() == 0 { // the files of others are beside it
		writes = append(writes, r.checkpoint)
	}
	if o, ok := f.(outputs); ok {
		writes = append(writes, o.Outputs()...)
	}
	if err := CheckResult(writes...); err != nil {
		return err
	}
	reads := append(filesOf(cmd.Flags(), dataFlags), r.gaugeFile())
	if err := checkFiles(reads, writes...); err != nil {
		return err
	}
	if o, ok := f.(arrays); ok {
		return CheckArrays(reads, append(writes, o.Arrays()...)...)
	}
	return nil
}

// outputs are flags that name files which a fit writes beside its model.
type outputs interface {
	Outputs() []string
}

// arrays are flags that name files which a fit writes beside these, and which may be arrays.
type arrays interface {
	Arrays() []string
}
