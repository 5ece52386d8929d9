package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/decimal"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/spf13/cobra"
)

// PathVerb is gcg path.
var PathVerb = verb{name: "path", short: "A warm-started regularization path, from the λ at which W = 0 downwards", path: true,
	do: pathJob}

func pathJob(cmd *cobra.Command, st Job, log io.Writer) error {
	f := st.Shared()
	show := NewProgress(log, f)
	defer show.close()
	st.Greet(show)
	t, err := wholeProblem(cmd.Context(), st)
	if err != nil {
		return err
	}
	weights, weighted := &pathWeights{}, Weighted(nil)
	if f.coefficients != "" {
		weighted, _ = st.(Weighted)
	}
	search := f.search(func(e selection.Event) {
		show.Step(fmt.Sprintf("λ %.4g  %s  gap %s", e.Point.Lambda, e.Point.Size, gapText(e.Point.Gap())))
		if weighted != nil {
			weights.add(e.Point.Lambda, weighted.Weights(e.State))
		}
	})
	if f.Plot != "" {
		search.Largest = keptEntries
	}
	c, err := selection.Path(cmd.Context(), t, search)
	if err = Kept(c != nil, err); err != nil {
		return err
	}
	switch n := len(c.Points); c.CutShort {
	case solver.Interrupted:
		show.warn(fmt.Sprintf("interrupted after %d of %d λ", n, len(c.Grid)))
	case solver.MaxTime:
		show.warn(fmt.Sprintf("--max-time was over at %d of %d λ, before its gap was reached", n, len(c.Grid)))
	}
	if text := endWarning(c, 1); text != "" {
		show.warn(text)
	}
	show.close()
	points := pointsOf(f, c)
	for i := range points {
		points[i].Coefficients = weights.at(points[i].Lambda)
	}
	if err := printPath(cmd.OutOrStdout(), points, f.JSON); err != nil {
		return err
	}
	if weighted != nil {
		if err := WriteRecords(f.coefficients, nil, weights.records()); err != nil {
			return err
		}
	}
	if f.Plot == "" {
		return nil
	}
	return plotPath(f.Plot, st, c, "")
}

// A Weighted is a Job whose W has a row for each feature: rows of feature, output and weight of a solution.
type Weighted interface {
	Weights(s *gcg.State) dataset.Records
}

// pathWeights are the weights along a path.
type pathWeights struct{ cells [][]dataset.Cell }

// add takes the weights at a λ.
func (w *pathWeights) add(lambda float64, r dataset.Records) {
	for cells := range r.Rows {
		w.cells = append(w.cells, append([]dataset.Cell{{Number: lambda}}, cells...))
	}
}

// A coefficient is an entry of W that is not 0, or an intercept, which has no feature.
type coefficient struct {
	Feature string  `json:"feature,omitempty"`
	Output  string  `json:"output,omitempty"`
	Weight  float64 `json:"weight"`
}

// at are the weights at a λ.
func (w *pathWeights) at(lambda float64) (list []coefficient) {
	for _, c := range w.cells {
		if c[0].Number == lambda {
			list = append(list, coefficient{c[1].Text, c[2].Text, c[3].Number})
		}
	}
	return list
}

// records are rows of lambda, feature, output and weight.
func (w *pathWeights) records() dataset.Records {
	return dataset.Records{Fields: []dataset.Field{{Name: "lambda", Kind: dataset.NumberField}, {Name: "feature"}, {Name: "output"},
		{Name: "weight", Kind: dataset.NumberField}}, Rows: func(yield func([]dataset.Cell, error) bool) {
		for _, cells := range w.cells {
			if !yield(cells, nil) {
				return
			}
		}
	}}
}

// printPath prints the points, of which there are some, or a table of them, without the columns that the points have nothing
// for: objectives of folds, errors without test data, or their deviations without folds.
func printPath(out io.Writer, points []PathPoint, asJSON bool) error {
	if asJSON {
		return PrintJSON(out, points)
	}
	size := points[0].Name()
	for _, p := range points {
		if p.Name() != size { // W by its entries at some λ, and by its factors at others
			size = "rank or nonzeros"
			break
		}
	}
	fmt.Fprintf(out, "%12s %*s", "lambda", max(6, len(size)), size)
	if points[0].Optimum != nil {
		fmt.Fprintf(out, " %14s", "objective")
	}
	fmt.Fprintf(out, " %9s", "gap")
	for i, s := range points[0].all {
		if fmt.Fprintf(out, " %10s", s.Name); i == 0 && points[0].StdErr != nil {
			fmt.Fprintf(out, " %10s", "±")
		}
	}
	fmt.Fprintln(out)
	for _, p := range points {
		printPoint(out, p, max(6, len(size)))
	}
	return nil
}

