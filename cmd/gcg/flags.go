package main

import (
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/spf13/cobra"
)

// completionFlags are the flags of fit, path, cv and check for completion.
type completionFlags struct {
	train, test, valid, columns, duplicates   string
	split, splitPerUser                       float64
	splitLast                                 int
	center, weights, clip                     string
	lambda, penalty, solver, improve, step    string
	constrain, tol                            float64
	atoms, maxRank, maxIter, ranking, threads int
	maxTime, warm, model, trace               string
	checkpoint, resume, normalize             string
	checkpointEvery                           time.Duration
	exact, float32, json, quiet, verbose      bool
	intercept                                 bool
	loss, gauge                               string
	generate                                  string
	lambdaRatio                               float64
	seed                                      uint64
	points, folds                             int
	ratio                                     float64
	by, choose                                string
	cmd                                       *cobra.Command
}

func (f *completionFlags) register(cmd *cobra.Command) {
	f.cmd = cmd
	s := cmd.Flags()
	s.SortFlags = false
	s.StringVar(&f.train, "train", "", "ratings to train on; - is standard input (default: a generated dataset)")
	s.StringVar(&f.test, "test", "", "ratings to measure on")
	s.StringVar(&f.valid, "valid", "", "ratings to choose λ by")
	s.StringVar(&f.columns, "columns", "", "user, item and rating columns: names, or numbers from 1")
	s.StringVar(&f.duplicates, "duplicates", "error", "for an entry given twice: error, last or mean")
	s.Float64Var(&f.split, "split", 0, "train on this fraction of the ratings, test on the rest")
	s.Float64Var(&f.splitPerUser, "split-per-user", 0, "train on this fraction of each user's ratings")
	s.IntVar(&f.splitLast, "split-last", 0, "test on each user's last N ratings")
	s.StringVar(&f.lambda, "lambda", "auto", "weight of the trace norm, or auto: a path with a validation part")
	s.Float64Var(&f.constrain, "constrain", 0, "bound the trace norm by ζ instead of a penalty")
	s.StringVar(&f.penalty, "penalty", "linear", "linear: λ‖W‖, square: λ/2 ‖W‖²")
	s.StringVar(&f.loss, "loss", "squared", "squared")
	s.StringVar(&f.gauge, "gauge", "trace", "trace")
	s.StringVar(&f.normalize, "normalize", "sum", "the loss is a sum or a mean over the ratings")
	s.BoolVar(&f.intercept, "intercept", false, "an unpenalised constant")
	s.StringVar(&f.center, "center", "none", "subtract none, global, rows, cols or both means")
	s.StringVar(&f.weights, "weights", "none", "weighted trace norm: none, empirical, power:α or smoothed:α")
	s.StringVar(&f.clip, "clip", "auto", "clip predictions: auto (the range of the training ratings), none or LO,HI")
	s.IntVar(&f.ranking, "ranking", 0, "report recall and NDCG at N on the test ratings")
	s.StringVar(&f.solver, "solver", "gcg", "gcg")
	s.StringVar(&f.improve, "improve", "local", "between steps: none, corrective or local")
	s.StringVar(&f.step, "step", "line-search", "line-search, open-loop, open-loop-1, constant or quadratic-bound")
	s.IntVar(&f.atoms, "atoms", 0, "atoms for each step; 0 chooses")
	s.IntVar(&f.maxRank, "max-rank", 0, "stop growing at this rank; 0 is no limit")
	s.StringVar(&f.warm, "warm", "", "start from this model")
	s.Float64Var(&f.tol, "tol", 1e-3, "relative certified gap to reach")
	s.BoolVar(&f.exact, "exact-certificate", false, "prove the final bound by a Cholesky factorization")
	s.IntVar(&f.maxIter, "max-iter", 0, "stop after this many steps; 0 is no limit")
	s.StringVar(&f.maxTime, "max-time", "", "stop after this time, such as 90s or 5m")
	s.Uint64Var(&f.seed, "seed", 1, "seed of splits and random starts")
	s.IntVar(&f.threads, "threads", 0, "processors to use (default all); the result does not depend on it")
	s.BoolVar(&f.float32, "float32", false, "keep ratings in float32 and no predictions: 12 bytes a rating")
	s.StringVar(&f.trace, "trace", "", "write every iteration to this file as JSON lines")
	s.StringVar(&f.model, "model", "", "write the model to this file")
	s.StringVar(&f.checkpoint, "checkpoint", "", "write the state to this file every so often and when interrupted")
	s.DurationVar(&f.checkpointEvery, "checkpoint-every", 20*time.Second, "at least this time between checkpoints")
	s.StringVar(&f.resume, "resume", "", "continue from this checkpoint")
	s.BoolVar(&f.json, "json", false, "print the result as JSON")
	s.BoolVar(&f.quiet, "quiet", false, "no progress")
	s.BoolVarP(&f.verbose, "verbose", "v", false, "a log line for every iteration")
	f.registerScale()
}

