package linear

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/internal/gaugeword"
	"github.com/seed-b18ef778/gcg/internal/second"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/hybrid"
	"github.com/seed-b18ef778/gcg/solver/structured"
	"github.com/seed-b18ef778/gcg/task"
)

// linearFlags are the flags of the problems whose rows have features: classification, multitask and regression.
type flags struct {
	cli.RunFlags
	second             second.Word // of --penalty
	train, test, valid sourceFlags
	taskColumn, target string
	sampleWeights      string
	confusion          bool
	standardize        bool
	missing            string // error or mean
	decimal            cli.Decimal
	ridge, l1Ratio     float64
	ridgeAlone         bool // κ is the norm of the ridge
}

// sourceFlags say where samples come from: labelled files, or features and what belongs to them.
type sourceFlags struct {
	files            []string
	features, labels string
	prefix, answers  string // of the flags: "test-", "labels"
}

func newFlags(cmd *cobra.Command, problem string) *flags {
	f := &flags{}
	answers := "labels"
	if problem == "regression" {
		answers = "targets"
	}
	f.train.answers, f.test.answers, f.valid.answers = answers, answers, answers
	f.test.prefix, f.valid.prefix = "test-", "valid-"
	last := append([]cli.Method{cli.Coordinate}, cli.Rivals()...)
	if problem == "regression" {
		last = []cli.Method{cli.Coordinate, {Name: "structured", About: "(for a second penalty)",
			New: func(*cli.RunFlags, *gcg.Problem) (solver.Method, solver.Improver) { return &structured.Method{}, nil }},
			{Name: "hcgs", About: "(for a second penalty, to compare with)",
				New: func(*cli.RunFlags, *gcg.Problem) (solver.Method, solver.Improver) { return &hybrid.HCGS{}, nil }}}
	}
	f.Init(cmd, problem, nil, append(last, cli.VertexRivals()...))
	return f
}

// Fields are where the values of flags are kept.
func (f *flags) Fields() cli.Fields {
	all := f.RunFlags.Fields().And(cli.Fields{"train": &f.train.files, "test": &f.test.files, "valid": &f.valid.files,
		"task": &f.taskColumn, "target": &f.target, "confusion": &f.confusion,
		"sample-weights": &f.sampleWeights, "standardize": &f.standardize, "split": &f.Split,
		"missing": &f.missing, "decimal": &f.decimal,
		"ridge": &f.ridge, "l1-ratio": &f.l1Ratio})
	for _, s := range []*sourceFlags{&f.train, &f.test, &f.valid} {
		all.And(cli.Fields{s.prefix + "features": &s.features, s.prefix + s.answers: &s.labels})
	}
	return all
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
	case changed("solver") && f.Solver != "structured" && f.Solver != "hcgs":
		return cli.Usagef("--penalty %s: has --solver structured or hcgs, which need no other", f.Penalty)
	}
	if f.Solver != "hcgs" {
		f.Solver = "structured"
	}
	f.second, f.Second, f.Improve = word, true, "none"
	return nil
}

// checkRidge refuses a ridge beside what has none. One that stands alone is λ/2 times the square of a norm of its own.
func (f *flags) checkRidge() error {
	mixed, changed := f.l1Ratio != 1, f.Cmd.Flags().Changed
	if !mixed && f.ridge == 0 {
		return nil
	}
	name := "l1-ratio"
	switch {
	case mixed && f.ridge > 0:
		return cli.Usagef("--l1-ratio: gives the ridge as a part of λ, and --ridge as a number; leave one out")
	case mixed && (f.Constrain > 0 || f.Penalty == "square"):
		return cli.Usagef("--l1-ratio: is a part of λ, with --penalty linear; --ridge goes with the others")
	case !mixed && isZero(f.Lambda):
		f.Lambda = strconv.FormatFloat(f.ridge, 'g', -1, 64)
		name = "lambda 0"
	case f.l1Ratio > 0:
		return nil
	}
	if changed("gauge") || changed("penalty") || f.LambdaRatio > 0 {
		return cli.Usagef("--%s: leaves a ridge alone; leave out --gauge, --penalty and --lambda-ratio", name)
	}
	f.Gauge, f.Penalty, f.ridge, f.l1Ratio, f.ridgeAlone = "lp:2", "square", 0, 1, true
	return nil
}

