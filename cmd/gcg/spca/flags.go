package spca

import (
	"context"
	"errors"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/clock"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/spca"
	"github.com/spf13/cobra"
)

// flags are those of all verbs.
type flags struct {
	table                          cli.TableFlags
	verb                           string
	covariance, features           string
	lambda, center, maxTime        string
	model, trace, rule, solver     string
	picture                        string
	lambdaRatio, tol, ratio        float64
	nonzeros, components           int
	maxIter, threads               int
	points, folds                  int
	standardize, exact             bool
	json, quiet, verbose, required bool
	seed                           uint64
	began                          clock.Mark // what --max-time counts from
	read                           time.Duration
}

// fields are where the values of flags are kept.
func (f *flags) fields() cli.Fields {
	all := cli.Fields{"covariance": &f.covariance, "features": &f.features, "components": &f.components, "center": &f.center,
		"standardize": &f.standardize, "solver": &f.solver, "tol": &f.tol, "max-iter": &f.maxIter, "max-time": &f.maxTime,
		"exact-certificate": &f.exact, "require-converged": &f.required, "seed": &f.seed, "threads": &f.threads, "json": &f.json,
		"quiet": &f.quiet, "verbose": &f.verbose}
	all.And(f.table.Fields())
	switch {
	case f.single():
		all.And(cli.Fields{"lambda": &f.lambda, "lambda-ratio": &f.lambdaRatio, "nonzeros": &f.nonzeros})
	default:
		all.And(cli.Fields{"points": &f.points, "ratio": &f.ratio, "folds": &f.folds, "select": &f.rule})
	}
	if f.verb == "fit" {
		all.And(cli.Fields{"trace": &f.trace, "model": &f.model, "picture": &f.picture})
	}
	return all
}

// single says that the verb is of one λ.
func (f *flags) single() bool { return f.verb == "fit" || f.verb == "check" }

// check refuses values out of range, and flags that exclude each other.
func (f *flags) check(cmd *cobra.Command) error {
	switch {
	case (f.covariance == "") == (f.features == ""):
		return cli.Usagef("%s takes --covariance C or --features X", cmd.CommandPath())
	case f.covariance != "" && f.standardize:
		return cli.Usagef("--standardize: a covariance is taken as it is; give a correlation, or the data with --features")
	case f.covariance != "" && cmd.Flags().Changed("center"):
		return cli.Usagef("--center: a covariance is taken as it is; the data whose means it subtracts go with --features")
	case f.given() > 1:
		return cli.Usagef("--lambda, --lambda-ratio and --nonzeros exclude each other")
	}
	if err := cli.OneOf([][3]string{{"solver", f.solver, solverWords()}}); err != nil {
		return err
	}
	if _, err := f.lambdaValue(); err != nil {
		return err
	}
	if _, err := cli.MaxTime(f.maxTime); err != nil {
		return err
	}
	if err := cli.CheckResult(f.model, f.trace, f.picture); err != nil {
		return err
	}
	return cli.CheckFiles([]string{f.covariance, f.features}, f.model, f.trace, f.picture)
}

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
	show  *cli.Progress
}

// load reads the data, and checks it.
func (f *flags) load(ctx context.Context, log io.Writer) (*job, error) {
	f.began = clock.Begin(ctx)
	limit, _ := cli.MaxTime(f.maxTime)
	j, err := cli.Before(ctx, f.began, limit, func() (*job, error) {
		t := &spca.Task{Name: f.covariance + f.features, Uncentered: f.center == "none", Standardize: f.standardize,
			Nonzeros: f.nonzeros, Components: f.components, Method: solverOf(f.solver)}
		opt := task.Options{LambdaRatio: f.lambdaRatio,
			Run: solver.Options{Tol: f.tol, MaxIter: f.maxIter, MaxTime: limit, Seed: f.seed, Exact: f.exact}}
		opt.Lambda, _ = f.lambdaValue()
		show := cli.Steps(log, f.quiet, f.verbose)
		t.Progress = show.Step
		if err := cli.ForeseeReading(t.Name); err != nil {
			return nil, err
		}
		x, err := cli.ReadOnce(ctx, func() (*dataset.Matrix, error) { return f.table.Reader().Read(t.Name, nil) })
		if err != nil {
			return nil, err
		}
		if f.covariance != "" {
			t.Covariance = x
		} else {
			t.Features = x
		}
		j := &job{Task: t, show: show}
		opt.Run.Event = func(e solver.Event) {
			if j.event != nil {
				j.event(e)
			}
		}
		j.Prepared, err = t.Prepare(opt)
		return j, err
	})
	f.read = f.began.Elapsed()
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
		return context.WithDeadline(ctx, f.began.At().Add(d))
	}
	return context.WithCancel(ctx)
}
