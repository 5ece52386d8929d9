package spca

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task/spca"
	"github.com/spf13/cobra"
)

// flags are those of all verbs.
type flags struct {
	verb                           string
	covariance, features           string
	lambda, center, maxTime        string
	model, trace, rule, solver     string
	lambdaRatio, tol, ratio        float64
	nonzeros, components           int
	maxIter, threads               int
	points, folds                  int
	standardize, exact             bool
	json, quiet, verbose, required bool
	seed                           uint64
	read                           time.Duration
}

func (f *flags) register(cmd *cobra.Command) {
	s := cmd.Flags()
	s.SortFlags = false
	s.StringVar(&f.covariance, "covariance", "", "the covariance C: CSV, Matrix Market, .npy or .npz")
	s.StringVar(&f.features, "features", "", "the data, a row for each sample, whose covariance it is; likewise")
	s.IntVar(&f.components, "components", 1, "how many, each of what those before leave of C")
	s.StringVar(&f.center, "center", "cols",
		"cols: C is of the features less the means of their columns; none: of the features as they are")
	s.BoolVar(&f.standardize, "standardize", false, "divide columns by their standard deviations: C is the correlation")
	if f.single() {
		s.StringVar(&f.lambda, "lambda", "auto",
			"weight λ of ‖X‖₁, or auto: each component keeps 90 % of the variance that it could have")
		s.Float64Var(&f.lambdaRatio, "lambda-ratio", 0, "λ as a part of the largest variance, beyond which one variable is left")
		s.IntVar(&f.nonzeros, "nonzeros", 0, "find the λ for so many variables in each component")
	} else {
		f.lambda = "auto"
		s.IntVar(&f.points, "points", 20, "values of λ")
		s.Float64Var(&f.ratio, "ratio", 0.02, "the last λ over the largest variance")
	}
	if f.verb == "cv" {
		s.IntVar(&f.folds, "folds", 5, "parts of the cross-validation")
		s.StringVar(&f.rule, "select", "min", "the λ that explains most (min), or the largest within one standard error of it (1se)")
	}
	s.StringVar(&f.solver, "solver", "sparse-pca", solverUsage())
	cli.SolverWords(s, strings.Fields(solverWords()))
	s.Float64Var(&f.tol, "tol", 1e-3, "relative certified gap to reach")
	s.IntVar(&f.maxIter, "max-iter", 0, "stop after this many steps; 0 is no limit")
	s.StringVar(&f.maxTime, "max-time", "", "stop after this time, such as 90s or 5m; reading is not counted")
	s.BoolVar(&f.exact, "exact-certificate", false, "prove the final bound by a Cholesky factorization")
	s.BoolVar(&f.required, "require-converged", false, "exit with 3 where a gap is not reached")
	s.Uint64Var(&f.seed, "seed", 1, "seed of folds and random starts")
	s.IntVar(&f.threads, "threads", 0, "processors to use (default all)")
	if f.verb == "fit" {
		s.StringVar(&f.trace, "trace", "", "write every iteration to this file as JSON lines")
		s.StringVar(&f.model, "model", "", "write the model to this file")
	}
	s.BoolVar(&f.json, "json", false, "print the result as JSON")
	s.BoolVar(&f.quiet, "quiet", false, "no progress")
	s.BoolVarP(&f.verbose, "verbose", "v", false, "a log line for every iteration")
}

// single says that the verb is of one λ.
func (f *flags) single() bool { return f.verb == "fit" || f.verb == "check" }