// isZero says that a number is 0.
func isZero(text string) bool {
	x, err := strconv.ParseFloat(text, 64)
	return err == nil && x == 0
}

func (f *flags) Shared() *cli.RunFlags { return &f.RunFlags }

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
	if err := f.checkRidge(); err != nil {
		return err
	}
	if err := f.RunFlags.Check(); err != nil {
		return err
	}
	k, _ := task.KindOf(f.Problem)
	if _, err := task.ParseLoss(k, f.Loss); err != nil {
		return cli.Usagef("--loss %q: %v", f.Loss, err)
	}
	if f.Loss == "cox" && f.Intercept {
		return cli.Usagef("--intercept: the cox loss is of risks beside each other, which a constant does not change")
	}
	if f.Solver == cli.Coordinate.Name && cli.Contains("poisson gamma cox", f.Loss) {
		return cli.Usagef("--solver %s: is for losses of single observations with bounded second derivatives; --loss %s is none",
			f.Solver, f.Loss)
	}
	word, err := gaugeword.Parse(f.Gauge, false)
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
		return cli.Usagef("--target is a column of --train, which is not given; the answers to --features are --%s",
			f.train.answers)
	}
	if f.standardize && f.Warm != "" {
		return cli.Usagef("--warm: a model has weights of features as they are; not with --standardize")
	}
	if f.Split != 0 && !f.test.empty() {
		return cli.Usagef("--split and test data exclude each other")
	}
	return f.checkRanks()
}

// errStandardInput is of rows that only one of several ranks could read.
var errStandardInput = cli.Usagef("-: standard input is of one process; ranks need a file that all of them can read")

// checkRanks refuses what ranks do not share.
func (f *flags) checkRanks() error {
	if f.Comm() == nil {
		return nil
	}
	if err := f.CheckRanks("ridge", "l1-ratio"); err != nil {
		return err
	}
	for _, s := range []*sourceFlags{&f.train, &f.test, &f.valid} {
		if slices.Contains(append([]string{s.features, s.labels}, s.files...), "-") {
			return errStandardInput
		}
	}
	switch {
	case f.Loss == "cox":
		return cli.Usagef("--loss cox: compares all rows, and is for one process")
	case f.Second || f.ridgeAlone:
		return cli.Usagef("--penalty %s: is for one process", f.Penalty)
	}
	if name, _, _ := strings.Cut(f.Gauge, ":"); !cli.Contains("trace l1 group group-inf columns", name) {
		return cli.Usagef("--gauge %s: is for one process; ranks have trace, l1, group, group-inf and columns", f.Gauge)
	}
	return nil
}

// autoStandardize says that features of scales that differ much are to be standardized: where λ is chosen. A λ that is
// given is of features as they are.
func (f *flags) autoStandardize() bool {
	return f.chooses() && f.Problem != "multitask" && f.Warm == "" && !f.Second && !f.Cmd.Flags().Changed("standardize")
}

// chooses says that λ is chosen, or all of a path is shown to choose it by.
func (f *flags) chooses() bool {
	verb := f.Cmd.Parent()
	switch {
	case verb == nil:
		return false
	case verb.Name() == "fit":
		_, chosen, _ := f.LambdaValue()
		return chosen
	}
	return verb.Name() == "path" || verb.Name() == "cv"
}

func (s *sourceFlags) empty() bool { return len(s.files) == 0 && s.features == "" }

func (s *sourceFlags) Check(problem string) error {
	switch {
	case (s.features == "") != (s.labels == ""):
		return cli.Usagef("--%sfeatures and --%s%s belong together", s.prefix, s.prefix, s.answers)
	case len(s.files) > 0 && s.features != "":
		return cli.Usagef("give one file with %s in it, or --%sfeatures and --%s%s, not both", s.answers, s.prefix,
			s.prefix, s.answers)
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
