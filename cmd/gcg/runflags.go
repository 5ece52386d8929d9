package main

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
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/view"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/spf13/cobra"
)

// runFlags are the flags that every PROBLEM shares: the objective, the solver, and what is written where.
type runFlags struct {
	problem                          string
	lambda, penalty, loss, gauge     string
	normalize, solver, improve, step string
	constrain, tol                   float64
	atoms, maxRank, maxIter, threads int
	maxTime, warm, model, trace      string
	checkpoint, resume               string
	checkpointEvery                  time.Duration
	exact, json, quiet, detail       bool
	lambdaRatio                      float64
	intercept                        bool
	seed                             uint64
	split                            float64
	points, folds                    int
	ratio                            float64
	by, choose, plot                 string
	cmd                              *cobra.Command
	began                            time.Time // after reading: what --max-time counts from
}

// runDefaults are what one PROBLEM says of the shared flags.
type runDefaults struct {
	problem, loss, gauge, normalize, improve string
	losses, gauges, observations, intercept  string // for the help
	points                                   int    // of the path that chooses λ
	ratio                                    float64
}

func (f *runFlags) register(cmd *cobra.Command, d runDefaults) {
	f.cmd, f.problem, f.points, f.ratio = cmd, d.problem, d.points, d.ratio
	s := cmd.Flags()
	s.StringVar(&f.lambda, "lambda", "auto", "weight λ of the gauge, or auto: a path with a validation part")
	s.Float64Var(&f.lambdaRatio, "lambda-ratio", 0, "λ as a part of the smallest λ with W = 0, instead of --lambda")
	s.Float64Var(&f.constrain, "constrain", 0, "bound the gauge by ζ instead of a penalty")
	s.StringVar(&f.penalty, "penalty", "linear", "linear: λκ(W), square: λ/2 κ(W)²")
	s.StringVar(&f.loss, "loss", d.loss, d.losses)
	s.StringVar(&f.gauge, "gauge", d.gauge, d.gauges)
	s.StringVar(&f.normalize, "normalize", d.normalize, "the loss is a sum or a mean over the "+d.observations)
	s.BoolVar(&f.intercept, "intercept", false, d.intercept)
	s.StringVar(&f.solver, "solver", "gcg",
		"gcg; atomdescent [Dudik12] (r1d is its name for the trace norm), contr1d with continuation over λ")
	s.StringVar(&f.improve, "improve", d.improve, "between steps: "+improvers(d.improve))
	s.StringVar(&f.step, "step", "line-search", "line-search, open-loop, open-loop-1, constant or quadratic-bound")
	s.IntVar(&f.atoms, "atoms", 0, "atoms for each step; 0 chooses")
	s.IntVar(&f.maxRank, "max-rank", 0, "stop growing at this rank; 0 is no limit")
	s.StringVar(&f.warm, "warm", "", "start from this model")
	s.Float64Var(&f.tol, "tol", 1e-3, "relative certified gap to reach (0.05 where --lambda auto tries λ)")
	s.BoolVar(&f.exact, "exact-certificate", false, "prove the final bound by a Cholesky factorization")
	s.IntVar(&f.maxIter, "max-iter", 0, "stop after this many steps; 0 is no limit")
	s.StringVar(&f.maxTime, "max-time", "",
		"stop after this time, such as 90s or 5m; reading is not counted, and choosing λ takes at most half of it")
	s.Uint64Var(&f.seed, "seed", 1, "seed of splits and random starts")
	s.IntVar(&f.threads, "threads", 0, "processors to use (default all); the result does not depend on it")
	s.StringVar(&f.trace, "trace", "", "write every iteration to this file as JSON lines")
	s.StringVar(&f.model, "model", "", "write the model to this file")
	s.StringVar(&f.checkpoint, "checkpoint", "", "write the state to this file every so often and when interrupted")
	s.DurationVar(&f.checkpointEvery, "checkpoint-every", 20*time.Second, "at least this time between checkpoints")
	s.StringVar(&f.resume, "resume", "", "continue from this checkpoint")
	s.BoolVar(&f.json, "json", false, "print the result as JSON")
	s.BoolVar(&f.quiet, "quiet", false, "no progress")
	s.BoolVarP(&f.detail, "verbose", "v", false, "a log line for every iteration")
}

func improvers(improve string) string {
	if improve == "auto" {
		return "none, corrective, local or proximal; auto takes what fits the gauge"
	}
	return "none, corrective or local"
}