func printPoint(out io.Writer, p PathPoint, wide int) {
	fmt.Fprintf(out, "%12.5g %*d", p.Lambda, wide, p.Count())
	if p.Optimum != nil {
		fmt.Fprintf(out, " %14.8g", p.Objective)
	}
	fmt.Fprintf(out, " %9s", gapText(p.Gap()))
	for i, s := range p.all {
		if fmt.Fprintf(out, " %10s", tabled(s.Value)); i == 0 && p.StdErr != nil {
			fmt.Fprintf(out, " %10s", tabled(*p.StdErr))
		}
	}
	if p.Selected != nil {
		fmt.Fprint(out, "  "+strings.Join(p.Selected, ", "))
	}
	fmt.Fprintln(out)
}

// tabled is a score with five decimals, or as many as its column of ten characters holds.
func tabled(x float64) string {
	digits := 5
	for digits > 0 && len(decimal.Fixed(x, digits)) > 10 {
		digits--
	}
	return decimal.Fixed(x, digits)
}

// CVVerb is gcg cv.
var CVVerb = verb{name: "cv", short: "Choose λ by cross-validation on the path", path: true, cv: true, do: cvJob}

func cvJob(cmd *cobra.Command, st Job, log io.Writer) error {
	f := st.Shared()
	show := NewProgress(log, f)
	defer show.close()
	st.Greet(show)
	c, err := crossValidate(cmd.Context(), st, show)
	if err != nil {
		return err
	}
	show.close()
	if err := printPath(cmd.OutOrStdout(), pointsOf(f, c), f.JSON); err != nil {
		return err
	}
	taken, err := selection.Rule(f.choose).Select(c.Points)
	if err != nil {
		return err
	}
	lambda := c.Points[taken].Lambda
	if !f.JSON {
		fmt.Fprintf(cmd.OutOrStdout(), "select %s: lambda %.6g%s\n", f.choose, lambda, chosenBeside(st))
	}
	if f.Plot != "" {
		if err := plotPath(f.Plot, st, c, selection.Rule(f.choose)); err != nil {
			return err
		}
	}
	switch {
	case !f.fits:
		if text := endWarning(c, 1); text != "" {
			show.warn(text)
		}
		return nil
	case cmd.Context().Err() != nil:
		show.warn("interrupted: no model was fitted")
		return nil
	}
	return fitChosen(cmd, st, &selection.Choice{Lambda: lambda, Curve: *c}, false, show)
}

// chosenBeside names what a job has chosen besides λ, if anything.
func chosenBeside(st Job) string {
	if c, ok := st.(interface{ Chosen() string }); ok && c.Chosen() != "" {
		return ", " + c.Chosen()
	}
	return ""
}

// crossValidate takes the folds of the job, and says how far they are.
func crossValidate(ctx context.Context, st Job, show *Progress) (*selection.Curve, error) {
	f, told := st.Shared(), false
	if c, more := st.(task.Chooser); more && c.Open() {
		if _, err := st.Fold(0, f.Folds); err != nil { // before what may take long
			return nil, err
		}
		if _, err := chooseLambda(ctx, st, show); err != nil {
			return nil, err
		}
	}
	c, err := selection.CrossValidate(ctx, st, f.search(func(e selection.Event) {
		if !told && f.Normalize == "sum" {
			show.Say("the loss is a sum: each fold's λ is scaled by its share of the " + st.Noun())
		}
		told = true
		p := e.Point
		show.Step(fmt.Sprintf("fold %d  λ %.4g  %s  %s %s", e.Fold+1, p.Lambda/e.Fitting.Share, p.Size, p.Scores[0].Name,
			Decimals(p.Scores.First())))
	}))
	switch err = Kept(c != nil, err); {
	case errors.Is(err, selection.ErrNoTime):
		return nil, errors.New("--max-time was over before every fold had solved for one λ; give more, or fewer --folds")
	case err != nil:
		return nil, err
	}
	switch c.CutShort {
	case solver.Interrupted:
		show.warn(fmt.Sprintf("interrupted: means of %d of %d folds, from which λ is selected", c.Folds, f.Folds))
	case solver.MaxTime:
		show.warn(fmt.Sprintf("--max-time was over: all folds reached %d of %d λ, from which one is selected", len(c.Points),
			len(c.Grid)))
	}
	return c, nil
}
