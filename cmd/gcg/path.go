package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/spf13/cobra"
)

func pathCommand() *cobra.Command {
	f := &completionFlags{}
	cmd := &cobra.Command{
		Use:   "path completion [flags]",
		Short: "A warm-started regularization path, from the λ at which W = 0 downwards",
		Example: `  gcg path completion --train ratings.csv --split 0.9 --points 20
  gcg path completion --train ratings.csv --ratio 0.02 --json`,
		Args: problemArg,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.checkPath(false); err != nil {
				return err
			}
			c, err := loadCompletion(f)
			if err != nil {
				return err
			}
			show := newProgress(cmd.ErrOrStderr(), f)
			c.greet(show)
			points, err := c.pathOn(cmd.Context(), c.data, c.test, nil, f.tol, true, func(p pathPoint) {
				show.say(fmt.Sprintf("λ %.4g  rank %d  gap %.1e", p.Lambda, p.Rank, p.RelativeGap))
			})
			if err != nil {
				return err
			}
			return printPath(cmd.OutOrStdout(), points, f.json)
		},
	}
	f.register(cmd)
	f.registerPath(false)
	return cmd
}

// ofOneFit are the flags that need a single λ.
var ofOneFit = []string{"model", "trace", "checkpoint", "resume", "ranking", "valid"}

func (f *completionFlags) checkPath(cv bool) error {
	for _, name := range ofOneFit {
		if f.cmd.Flags().Changed(name) {
			return usagef("--%s: belongs to gcg fit, with one λ; %s prints what it found", name, f.cmd.CommandPath())
		}
	}
	if f.points < 1 {
		return usagef("--points %d: at least 1", f.points)
	}
	if !(f.ratio > 0 && f.ratio < 1) {
		return usagef("--ratio %v: a number between 0 and 1", f.ratio)
	}
	if f.constrain != 0 {
		return usagef("--constrain: a path is over λ")
	}
	if f.lambda != "auto" {
		return usagef("--lambda: a path chooses its own; see --points and --ratio")
	}
	if cv {
		switch {
		case f.folds < 2:
			return usagef("--folds %d: at least 2", f.folds)
		case f.by != "entry" && f.by != "row":
			return usagef("--by %q: completion has entry and row", f.by)
		case f.choose != "min" && f.choose != "1se":
			return usagef("--select %q: min or 1se", f.choose)
		}
	}
	return f.check()
}

func printPath(out io.Writer, points []pathPoint, asJSON bool) error {
	if asJSON {
		if points == nil {
			points = []pathPoint{}
		}
		b, err := json.Marshal(points)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "%s\n", b)
		return err
	}
	fmt.Fprintf(out, "%12s %6s %14s %9s %10s %10s\n", "lambda", "rank", "objective", "gap", "RMSE", "±")
	for _, p := range points {
		rmse, se := "", ""
		if p.RMSE != nil {
			rmse = fmt.Sprintf("%.5f", *p.RMSE)
		}
		if p.StdErr != nil {
			se = fmt.Sprintf("%.5f", *p.StdErr)
		}
		fmt.Fprintf(out, "%12.5g %6d %14.8g %9.1e %10s %10s\n", p.Lambda, p.Rank, p.Objective, p.RelativeGap, rmse, se)
	}
	return nil
}

func cvCommand() *cobra.Command {
	f := &completionFlags{}
	cmd := &cobra.Command{
		Use:   "cv completion [flags]",
		Short: "Choose λ by cross-validation on the path",
		Example: `  gcg cv completion --train ratings.csv --folds 5
  gcg cv completion --train ratings.csv --select 1se --json`,
		Args: problemArg,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.checkPath(true); err != nil {
				return err
			}
			c, err := loadCompletion(f)
			if err != nil {
				return err
			}
			show := newProgress(cmd.ErrOrStderr(), f)
			c.greet(show)
			points, err := c.crossValidate(cmd, show)
			if err != nil {
				return err
			}
			if err := printPath(cmd.OutOrStdout(), points, f.json); err != nil || f.json || len(points) == 0 {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "select %s: lambda %.6g\n", f.choose, selectPoint(points, f.choose).Lambda)
			return nil
		},
	}
	f.register(cmd)
	f.registerPath(true)
	return cmd
}

