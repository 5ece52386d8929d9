package linear

import (
	"strings"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/second"
	"github.com/spf13/cobra"
)

// linearFlags are the flags of the problems whose rows have features: classification, multitask and regression.
type flags struct {
	cli.RunFlags
	second             second.Word // of --penalty
	train, test, valid sourceFlags
	taskColumn, target string
	confusion          bool
	standardize        bool
}

// sourceFlags say where samples come from: labelled files, or features and what belongs to them.
type sourceFlags struct {
	files            []string
	features, labels string
	prefix, answers  string // of the flags: "test-", "labels"
}

var linearDefaults = map[string]cli.RunDefaults{
	"classification": {Loss: "logistic", Gauge: "trace", Normalize: "mean", Intercept: "an unpenalised constant for each class"},
	"multitask":      {Loss: "squared", Gauge: "trace", Normalize: "mean", Intercept: "an unpenalised constant for each task"},
	"regression":     {Loss: "squared", Gauge: "l1", Normalize: "sum", Intercept: "an unpenalised constant for each target"},
}

func newFlags(cmd *cobra.Command, problem string) *flags {
	f := &flags{}
	s := cmd.Flags()
	s.SortFlags = false
	answers := "labels"
	if problem == "regression" {
		answers = "targets"
	}
	for _, part := range []struct {
		source             *sourceFlags
		name, prefix, what string
	}{{&f.train, "train", "", "train on"}, {&f.test, "test", "test-", "measure on"}, {&f.valid, "valid", "valid-", "choose λ by"}} {
		part.source.prefix, part.source.answers = part.prefix, answers
		switch problem {
		case "multitask":
			s.StringArrayVar(&part.source.files, part.name, nil,
				"a `FILE` of rows to "+part.what+": delimited text with a task column, or one file for each task; - is standard input")
		default:
			s.StringArrayVar(&part.source.files, part.name, nil,
				"a `FILE` of rows to "+part.what+", in LIBSVM's format, or delimited text with --target; - is standard input")
			s.StringVar(&part.source.features, part.prefix+"features", "", "features to "+part.what+": CSV, Matrix Market, .npy or .npz")
			s.StringVar(&part.source.labels, part.prefix+answers, "", "their "+answers+meaningOf(answers))
		}
	}
	switch problem {
	case "multitask":
		s.StringVar(&f.taskColumn, "task", "", "the column of the task, by name or by number from 1 (default task)")
		s.StringVar(&f.target, "target", "", "the column of the target (default y)")
	case "regression":
		s.StringVar(&f.target, "target", "", "the column of the target, where --train is delimited text")
	case "classification":
		s.StringVar(&f.target, "target", "", "the column of the label, where --train is delimited text")
		s.BoolVar(&f.confusion, "confusion", false, "print the confusion table of more than 12 classes, too")
	}
	s.BoolVar(&f.standardize, "standardize", false,
		"fit with each feature over its standard deviation; the saved weights are for features as they are")
	s.Float64Var(&f.Split, "split", 0, "train fraction: train on this part of the rows"+ofEach(problem)+", test on the rest")
	k, _ := task.KindOf(problem)
	d := linearDefaults[problem]
	d.Points, d.Ratio = 40, 1e-4 // W has few outputs, so that small λ are cheap
	d.Problem, d.Improve, d.Observations, d.Gauges = problem, "auto", "observations", strings.Join(task.GaugeWords(), ", ")
	d.Norm = map[string]string{"trace": "the trace norm (or the --gauge)", "l1": "the ℓ1 norm (or the --gauge)"}[d.Gauge]
	d.Losses = strings.Join(task.LossWords(k), ", ")
	if problem == "classification" {
		d.Observations = "rows (logistic), or rows × classes (the others, each class against the rest)"
	}
	if problem == "regression" {
		d.Penalties = "; or beside λκ(W) a second penalty of neighbouring features or groups: " + second.Words
		d.Also = []cli.Method{{Name: "structured", About: "(for a second penalty)",
			New: func(*cli.RunFlags, *gcg.Problem) (solver.Method, solver.Improver) { return &solver.Structured{}, nil }},
			{Name: "hcgs", About: "(for a second penalty, to compare with)",
				New: func(*cli.RunFlags, *gcg.Problem) (solver.Method, solver.Improver) { return &solver.HCGS{}, nil }}}
	}
	f.Register(cmd, d)
	return f
}