func (f *completionFlags) registerPath(cv bool) {
	s := f.cmd.Flags()
	s.IntVar(&f.points, "points", 20, "values of λ")
	s.Float64Var(&f.ratio, "ratio", 0.01, "the last λ over the first")
	if cv {
		s.IntVar(&f.folds, "folds", 5, "parts of the cross-validation")
		s.StringVar(&f.by, "by", "entry", "folds hold out entries, or whole rows")
		s.StringVar(&f.choose, "select", "min", "the λ of the smallest error (min), or the largest within one standard error (1se)")
	}
}

// maxThreads is more than any machine has: each costs memory, needed or not.
const maxThreads = 4096

// check refuses values out of range.
func (f *completionFlags) check() error {
	changed := f.cmd.Flags().Changed
	switch {
	case !(f.tol > 0) || math.IsInf(f.tol, 0):
		return usagef("--tol %v: the relative gap is a positive number", f.tol)
	case changed("threads") && (f.threads < 1 || f.threads > maxThreads):
		return usagef("--threads %d: from 1 to %d", f.threads, maxThreads)
	case changed("constrain") && !(f.constrain > 0 && !math.IsInf(f.constrain, 0)):
		return usagef("--constrain %v: ζ is a positive number", f.constrain)
	case f.atoms < 0, f.maxRank < 0, f.maxIter < 0, f.ranking < 0:
		return usagef("--atoms, --max-rank, --max-iter and --ranking are not negative")
	case f.checkpointEvery <= 0:
		return usagef("--checkpoint-every %v: a positive time, such as 20s or 5m", f.checkpointEvery)
	case f.loss != "squared":
		return usagef("--loss %q: completion has squared", f.loss)
	case f.gauge != "trace":
		return usagef("--gauge %q: completion has trace", f.gauge)
	case f.solver != "gcg":
		return usagef("--solver %q: this version has gcg", f.solver)
	case f.intercept:
		return usagef("--intercept: use --center global, which completion folds into its predictions")
	}
	if err := f.checkSplit(changed); err != nil {
		return err
	}
	if err := checkColumns(f.columns); err != nil {
		return err
	}
	for _, c := range []struct{ name, value, allowed string }{
		{"duplicates", f.duplicates, "error last mean"}, {"penalty", f.penalty, "linear square"},
		{"normalize", f.normalize, "sum mean"}, {"center", f.center, "none global rows cols both"},
		{"improve", f.improve, "none corrective local"}, {"step", f.step, "line-search open-loop open-loop-1 constant quadratic-bound"},
	} {
		if !contains(c.allowed, c.value) {
			return usagef("--%s %q: there are %s", c.name, c.value, strings.ReplaceAll(c.allowed, " ", ", "))
		}
	}
	if f.threads > 0 {
		runtime.GOMAXPROCS(f.threads)
	}
	if err := f.checkScale(changed); err != nil {
		return err
	}
	if _, err := f.duration(); err != nil {
		return err
	}
	if _, _, err := f.weighting(); err != nil {
		return err
	}
	_, _, _, err := f.clipping()
	return err
}

func contains(list, word string) bool {
	for _, w := range strings.Fields(list) {
		if w == word {
			return true
		}
	}
	return false
}

