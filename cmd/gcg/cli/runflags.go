package cli

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/clock"
	"github.com/seed-b18ef778/gcg/internal/gaugeword"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/spf13/cobra"
)

// RunFlags are the flags that every PROBLEM shares: the objective, the solver, and what is written where.
type RunFlags struct {
	Problem                          string
	Lambda, Penalty, Loss, Gauge     string
	Normalize, Solver, Improve, Step string
	Constrain, Tol                   float64
	Atoms, MaxRank, MaxIter, threads int
	maxTime, Warm, Model             string
	trace, live                      string
	checkpoint, Resume               string
	checkpointEvery                  time.Duration
	Exact, JSON, Quiet, detail       bool
	requireConverged                 bool
	open                             string // why the gap that was asked for is not reached; empty where it is
	LambdaRatio                      float64
	Intercept                        bool
	Seed                             uint64
	Split                            float64
	Points, Folds                    int
	Ratio                            float64
	By, choose, Plot, coefficients   string
	fits                             bool // a model is asked for, which the first of several ranks writes
	innerSteps                       int
	printed                          bool
	Cmd                              *cobra.Command
	Second                           bool          // --penalty names a second penalty, beside λκ(W) or a bound
	methods                          []Method      // that --solver names
	Began                            clock.Mark    // what --max-time counts from: before reading
	reading                          time.Duration // what the data took to be read and prepared
	choosing, choosingCPU            time.Duration // how long the choice of λ took
	updating                         bool          // a model, whose certificate at the start is of interest
	start                            gcg.Certificate
	Own                              func(id []byte) bool // of the rows of this rank, where ranks share them; or nil
	atStart                          func()               // ends a run that is for the certificate of its start alone; or nil
}

// Init says of which PROBLEM the flags of a command are, and which solvers that has beside those of all: the usual one first, and
// those that stand last.
func (f *RunFlags) Init(cmd *cobra.Command, problem string, usual, last []Method) {
	f.Cmd, f.Problem, f.methods = cmd, problem, slices.Concat(usual, methods, last)
}

// Fields are where the values of the shared flags are kept.
func (f *RunFlags) Fields() Fields {
	return Fields{"lambda": &f.Lambda, "lambda-ratio": &f.LambdaRatio, "constrain": &f.Constrain, "penalty": &f.Penalty,
		"loss": &f.Loss, "gauge": &f.Gauge, "normalize": &f.Normalize, "intercept": &f.Intercept, "solver": &f.Solver,
		"improve": &f.Improve, "step": &f.Step, "inner-steps": &f.innerSteps, "as-printed": &f.printed, "atoms": &f.Atoms,
		"max-rank": &f.MaxRank, "warm": &f.Warm, "tol": &f.Tol, "exact-certificate": &f.Exact,
		"require-converged": &f.requireConverged, "max-iter": &f.MaxIter, "max-time": &f.maxTime, "seed": &f.Seed,
		"threads": &f.threads, "trace": &f.trace, "live": &f.live, "model": &f.Model, "checkpoint": &f.checkpoint,
		"checkpoint-every": &f.checkpointEvery, "resume": &f.Resume, "json": &f.JSON, "quiet": &f.Quiet, "verbose": &f.detail,
		"points": &f.Points, "ratio": &f.Ratio, "folds": &f.Folds, "by": &f.By, "select": &f.choose, "plot": &f.Plot,
		"coefficients": &f.coefficients}
}

// Check refuses values out of range.
func (f *RunFlags) Check() error {
	changed := f.Cmd.Flags().Changed
	if _, _, err := liveAddress(f.live); f.live != "" && err != nil {
		return err
	}
	switch {
	case f.Constrain > 0 && changed("penalty") && !f.Second:
		return Usagef("--penalty: goes with λ; --constrain has none")
	case f.LambdaRatio > 0 && (changed("lambda") || changed("constrain") || !f.linear()):
		return Usagef("--lambda-ratio: instead of --lambda and --constrain, with --penalty linear")
	case f.descends() && f.Constrain > 0:
		return Usagef("--solver %s: is for a penalty, not for --constrain; give --lambda, or take --solver gcg", f.Solver)
	case f.descends() && changed("improve") && !Contains("auto none local", f.Improve):
		return Usagef("--improve %s: --solver %s weighs its atoms itself; it has none, or local of the trace norm", f.Improve, f.Solver)
	case f.Step == "constant" && f.MaxIter == 0:
		return Usagef("--step constant: is of a horizon, which --max-iter gives")
	case f.Step == "quadratic-bound" && f.Constrain > 0:
		return Usagef("--step quadratic-bound: is of a penalty; with --constrain there are line-search, open-loop, open-loop-1 and " +
			"constant")
	case f.Resume != "" && f.Warm != "":
		return Usagef("--warm: --resume continues from where a run was; leave one out")
	case f.Solver == "contr1d" && !f.linear():
		return Usagef("--solver contr1d: is a continuation over λ; --penalty %s has gcg and atomdescent", f.Penalty)
	}
	if err := OneOf([][3]string{{"solver", f.Solver, f.solverWords()}, {"penalty", f.Penalty, f.penaltyWords()}}); err != nil {
		return err
	}
	if err := f.checkSliding(); err != nil {
		return err
	}
	if _, _, err := f.LambdaValue(); err != nil {
		return err
	}
	_, err := f.duration()
	return err
}