// check refuses values out of range, and flags that exclude each other.
func (f *flags) check(cmd *cobra.Command) error {
	changed := cmd.Flags().Changed
	switch {
	case (f.covariance == "") == (f.features == ""):
		return cli.Usagef("%s takes --covariance C or --features X", cmd.CommandPath())
	case f.covariance != "" && (changed("center") || f.standardize):
		return cli.Usagef("--center and --standardize are of --features; a covariance is taken as it is")
	case f.verb == "cv" && f.covariance != "":
		return cli.Usagef("--covariance: has no rows to hold out; cross-validation takes --features")
	case f.components < 1:
		return cli.Usagef("--components %d: at least 1", f.components)
	case changed("nonzeros") && f.nonzeros < 1:
		return cli.Usagef("--nonzeros %d: at least 1", f.nonzeros)
	case changed("lambda-ratio") && !(f.lambdaRatio > 0 && f.lambdaRatio < 1):
		return cli.Usagef("--lambda-ratio %v: between 0 and 1", f.lambdaRatio)
	case f.given() > 1:
		return cli.Usagef("--lambda, --lambda-ratio and --nonzeros exclude each other")
	case !(f.tol > 0) || math.IsInf(f.tol, 0):
		return cli.Usagef("--tol %v: the relative gap is a positive number", f.tol)
	case f.maxIter < 0:
		return cli.Usagef("--max-iter %d: not negative", f.maxIter)
	case changed("threads") && (f.threads < 1 || f.threads > mostThreads):
		return cli.Usagef("--threads %d: from 1 to %d", f.threads, mostThreads)
	case !f.single() && f.points < 1:
		return cli.Usagef("--points %d: at least 1", f.points)
	case !f.single() && !(f.ratio > 0 && f.ratio < 1):
		return cli.Usagef("--ratio %v: a number between 0 and 1", f.ratio)
	case f.verb == "cv" && f.folds < 2:
		return cli.Usagef("--folds %d: at least 2", f.folds)
	case f.verb == "cv" && f.rule != "min" && f.rule != "1se":
		return cli.Usagef("--select %q: min or 1se", f.rule)
	}
	if err := cli.OneOf([][3]string{{"center", f.center, "cols none"}, {"solver", f.solver, solverWords()}}); err != nil {
		return err
	}
	if _, err := f.lambdaValue(); err != nil {
		return err
	}
	if _, err := cli.MaxTime(f.maxTime); err != nil {
		return err
	}
	return cli.CheckFiles([]string{f.covariance, f.features}, f.model, f.trace)
}

// mostThreads is more than any machine has.
const mostThreads = 4096

// given is how many flags say what λ is.
func (f *flags) given() (n int) {
	for _, is := range []bool{f.lambda != "auto", f.lambdaRatio > 0, f.nonzeros > 0} {
		if is {
			n++
		}
	}
	return n
}

// lambdaValue is λ, or 0 where it is to be chosen.
func (f *flags) lambdaValue() (float64, error) {
	if f.lambda == "auto" {
		return 0, nil
	}
	x, err := strconv.ParseFloat(f.lambda, 64)
	if err != nil || !(x > 0) || math.IsInf(x, 0) {
		return 0, cli.Usagef("--lambda %q: a positive number, or auto", f.lambda)
	}
	return x, nil
}

// A job is the task that the flags make of the data.
type job struct {
	*spca.Task
	*spca.Prepared
	event func(solver.Event) // of the runs at the final λ; may be nil
}

// load reads the data, and checks it.
func (f *flags) load(ctx context.Context, log io.Writer) (*job, error) {
	began := time.Now()
	limit, _ := cli.MaxTime(f.maxTime)
	j, err := cli.UnlessInterrupted(ctx, func() (*job, error) {
		t := &spca.Task{Name: f.covariance + f.features, Uncentered: f.center == "none", Standardize: f.standardize,
			LambdaRatio: f.lambdaRatio, Nonzeros: f.nonzeros, Components: f.components, Method: solverOf(f.solver),
			Run: solver.Options{Tol: f.tol, MaxIter: f.maxIter, MaxTime: limit, Seed: f.seed, Exact: f.exact}}
		t.Lambda, _ = f.lambdaValue()
		if !f.quiet {
			t.Progress = func(text string) { fmt.Fprintln(log, text) }
		}
		if err := cli.ForeseeReading(t.Name); err != nil {
			return nil, err
		}
		x, err := dataset.ReadMatrix(t.Name, nil)
		if err != nil {
			return nil, err
		}
		if f.covariance != "" {
			t.Covariance = x
		} else {
			t.Features = x
		}
		j := &job{Task: t}
		t.Run.Event = func(e solver.Event) {
			if j.event != nil {
				j.event(e)
			}
		}
		j.Prepared, err = t.Prepare()
		return j, err
	})
	f.read = time.Since(began)
	return j, err
}

// late words the error of work that --max-time has ended.
func late(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.New("--max-time was over before there was a component; give more, or a --lambda")
	}
	return err
}

// limited is a context that ends with --max-time, and how to release it.
func (f *flags) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if d, _ := cli.MaxTime(f.maxTime); d > 0 {
		return context.WithTimeout(ctx, d)
	}
	return context.WithCancel(ctx)
}