func (f *runFlags) registerPath() {
	s := f.cmd.Flags()
	s.Lookup("tol").Usage = "relative certified gap to reach at every λ"
	s.Lookup("max-time").Usage = "stop after this time, such as 90s or 5m; reading is not counted"
	s.IntVar(&f.points, "points", 20, "values of λ")
	s.Float64Var(&f.ratio, "ratio", 0.01, "the last λ over the first")
	s.StringVar(&f.plot, "plot", "", "draw the curve to this file: .svg, .png or .pdf")
}

func (f *runFlags) registerCV(by, meaning string) {
	s := f.cmd.Flags()
	s.Lookup("tol").Usage += ", in every fold"
	s.Lookup("seed").Usage = "seed of folds and random starts"
	s.IntVar(&f.folds, "folds", 5, "parts of the cross-validation")
	s.StringVar(&f.by, "by", by, meaning)
	s.StringVar(&f.choose, "select", "min", "the λ of the smallest error (min), or the largest within one standard error (1se)")
}

// maxThreads is more than any machine has: each costs memory, needed or not.
const maxThreads = 4096

// check refuses values out of range.
func (f *runFlags) check() error {
	changed := f.cmd.Flags().Changed
	switch {
	case !(f.tol > 0) || math.IsInf(f.tol, 0):
		return usagef("--tol %v: the relative gap is a positive number", f.tol)
	case changed("threads") && (f.threads < 1 || f.threads > maxThreads):
		return usagef("--threads %d: from 1 to %d", f.threads, maxThreads)
	case changed("constrain") && !(f.constrain > 0 && !math.IsInf(f.constrain, 0)):
		return usagef("--constrain %v: ζ is a positive number", f.constrain)
	case f.constrain > 0 && changed("penalty"):
		return usagef("--penalty: goes with λ; --constrain has none")
	case f.atoms < 0, f.maxRank < 0, f.maxIter < 0:
		return usagef("--atoms, --max-rank and --max-iter are not negative")
	case f.checkpointEvery <= 0:
		return usagef("--checkpoint-every %v: a positive time, such as 20s or 5m", f.checkpointEvery)
	case changed("checkpoint-every") && f.checkpoint == "":
		return usagef("--checkpoint-every: goes with --checkpoint FILE")
	case changed("lambda-ratio") && !(f.lambdaRatio > 0 && f.lambdaRatio < 1):
		return usagef("--lambda-ratio %v: between 0 and 1", f.lambdaRatio)
	case f.lambdaRatio > 0 && (changed("lambda") || changed("constrain") || f.penalty != "linear"):
		return usagef("--lambda-ratio: instead of --lambda and --constrain, with --penalty linear")
	case f.solver != "gcg" && (f.constrain > 0 || changed("step")):
		return usagef("--solver %s: is for a penalty, and has no --step", f.solver)
	case f.solver != "gcg" && f.maxRank > 0:
		return usagef("--max-rank: goes with --solver gcg; %s adds atoms until the gap closes", f.solver)
	case f.resume != "" && f.warm != "":
		return usagef("--warm: --resume continues from where a run was; leave one out")
	case f.solver == "contr1d" && f.penalty != "linear":
		return usagef("--solver contr1d: is a continuation over λ; --penalty %s has gcg and atomdescent", f.penalty)
	}
	if err := oneOf([]choice{{"solver", f.solver, "gcg atomdescent r1d contr1d"}, {"penalty", f.penalty, "linear square"},
		{"normalize", f.normalize, "sum mean"}, {"step", f.step,
			"line-search open-loop open-loop-1 constant quadratic-bound"}}); err != nil {
		return err
	}
	if _, _, err := f.lambdaValue(); err != nil {
		return err
	}
	_, err := f.duration()
	return err
}

// checkExact refuses, before the work, a proof by a matrix that is too large.
func (f *runFlags) checkExact(k gcg.Gauge, m, n int) error {
	if !f.exact || !view.OfGauge(k).Spectral || min(m, n) <= gauge.ExactLimit {
		return nil
	}
	return fmt.Errorf("--exact-certificate: factorizes a matrix of the smaller side, here %d × %d, and takes at most %d; "+
		"without it the bound is a probable one",
		min(m, n), min(m, n), gauge.ExactLimit)
}

// unheeded doubts data to choose λ by where it is given.
func (f *runFlags) unheeded() string {
	name := f.changed(ofChoice)
	if _, auto, _ := f.lambdaValue(); auto || name == "" {
		return ""
	}
	by := cmp.Or(f.changed([]string{"lambda", "lambda-ratio", "constrain", "resume"}), "gauge")
	return fmt.Sprintf("--%s was not used: it is to choose λ by, and --%s leaves nothing to choose", name, by)
}

