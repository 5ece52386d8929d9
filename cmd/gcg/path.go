package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/seed-b18ef778/gcg/solver"
	"github.com/spf13/cobra"
)

var pathVerb = verb{name: "path", short: "A warm-started regularization path, from the λ at which W = 0 downwards", path: true, do: pathStudy}

func pathStudy(cmd *cobra.Command, st study, log io.Writer) error {
	f := st.run()
	show := newProgress(log, f)
	st.greet(show)
	t, err := st.whole()
	if err != nil {
		return err
	}
	lambdas, err := grid(cmd.Context(), f, t.problem)
	if err != nil {
		return err
	}
	w := &walk{f: f, trial: t, lambdas: lambdas, tol: f.tol, share: 1, visit: func(p pathPoint) {
		show.say(fmt.Sprintf("λ %.4g  %s  gap %s", p.Lambda, p.size, p.gapText()))
	}}
	if err := w.run(cmd.Context()); err != nil {
		return err
	}
	switch n := len(w.points); {
	case cmd.Context().Err() != nil:
		cutShort(w.points, solver.Interrupted, show, fmt.Sprintf("interrupted after %d of %d λ", n, len(lambdas)))
	case n > len(solved(w.points)):
		cutShort(w.points, solver.MaxTime, show, fmt.Sprintf("--max-time was over at %d of %d λ, before its gap was reached", n, len(lambdas)))
	}
	if err := printPath(cmd.OutOrStdout(), w.points, f.json); err != nil || f.plot == "" {
		return err
	}
	return plotPath(f.plot, w.points, 0)
}

// cutShort marks the points of a grid that was not finished, for scripts, and says so.
func cutShort(points []pathPoint, why solver.Status, show *progress, text string) {
	for i := range points {
		points[i].CutShort = string(why)
	}
	show.warn(text)
}

// printPath prints the points, of which there are some, or a table of them, without the columns that the points have nothing for: objectives of
// folds, errors without test data, or their deviations without folds.
func printPath(out io.Writer, points []pathPoint, asJSON bool) error {
	if asJSON {
		return printJSON(out, points)
	}
	size := points[0].name()
	fmt.Fprintf(out, "%12s %*s", "lambda", max(6, len(size)), size)
	if points[0].Optimum != nil {
		fmt.Fprintf(out, " %14s", "objective")
	}
	fmt.Fprintf(out, " %9s", "gap")
	names, _ := points[0].list()
	for i, n := range names {
		if fmt.Fprintf(out, " %10s", n); i == 0 && points[0].StdErr != nil {
			fmt.Fprintf(out, " %10s", "±")
		}
	}
	fmt.Fprintln(out)
	for _, p := range points {
		printPoint(out, p, max(6, len(size)))
	}
	return nil
}

func printPoint(out io.Writer, p pathPoint, wide int) {
	fmt.Fprintf(out, "%12.5g %*d", p.Lambda, wide, p.count())
	if p.Optimum != nil {
		fmt.Fprintf(out, " %14.8g", p.Objective)
	}
	fmt.Fprintf(out, " %9s", p.gapText())
	_, values := p.list()
	for i, x := range values {
		if fmt.Fprintf(out, " %10s", tabled(x)); i == 0 && p.StdErr != nil {
			fmt.Fprintf(out, " %10s", tabled(*p.StdErr))
		}
	}
	fmt.Fprintln(out)
}

// tabled is a score with five decimals, or as many as its column of ten characters holds.
func tabled(x float64) string {
	places := 5
	for places > 0 && len(fixed(x, places)) > 10 {
		places--
	}
	return fixed(x, places)
}

var cvVerb = verb{name: "cv", short: "Choose λ by cross-validation on the path", path: true, cv: true, do: cvStudy}

func cvStudy(cmd *cobra.Command, st study, log io.Writer) error {
	f := st.run()
	show := newProgress(log, f)
	st.greet(show)
	points, err := crossValidate(cmd, st, show)
	if err != nil {
		return err
	}
	for _, rule := range []string{"min", "1se"} {
		p := selectPoint(points, rule)
		p.Selected = append(p.Selected, rule)
	}
	if err := printPath(cmd.OutOrStdout(), points, f.json); err != nil {
		return err
	}
	lambda := selectPoint(points, f.choose).Lambda
	if !f.json {
		fmt.Fprintf(cmd.OutOrStdout(), "select %s: lambda %.6g\n", f.choose, lambda)
	}
	if f.plot == "" {
		return nil
	}
	return plotPath(f.plot, points, lambda)
}