// crossValidate averages the squared errors of the folds on one grid of λ; with a summed loss each fold's λ is scaled by its
// share of the ratings.
func (c *completion) crossValidate(cmd *cobra.Command, show *progress) ([]pathPoint, error) {
	f, ctx := c.f, cmd.Context()
	whole, err := c.setup(c.data)
	if err != nil {
		return nil, err
	}
	lambdas, err := c.grid(ctx, whole)
	if err != nil || lambdas == nil {
		return nil, err
	}
	sums, squares := make([]float64, len(lambdas)), make([]float64, len(lambdas))
	points := make([]pathPoint, len(lambdas))
	if f.normalize == "sum" {
		show.say("the loss is a sum: each fold's λ is scaled by its share of the ratings")
	}
	fold := c.folds()
	for k := range f.folds {
		fit, held, scale, err := c.fold(fold, k)
		if err != nil {
			return nil, err
		}
		scaled := make([]float64, len(lambdas))
		for i, l := range lambdas {
			scaled[i] = l * scale
		}
		got, err := c.pathOn(ctx, fit, held, scaled, max(f.tol, 1e-3), true, func(p pathPoint) {
			show.say(fmt.Sprintf("fold %d  λ %.4g  rank %d  RMSE %.4f", k+1, p.Lambda/scale, p.Rank, *p.RMSE))
		})
		if err == nil && ctx.Err() != nil {
			err = errors.New("interrupted before all folds were done; nothing can be chosen from some of them")
		}
		if err != nil {
			return nil, err
		}
		for i, p := range got {
			sums[i] += *p.RMSE
			squares[i] += *p.RMSE * *p.RMSE
			p.Lambda = lambdas[i]
			points[i] = p
		}
	}
	n := float64(f.folds)
	for i := range points {
		mean := sums[i] / n
		se := math.Sqrt(math.Max(0, squares[i]/n-mean*mean) / (n - 1))
		points[i].RMSE, points[i].StdErr = &mean, &se
	}
	return points, nil
}

// folds assigns each rating to a fold, whole users together with --by row.
func (c *completion) folds() []int {
	if c.f.by == "entry" {
		return dataset.Folds(len(c.train.Values), c.f.folds, c.f.seed)
	}
	rows := dataset.Folds(c.train.Shape[0], c.f.folds, c.f.seed)
	fold := make([]int, len(c.train.Values))
	for e, i := range c.train.Rows {
		fold[e] = rows[i]
	}
	return fold
}

func (c *completion) fold(fold []int, k int) (fit *dataset.Sparse, held *dataset.Ratings, scale float64, err error) {
	var in, out []int32
	for e, at := range fold {
		if at == k {
			out = append(out, int32(e))
		} else {
			in = append(in, int32(e))
		}
	}
	if len(in) == 0 || len(out) == 0 {
		return nil, nil, 0, fmt.Errorf("%s: has too few ratings or rows for %d folds", c.train.Name, c.f.folds)
	}
	scale = 1
	if c.f.normalize == "sum" {
		scale = float64(len(in)) / float64(len(fold))
	}
	fit, err = c.train.Subset(in).Compress(c.f.duplicatesRule())
	return fit, c.train.Subset(out), scale, err
}

// selectPoint is the point of the smallest error, or the largest λ within one standard error of it.
func selectPoint(points []pathPoint, rule string) pathPoint {
	best := points[0]
	for _, p := range points {
		if *p.RMSE < *best.RMSE {
			best = p
		}
	}
	if rule == "1se" {
		for _, p := range points { // λ descends
			if *p.RMSE <= *best.RMSE+*best.StdErr {
				return p
			}
		}
	}
	return best
}