// checkColumns wants three names or numbers, or four with a time.
func checkColumns(columns string) error {
	if columns == "" {
		return nil
	}
	names := strings.Split(columns, ",")
	for i, n := range names {
		names[i] = strings.TrimSpace(n)
		if v, err := strconv.Atoi(names[i]); err == nil && v < 1 {
			return usagef("--columns %q: numbers of columns start at 1", columns)
		}
	}
	if len(names) < 3 || len(names) > 4 || slices.Contains(names, "") {
		return usagef("--columns %q: a user, an item and a rating column, and perhaps a time, with commas between", columns)
	}
	return nil
}

func (f *completionFlags) checkSplit(changed func(string) bool) error {
	count := 0
	for _, name := range []string{"split", "split-per-user", "split-last", "test"} {
		if changed(name) {
			count++
		}
	}
	switch {
	case count > 1:
		return usagef("--test, --split, --split-per-user and --split-last exclude each other")
	case changed("split") && !(f.split > 0 && f.split < 1):
		return usagef("--split %v: a fraction between 0 and 1", f.split)
	case changed("split-per-user") && !(f.splitPerUser > 0 && f.splitPerUser < 1):
		return usagef("--split-per-user %v: a fraction between 0 and 1", f.splitPerUser)
	case changed("split-last") && f.splitLast < 1:
		return usagef("--split-last %d: at least 1", f.splitLast)
	}
	return nil
}

// lambdaValue is λ, or auto.
func (f *completionFlags) lambdaValue() (lambda float64, auto bool, err error) {
	if f.lambda == "auto" {
		return 0, f.constrain == 0, nil
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

func (f *completionFlags) duration() (time.Duration, error) {
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

// weighting is the kind of the weighted trace norm and its α.
func (f *completionFlags) weighting() (kind string, alpha float64, err error) {
	kind, value, has := strings.Cut(f.weights, ":")
	switch {
	case (kind == "none" || kind == "empirical") && !has:
		return kind, 0, nil
	case (kind == "power" || kind == "smoothed") && has:
		alpha, err = strconv.ParseFloat(value, 64)
		if err == nil && alpha >= 0 && alpha <= 1 {
			return kind, alpha, nil
		}
	}
	return "", 0, usagef("--weights %q: none, empirical, power:α or smoothed:α with α from 0 to 1", f.weights)
}

func (f *completionFlags) clipping() (mode string, lo, hi float64, err error) {
	if f.clip == "auto" || f.clip == "none" {
		return f.clip, 0, 0, nil
	}
	a, b, ok := strings.Cut(f.clip, ",")
	lo, err1 := strconv.ParseFloat(a, 64)
	hi, err2 := strconv.ParseFloat(b, 64)
	if !ok || err1 != nil || err2 != nil || !(lo < hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		return "", 0, 0, usagef("--clip %q: auto, none, or two ascending numbers LO,HI", f.clip)
	}
	return "range", lo, hi, nil
}

func (f *completionFlags) duplicatesRule() dataset.Duplicates {
	return map[string]dataset.Duplicates{"error": dataset.RefuseDuplicates, "last": dataset.LastDuplicate, "mean": dataset.MeanDuplicates}[f.duplicates]
}

// penaltyOf is h for a λ.
func (f *completionFlags) penaltyOf(lambda float64) gcg.Penalty {
	if f.penalty == "square" {
		return gauge.Square{Lambda: lambda}
	}
	return gauge.Linear{Lambda: lambda}
}

// methodOf is the solver with its improver.
func (f *completionFlags) methodOf() (solver.Method, solver.Improver) {
	rules := map[string]solver.Rule{"line-search": solver.LineSearch, "open-loop": solver.OpenLoop, "open-loop-1": solver.OpenLoop1,
		"constant": solver.ConstantStep, "quadratic-bound": solver.QuadraticBound}
	g := &solver.GCG{Rule: rules[f.step], Atoms: f.atoms, Horizon: max(f.maxIter, 1), MaxRank: f.maxRank}
	switch f.improve {
	case "local":
		g.Fresh = true
		return g, &solver.Local{}
	case "corrective":
		return g, &solver.Corrective{}
	}
	return g, nil
}