func (f *runFlags) checkFraction() error {
	if f.cmd.Flags().Changed("split") && !(f.split > 0 && f.split < 1) {
		return usagef("--split %v: a fraction between 0 and 1", f.split)
	}
	return nil
}

// A choice is a flag whose value is one of some words.
type choice struct{ name, value, allowed string }

func oneOf(all []choice) error {
	for _, c := range all {
		if !contains(c.allowed, c.value) {
			return usagef("--%s %q: there are %s", c.name, c.value, strings.ReplaceAll(c.allowed, " ", ", "))
		}
	}
	return nil
}

func contains(list, word string) bool {
	for _, w := range strings.Fields(list) {
		if w == word {
			return true
		}
	}
	return false
}

// lambdaValue is λ, or auto; both are nothing where --lambda-ratio or --constrain say what to do.
func (f *runFlags) lambdaValue() (lambda float64, auto bool, err error) {
	if f.lambda == "auto" {
		return 0, f.constrain == 0 && f.lambdaRatio == 0, nil
	}
	lambda, err = strconv.ParseFloat(f.lambda, 64)
	if err != nil || !(lambda > 0) || math.IsInf(lambda, 0) {
		return 0, false, usagef("--lambda %q: a positive number, or auto", f.lambda)
	}
	if f.constrain != 0 {
		return 0, false, usagef("--lambda and --constrain exclude each other")
	}
	return lambda, false, nil
}

func (f *runFlags) duration() (time.Duration, error) {
	if f.maxTime == "" {
		return 0, nil
	}
	if s, err := strconv.ParseFloat(f.maxTime, 64); err == nil && s > 0 && s < 1e9 {
		return time.Duration(s * float64(time.Second)), nil
	}
	d, err := time.ParseDuration(f.maxTime)
	if err != nil || d <= 0 {
		return 0, usagef("--max-time %q: a positive time, such as 90s or 5m", f.maxTime)
	}
	return d, nil
}

// ofOneFit are the flags that need a single λ.
var ofOneFit = []string{"model", "trace", "checkpoint", "checkpoint-every", "resume", "warm", "ranking", "lambda-ratio",
	"float32",
	"valid", "valid-features", "valid-labels", "valid-targets"}

// ofChoice are the flags of data to choose λ by.
var ofChoice = []string{"valid", "valid-features", "valid-labels", "valid-targets"}

// ofTests are the flags of data to measure on, of which cross-validation takes its own.
var ofTests = []string{"test", "test-features", "test-labels", "test-targets", "split", "split-per-user", "split-last"}

// whyOfOneFit is what a path has no use for a flag for.
func whyOfOneFit(name, verb string, cv bool) string {
	switch {
	case slices.Contains(ofChoice, name) && cv:
		return "is to choose λ by in gcg fit; " + verb + " chooses by its folds"
	case slices.Contains(ofChoice, name):
		return "is to choose λ by in gcg fit; " + verb + " chooses none, and measures every λ on --test"
	case name == "float32":
		return "is for gcg fit alone; " + verb + " keeps ratings and predictions in float64"
	case name == "lambda-ratio":
		return "is of one λ, for gcg fit; " + verb + " takes --points and --ratio"
	}
	return "belongs to gcg fit, with one λ; " + verb + " prints what it found"
}

// cv says that the verb is cross-validation, which alone has folds.
func (f *runFlags) cv() bool { return f.folds > 0 }

// checkPath refuses what a path cannot use; cv says that it is one of cross-validation, with folds as in byAllowed.
func (f *runFlags) checkPath(cv bool, byAllowed string) error {
	if name := f.changed(ofOneFit); name != "" {
		return usagef("--%s: %s", name, whyOfOneFit(name, f.cmd.CommandPath(), cv))
	}
	switch name := f.changed(ofTests); {
	case cv && name != "":
		return usagef("--%s: %s measures on its folds; fit with the λ that it selects", name, f.cmd.CommandPath())
	case f.points < 1:
		return usagef("--points %d: at least 1", f.points)
	case !(f.ratio > 0 && f.ratio < 1):
		return usagef("--ratio %v: a number between 0 and 1", f.ratio)
	case f.constrain != 0:
		return usagef("--constrain: a path is over λ")
	case f.gauge == "simplex":
		return usagef("--gauge simplex: is held at a --constrain, and a path is over λ; take positive-l1")
	case f.lambda != "auto":
		return usagef("--lambda: a path chooses its own; see --points and --ratio")
	case f.plot != "" && !contains("svg png pdf", plotFormat(f.plot)):
		return usagef("--plot %q: a file that ends in .svg, .png or .pdf", f.plot)
	case !cv:
		return nil
	case f.folds < 2:
		return usagef("--folds %d: at least 2", f.folds)
	case !contains(byAllowed, f.by):
		return usagef("--by %q: %s has %s", f.by, f.problem, strings.ReplaceAll(byAllowed, " ", " and "))
	case f.choose != "min" && f.choose != "1se":
		return usagef("--select %q: min or 1se", f.choose)
	}
	return nil
}