// crossValidate averages the errors of the folds on one grid of λ; with a summed loss each fold's λ is scaled by its share of
// the observations.
func crossValidate(cmd *cobra.Command, st study, show *progress) ([]pathPoint, error) {
	f, ctx := st.run(), cmd.Context()
	whole, err := st.whole()
	if err != nil {
		return nil, err
	}
	lambdas, err := grid(ctx, f, whole.problem)
	if err != nil {
		return nil, err
	}
	a := &averages{lambdas: lambdas, points: make([]pathPoint, len(lambdas))}
	for k := 0; k < f.folds && ctx.Err() == nil; k++ {
		t, err := st.fold(k)
		if err != nil {
			return nil, err
		}
		if k == 0 && f.normalize == "sum" {
			show.say("the loss is a sum: each fold's λ is scaled by its share of the " + st.noun())
		}
		if err := a.fold(ctx, f, t, k, show); err != nil {
			return nil, err
		}
	}
	if a.folds < 2 {
		return nil, errors.New("interrupted before two folds were done, which a standard error needs; nothing can be chosen")
	}
	points := a.mean()
	switch n := len(points); {
	case a.folds < f.folds:
		cutShort(points, solver.Interrupted, show, fmt.Sprintf("interrupted: means of %d of %d folds, from which λ is selected", a.folds, f.folds))
	case n < len(lambdas):
		cutShort(points, solver.MaxTime, show, fmt.Sprintf("--max-time was over: all folds reached %d of %d λ, from which one is selected", n, len(lambdas)))
	}
	return points, nil
}

// solved are the points before the one at which time was over.
func solved(points []pathPoint) []pathPoint {
	if n := len(points); n > 0 && !points[n-1].solved() {
		return points[:n-1]
	}
	return points
}

// averages are sums over folds, for each λ that all of them reached: of every score, and of the square of the first.
type averages struct {
	lambdas []float64
	points  []pathPoint // of the last fold, or of the one that is furthest from being solved
	sums    [][]float64
	squares []float64
	folds   int
}

// fold solves fold k and adds it; not if that is interrupted, since part of a fold would cut the grid of the others.
func (a *averages) fold(ctx context.Context, f *runFlags, t *trial, k int, show *progress) error {
	scaled := make([]float64, len(a.lambdas))
	for i, l := range a.lambdas {
		scaled[i] = l * t.share
	}
	w := &walk{f: f, trial: t, lambdas: scaled, tol: f.tol, share: 1 / float64(f.folds-k), visit: func(p pathPoint) {
		names, _ := p.list()
		show.say(fmt.Sprintf("fold %d  λ %.4g  %s  %s %s", k+1, p.Lambda/t.share, p.size, names[0], decimals(p.first())))
	}}
	switch err := w.run(ctx); {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return err
	}
	return a.add(solved(w.points))
}

func (a *averages) add(points []pathPoint) error {
	if len(points) == 0 {
		return errors.New("--max-time was over before every fold had solved for one λ; give more, or fewer --folds")
	}
	a.folds++
	a.points = a.points[:min(len(a.points), len(points))]
	if a.sums == nil {
		a.sums, a.squares = make([][]float64, len(a.lambdas)), make([]float64, len(a.lambdas))
	}
	for i, p := range points[:len(a.points)] {
		_, values := p.list()
		first := a.sums[i] == nil
		if first {
			a.sums[i] = make([]float64, len(values))
		}
		for k, v := range values {
			a.sums[i][k] += v
		}
		a.squares[i] += values[0] * values[0]
		kept, converged := &a.points[i], string(solver.Converged)
		iterations, seconds := kept.Iterations+p.Iterations, kept.Seconds+p.Seconds
		if first || kept.Status == converged || p.Status != converged && p.gap() > kept.gap() {
			p.Fold = &foldPoint{p.Lambda, *p.Optimum}
			p.Lambda, p.Optimum = a.lambdas[i], nil
			*kept = p
		}
		kept.Iterations, kept.Seconds = iterations, seconds
	}
	return nil
}

// mean is these points with the mean scores, and the standard error of the first.
func (a *averages) mean() []pathPoint {
	n := float64(a.folds)
	for i := range a.points {
		for k := range a.sums[i] {
			a.sums[i][k] /= n
		}
		mean := a.sums[i][0]
		se := math.Sqrt(math.Max(0, a.squares[i]/n-mean*mean) / (n - 1))
		a.points[i].scores, a.points[i].StdErr = a.points[i].replaced(a.sums[i]), &se
	}
	return a.points
}