// checkSecond reads a second penalty that --penalty may name, which takes a solver and a gauge of its own.
func (f *flags) checkSecond() error {
	word, ok, err := second.Parse(f.Penalty)
	if f.Problem != "regression" {
		return nil
	}
	changed := f.Cmd.Flags().Changed
	switch {
	case err != nil:
		return cli.Usagef("--penalty %v", err)
	case !ok && (f.Solver == "structured" || f.Solver == "hcgs"):
		return cli.Usagef("--solver %s: is for a second penalty, which --penalty names: %s", f.Solver, second.Words)
	case !ok:
		return nil
	case f.Gauge != "l1":
		return cli.Usagef("--penalty %s: stands beside the ℓ1 norm; it does not go with --gauge %s", f.Penalty, f.Gauge)
	case changed("solver") && f.Solver != "structured" && f.Solver != "hcgs", changed("improve") && f.Improve != "none":
		return cli.Usagef("--penalty %s: has --solver structured or hcgs, which need no other", f.Penalty)
	}
	if f.Solver != "hcgs" {
		f.Solver = "structured"
	}
	f.second, f.Second, f.Improve = word, true, "none"
	return nil
}

func meaningOf(answers string) string {
	if answers == "labels" {
		return ", any text, one a line"
	}
	return ", one or more columns of numbers"
}

func ofEach(problem string) string {
	return map[string]string{"classification": " of each class", "multitask": " of each task"}[problem]
}

func (f *flags) Shared() *cli.RunFlags { return &f.RunFlags }

func (f *flags) FoldsBy() (usual, allowed, meaning string) {
	switch f.Problem {
	case "multitask":
		return "row", "row task", "folds hold out rows: of all tasks together, or the same share of each task"
	case "regression":
		return "row", "row entry", "folds hold out rows, or single entries of the targets"
	}
	return "row", "row", "folds hold out rows, the same share of each class"
}

// Check refuses values out of range, before anything is read.
func (f *flags) Check() error {
	if f.Gauge == "simplex" && !f.Cmd.Flags().Changed("constrain") {
		if f.Lambda != "auto" || f.LambdaRatio > 0 {
			return cli.Usagef("--gauge simplex: κ is held at a constant, so it goes with --constrain ζ and not with λ")
		}
		f.Constrain = 1
	}
	if err := f.checkSecond(); err != nil {
		return err
	}
	if err := f.RunFlags.Check(); err != nil {
		return err
	}
	if err := cli.OneOf([][3]string{{"improve", f.Improve, "auto none corrective local proximal"}}); err != nil {
		return err
	}
	k, _ := task.KindOf(f.Problem)
	if _, err := task.ParseLoss(k, f.Loss); err != nil {
		return cli.Usagef("--loss %q: %v", f.Loss, err)
	}
	word, err := task.ParseGauge(f.Gauge, false)
	if err != nil {
		return cli.Usage(err)
	}
	if f.MaxRank > 0 && selection.Sparse(word.Gauge) {
		return cli.Usagef("--max-rank: W has no factors with --gauge %s", f.Gauge)
	}
	for _, s := range []*sourceFlags{&f.train, &f.test, &f.valid} {
		if err := s.Check(f.Problem); err != nil {
			return err
		}
	}
	if f.train.empty() {
		return cli.Usagef("%s needs data: %s", f.Cmd.CommandPath(), dataOf(f.Problem))
	}
	if f.target != "" && len(f.train.files)+len(f.test.files)+len(f.valid.files) == 0 {
		return cli.Usagef("--target is a column of --train, which is not given; the answers to --features are --%s", f.train.answers)
	}
	if err := f.CheckFraction(); err != nil {
		return err
	}
	if f.standardize && f.Warm != "" {
		return cli.Usagef("--warm: a model has weights of features as they are; not with --standardize")
	}
	if f.Split != 0 && !f.test.empty() {
		return cli.Usagef("--split and test data exclude each other")
	}
	return nil
}

func (s *sourceFlags) empty() bool { return len(s.files) == 0 && s.features == "" }

func (s *sourceFlags) Check(problem string) error {
	switch {
	case (s.features == "") != (s.labels == ""):
		return cli.Usagef("--%sfeatures and --%s%s belong together", s.prefix, s.prefix, s.answers)
	case len(s.files) > 0 && s.features != "":
		return cli.Usagef("give one file with %s in it, or --%sfeatures and --%s%s, not both", s.answers, s.prefix, s.prefix, s.answers)
	case len(s.files) > 1 && problem != "multitask":
		return cli.Usagef("%s takes one file, not %d", problem, len(s.files))
	}
	return nil
}

// dataOf is how a PROBLEM takes its data.
func dataOf(problem string) string {
	return map[string]string{
		"classification": "--train FILE.libsvm, --train FILE.csv --target COLUMN, or --features X --labels y",
		"multitask":      "--train FILE --task COLUMN --target COLUMN, or one --train for each task",
		"regression":     "--train FILE.libsvm, --train FILE.csv --target COLUMN, or --features X --targets Y",
	}[problem]
}