// changed is the first of some flags that was given, or none.
func (f *runFlags) changed(names []string) string {
	for _, name := range names {
		if f.cmd.Flags().Changed(name) {
			return name
		}
	}
	return ""
}

// penaltyOf is h for a λ.
func (f *runFlags) penaltyOf(lambda float64) gcg.Penalty {
	if f.penalty == "square" {
		return gauge.Square{Lambda: lambda}
	}
	return gauge.Linear{Lambda: lambda}
}

// penaltyName is what a model says of h: nothing for a constraint, which its ζ tells.
func (f *runFlags) penaltyName() string {
	if f.constrain > 0 {
		return ""
	}
	return f.penalty
}

// methodOf is the solver with its improver. Atom descent re-optimises the weights of its atoms itself.
func (f *runFlags) methodOf(p *gcg.Problem) (solver.Method, solver.Improver) {
	g, im := f.gcgOf(p)
	if f.solver != "gcg" {
		if _, local := im.(*solver.Local); !local || !f.cmd.Flags().Changed("improve") {
			im = nil
		}
		return &solver.AtomDescent{Atoms: f.atoms}, im
	}
	rules := map[string]solver.Rule{"line-search": solver.LineSearch, "open-loop": solver.OpenLoop, "open-loop-1": solver.OpenLoop1,
		"constant": solver.ConstantStep, "quadratic-bound": solver.QuadraticBound}
	g.Rule, g.Atoms, g.Horizon, g.MaxRank = rules[f.step], f.atoms, max(f.maxIter, 1), f.maxRank
	return g, im
}

// gcgOf is GCG with the improver that --improve names: auto is that of solver.For.
func (f *runFlags) gcgOf(p *gcg.Problem) (*solver.GCG, solver.Improver) {
	switch f.improve {
	case "local":
		return &solver.GCG{OutsideW: true}, &solver.Local{}
	case "corrective":
		return &solver.GCG{}, &solver.Corrective{}
	case "proximal":
		return &solver.GCG{}, &solver.Proximal{}
	case "none":
		return &solver.GCG{}, nil
	}
	m, im, _ := solver.For(p)
	if g, ok := m.(*solver.GCG); ok {
		return g, im
	}
	return &solver.GCG{}, nil // --solver gcg is asked for
}

// improverFor is the name of the improver for a gauge. The problem is not there yet: squares stand for its loss, as every loss
// of the command has second derivatives.
func (f *runFlags) improverFor(k gcg.Gauge) string {
	if _, im := f.gcgOf(&gcg.Problem{Gauge: k, Loss: &loss.Squared{}}); im != nil {
		return im.Name()
	}
	return "none"
}

// checkImprover refuses one that is not for the gauge.
func (f *runFlags) checkImprover(k gcg.Gauge) error {
	can := view.OfGauge(k)
	switch improver := f.improverFor(k); {
	case improver == "local" && !can.Spectral:
		return usagef("--improve local works on singular values, which --gauge %s has none of; take corrective or none", f.gauge)
	case improver == "proximal" && (can.Prox == nil || can.BlockGauge != nil && can.Splitter == nil):
		return usagef("--improve proximal is for gauges of W as a whole, such as trace, simplex, lp:p and schatten:p; for --gauge "+
			"%s take corrective or none", f.gauge)
	case improver == "proximal" && f.maxRank > 0:
		return usagef("--max-rank: proximal steps keep W at no rank; the trace norm's --improve local does")
	}
	return nil
}

// timeLeft is a share of what remains of --max-time, at least a moment; 0 is no limit.
func (f *runFlags) timeLeft(share float64) time.Duration {
	d, _ := f.duration()
	if d == 0 {
		return 0
	}
	return max(time.Duration(share*float64(d-time.Since(f.began))), 1)
}

// options are the limits of a run.
func (f *runFlags) options(im solver.Improver) solver.Options {
	return solver.Options{Tol: f.tol, MaxIter: f.maxIter, MaxTime: f.timeLeft(1), Improver: im, Seed: f.seed, Exact: f.exact}
}

// gaugeFile is the file that --gauge names, or none.
func (f *runFlags) gaugeFile() string {
	word, _ := task.ParseGauge(f.gauge, false)
	return word.File
}
