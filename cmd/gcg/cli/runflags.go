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
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
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
	By, choose, Plot                 string
	innerSteps                       int
	printed                          bool
	Cmd                              *cobra.Command
	Second                           bool      // --penalty names a second penalty, beside λκ(W) or a bound
	methods                          []Method  // that --solver names
	Began                            time.Time // after reading: what --max-time counts from
	updating                         bool      // a model, whose certificate at the start is of interest
	start                            gcg.Certificate
	atStart                          func() // ends a run that is for the certificate of its start alone; or nil
}

// RunDefaults are what one PROBLEM says of the shared flags.
type RunDefaults struct {
	Problem, Loss, Gauge, Normalize, Improve string
	Losses, Gauges, Observations, Intercept  string   // for the help
	Norm                                     string   // what most people call the gauge
	Also                                     []Method // after those of every PROBLEM
	Penalties                                string   // for the help, after those of every PROBLEM
	Points                                   int      // of the path that chooses λ
	Methods                                  []Method // of this PROBLEM alone, the usual one first; nil for gcg and the others
	Ratio                                    float64
}

func (f *RunFlags) Register(cmd *cobra.Command, d RunDefaults) {
	f.Cmd, f.Problem, f.Points, f.Ratio = cmd, d.Problem, d.Points, d.Ratio
	s := cmd.Flags()
	s.StringVar(&f.Lambda, "lambda", "auto", "weight λ of the penalty on "+d.Norm+", or auto: by a path with a validation part")
	s.Float64Var(&f.LambdaRatio, "lambda-ratio", 0, "λ as a part of the smallest λ with W = 0, instead of --lambda")
	s.Float64Var(&f.Constrain, "constrain", 0, "hold "+d.Norm+" to at most ζ, instead of a penalty")
	s.StringVar(&f.Penalty, "penalty", "linear", "linear: λκ(W), square: λ/2 κ(W)²"+d.Penalties)
	s.StringVar(&f.Loss, "loss", d.Loss, d.Losses)
	s.StringVar(&f.Gauge, "gauge", d.Gauge, "the norm: "+d.Gauges)
	s.StringVar(&f.Normalize, "normalize", d.Normalize, "the loss is a sum or a mean over the "+d.Observations)
	s.BoolVar(&f.Intercept, "intercept", false, d.Intercept)
	f.methods = slices.Concat(d.Methods, methods, d.Also)
	s.StringVar(&f.Solver, "solver", f.methods[0].Name, f.solverUsage())
	SolverWords(s, strings.Fields(f.solverWords()))
	s.StringVar(&f.Improve, "improve", d.Improve, "between steps: "+improvers(d.Improve))
	s.StringVar(&f.Step, "step", "line-search", "line-search, open-loop, open-loop-1, constant or quadratic-bound")
	s.IntVar(&f.innerSteps, "inner-steps", 0,
		"of sliding: polars for each gradient (default 3), or the most of them where a gap ends them (20, 200 as printed)")
	s.BoolVar(&f.printed, "as-printed", false, "of sliding: the inner loops of the paper, which forget where they began")
	s.IntVar(&f.Atoms, "atoms", 0, "atoms for each step; 0 chooses")
	s.IntVar(&f.MaxRank, "max-rank", 0, "stop growing at this rank; 0 is no limit")
	s.StringVar(&f.Warm, "warm", "", "start from this model")
	s.Float64Var(&f.Tol, "tol", 1e-3, "relative certified gap to reach (0.05 where --lambda auto tries λ)")
	s.BoolVar(&f.Exact, "exact-certificate", false, "prove the final bound by a Cholesky factorization")
	s.BoolVar(&f.requireConverged, "require-converged", false, "exit with 3 where the gap of --tol is not reached")
	s.IntVar(&f.MaxIter, "max-iter", 0, "stop after this many steps; 0 is no limit")
	s.StringVar(&f.maxTime, "max-time", "",
		"stop after this time, such as 90s or 5m; reading is not counted, and choosing λ takes at most half of it")
	s.Uint64Var(&f.Seed, "seed", 1, "seed of splits and random starts")
	s.IntVar(&f.threads, "threads", 0, "processors to use (default all); the result does not depend on it")
	s.StringVar(&f.trace, "trace", "", "write every iteration to this file as JSON lines")
	s.StringVar(&f.live, "live", "",
		"show the run on a page while it goes on, at an address such as :8080; for this machine alone unless a host is named")
	s.StringVar(&f.Model, "model", "", "write the model to this file")
	s.StringVar(&f.checkpoint, "checkpoint", "", "write the state to this file every so often and when interrupted")
	s.DurationVar(&f.checkpointEvery, "checkpoint-every", 20*time.Second, "at least this time between checkpoints")
	s.StringVar(&f.Resume, "resume", "", "continue from this checkpoint")
	s.BoolVar(&f.JSON, "json", false, "print the result as JSON")
	s.BoolVar(&f.Quiet, "quiet", false, "no progress")
	s.BoolVarP(&f.detail, "verbose", "v", false, "a log line for every iteration")
}