// linear says that κ has the penalty λκ.
func (f *RunFlags) linear() bool { return f.Penalty == "linear" || f.Second }

// penaltyWords are the words of --penalty.
func (f *RunFlags) penaltyWords() string {
	if f.Second { // which its PROBLEM has read
		return f.Penalty
	}
	return "linear square"
}

// CheckExact refuses, before the work, a proof by a matrix that is too large.
func (f *RunFlags) CheckExact(k gcg.Gauge, m, n int) error {
	if !f.Exact || !view.OfGauge(k).Spectral || min(m, n) <= gauge.ExactLimit {
		return nil
	}
	return fmt.Errorf("--exact-certificate: factorizes a matrix of the smaller side, here %d × %d, and takes at most %d; "+
		"without it the bound is a probable one",
		min(m, n), min(m, n), gauge.ExactLimit)
}

// unheeded doubts data to choose λ by where it is given.
func (f *RunFlags) unheeded() string {
	name := f.Changed([]string{"valid", "valid-features", "valid-labels", "valid-targets"})
	if _, auto, _ := f.LambdaValue(); auto || name == "" {
		return ""
	}
	by := cmp.Or(f.Changed([]string{"lambda", "lambda-ratio", "constrain", "resume"}), "gauge")
	return fmt.Sprintf("--%s was not used: it is to choose λ by, and --%s leaves nothing to choose", name, by)
}

// OneOf refuses a flag whose value is none of some words; each row is the flag, its value, and the words.
func OneOf(all [][3]string) error {
	for _, c := range all {
		if name, value, allowed := c[0], c[1], c[2]; !Contains(allowed, value) {
			return Usagef("--%s %q: there are %s", name, value, strings.ReplaceAll(allowed, " ", ", "))
		}
	}
	return nil
}

// Contains says whether a word is in a list of words with blanks between them.
func Contains(list, word string) bool {
	for _, w := range strings.Fields(list) {
		if w == word {
			return true
		}
	}
	return false
}

// LambdaValue is λ, or auto; both are nothing where --lambda-ratio or --constrain say what to do.
func (f *RunFlags) LambdaValue() (lambda float64, auto bool, err error) {
	if f.Lambda == "auto" {
		return 0, f.Constrain == 0 && f.LambdaRatio == 0, nil
	}
	lambda, err = strconv.ParseFloat(f.Lambda, 64)
	if err != nil || !(lambda > 0) || math.IsInf(lambda, 0) {
		return 0, false, Usagef("--lambda %q: a positive number, or auto", f.Lambda)
	}
	if f.Constrain != 0 {
		return 0, false, Usagef("--lambda and --constrain exclude each other")
	}
	return lambda, false, nil
}

func (f *RunFlags) duration() (time.Duration, error) { return MaxTime(f.maxTime) }

// MaxTime is the time that --max-time gives, with or without a unit; 0 where it is empty.
func MaxTime(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	if s, err := strconv.ParseFloat(text, 64); err == nil && s > 0 && s < 1e9 {
		return time.Duration(s * float64(time.Second)), nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, Usagef("--max-time %q: a positive time, such as 90s or 5m", text)
	}
	return d, nil
}

// Changed is the first of some flags that was given, or none.
func (f *RunFlags) Changed(names []string) string {
	for _, name := range names {
		if f.Cmd.Flags().Changed(name) {
			return name
		}
	}
	return ""
}

// PenaltyOf is h for a λ.
func (f *RunFlags) PenaltyOf(lambda float64) gcg.Penalty {
	if f.Penalty == "square" {
		return gauge.Square{Lambda: lambda}
	}
	return gauge.Linear{Lambda: lambda}
}

// PenaltyName is what a model says of h: nothing for a constraint, which its ζ tells.
func (f *RunFlags) PenaltyName() string {
	if f.Constrain > 0 && !f.Second {
		return ""
	}
	return f.Penalty
}

// TimeLeft is a share of what remains of --max-time, at least a moment; 0 is no limit.
func (f *RunFlags) TimeLeft(share float64) time.Duration {
	d, _ := f.duration()
	if d == 0 {
		return 0
	}
	return max(time.Duration(share*float64(d-f.Began.Elapsed())), 1)
}

// Options are the limits of a run.
func (f *RunFlags) Options(im solver.Improver) solver.Options {
	return solver.Options{Tol: f.Tol, MaxIter: f.MaxIter, MaxTime: f.TimeLeft(1), Improver: im, Seed: f.Seed, Exact: f.Exact}
}

// gaugeFile is the file that --gauge names, or none.
func (f *RunFlags) gaugeFile() string {
	word, _ := gaugeword.Parse(f.Gauge, false)
	return word.File
}