func improvers(improve string) string {
	if improve == "auto" {
		return "none, corrective, local or proximal; auto takes what fits the gauge"
	}
	return "none, corrective or local"
}

// maxThreads is more than any machine has: each costs memory, needed or not.
const maxThreads = 4096

// Check refuses values out of range.
func (f *RunFlags) Check() error {
	changed := f.Cmd.Flags().Changed
	if _, _, err := liveAddress(f.live); f.live != "" && err != nil {
		return err
	}
	switch {
	case !(f.Tol > 0) || math.IsInf(f.Tol, 0):
		return Usagef("--tol %v: the relative gap is a positive number", f.Tol)
	case changed("threads") && (f.threads < 1 || f.threads > maxThreads):
		return Usagef("--threads %d: from 1 to %d", f.threads, maxThreads)
	case changed("constrain") && !(f.Constrain > 0 && !math.IsInf(f.Constrain, 0)):
		return Usagef("--constrain %v: ζ is a positive number", f.Constrain)
	case f.Constrain > 0 && changed("penalty") && !f.Second:
		return Usagef("--penalty: goes with λ; --constrain has none")
	case f.Atoms < 0, f.MaxRank < 0, f.MaxIter < 0:
		return Usagef("--atoms, --max-rank and --max-iter are not negative")
	case f.checkpointEvery <= 0:
		return Usagef("--checkpoint-every %v: a positive time, such as 20s or 5m", f.checkpointEvery)
	case changed("checkpoint-every") && f.checkpoint == "":
		return Usagef("--checkpoint-every: goes with --checkpoint FILE")
	case changed("lambda-ratio") && !(f.LambdaRatio > 0 && f.LambdaRatio < 1):
		return Usagef("--lambda-ratio %v: between 0 and 1", f.LambdaRatio)
	case f.LambdaRatio > 0 && (changed("lambda") || changed("constrain") || !f.linear()):
		return Usagef("--lambda-ratio: instead of --lambda and --constrain, with --penalty linear")
	case f.descends() && f.Constrain > 0:
		return Usagef("--solver %s: is for a penalty, not for --constrain; give --lambda, or take --solver gcg", f.Solver)
	case f.descends() && changed("step"):
		return Usagef("--step: --solver %s has none", f.Solver)
	case f.descends() && f.MaxRank > 0:
		return Usagef("--max-rank: goes with --solver gcg; %s adds atoms until the gap closes", f.Solver)
	case f.Resume != "" && f.Warm != "":
		return Usagef("--warm: --resume continues from where a run was; leave one out")
	case f.Solver == "contr1d" && !f.linear():
		return Usagef("--solver contr1d: is a continuation over λ; --penalty %s has gcg and atomdescent", f.Penalty)
	}
	if err := OneOf([][3]string{{"solver", f.Solver, f.solverWords()}, {"penalty", f.Penalty, f.penaltyWords()},
		{"normalize", f.Normalize, "sum mean"}, {"step", f.Step,
			"line-search open-loop open-loop-1 constant quadratic-bound"}}); err != nil {
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
	name := f.Changed(ofChoice)
	if _, auto, _ := f.LambdaValue(); auto || name == "" {
		return ""
	}
	by := cmp.Or(f.Changed([]string{"lambda", "lambda-ratio", "constrain", "resume"}), "gauge")
	return fmt.Sprintf("--%s was not used: it is to choose λ by, and --%s leaves nothing to choose", name, by)
}

// CheckFraction refuses a --split that is no fraction.
func (f *RunFlags) CheckFraction() error {
	if f.Cmd.Flags().Changed("split") && !(f.Split > 0 && f.Split < 1) {
		return Usagef("--split %v: a fraction between 0 and 1", f.Split)
	}
	return nil
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
	return max(time.Duration(share*float64(d-time.Since(f.Began))), 1)
}

// Options are the limits of a run.
func (f *RunFlags) Options(im solver.Improver) solver.Options {
	return solver.Options{Tol: f.Tol, MaxIter: f.MaxIter, MaxTime: f.TimeLeft(1), Improver: im, Seed: f.Seed, Exact: f.Exact}
}

// gaugeFile is the file that --gauge names, or none.
func (f *RunFlags) gaugeFile() string {
	word, _ := task.ParseGauge(f.Gauge, false)
	return word.File
}
