package spca

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/internal/printable"
	"github.com/seed-b18ef778/gcg/internal/text"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task/spca"
	"github.com/spf13/cobra"
)

// A point is one λ of a path: the objective and the gap are those of the first component, the gap the largest of all.
type point struct {
	Lambda    float64  `json:"lambda"`
	Nonzeros  []int    `json:"nonzeros"`
	Objective float64  `json:"objective"`
	Gap       float64  `json:"relative_gap"`
	Status    string   `json:"status"`
	Explained float64  `json:"explained"` // of the variance, in cv of rows that were held out
	StdErr    *float64 `json:"explained_standard_error,omitempty"`
	Selected  []string `json:"selected,omitempty"`
}

// pointOf is a point for printing.
func pointOf(p *spca.Point) point {
	q := point{Lambda: p.Lambda, Explained: p.Explained, Status: string(solver.Converged)}
	if p.Held > 0 {
		q.StdErr = &p.StdErr
	}
	for k, x := range p.Components {
		if k == 0 {
			q.Objective = x.Result.State.Cert.Objective
		}
		q.Nonzeros = append(q.Nonzeros, len(x.Support))
		q.Gap = math.Max(q.Gap, x.Result.State.Cert.Relative)
		if x.Result.Status != solver.Converged {
			q.Status = string(x.Result.Status)
		}
	}
	return q
}

func path(ctx context.Context, f *flags, cmd *cobra.Command) error {
	t, err := f.load(ctx, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	limited, release := f.limited(ctx)
	defer release()
	all, err := t.Path(limited, spca.Grid{Points: f.points, Ratio: f.ratio}, func(p *spca.Point) {
		q := pointOf(p)
		t.show.Step(fmt.Sprintf("λ %.4g  %s  gap %.1e", q.Lambda, variables(q.Nonzeros), q.Gap))
	})
	t.show.Done()
	if all == nil {
		return late(err)
	}
	return f.printed(cmd.OutOrStdout(), all, nil)
}

// variables are those of each component, in words.
func variables(of []int) string {
	counts := make([]string, len(of))
	for k, n := range of {
		counts[k] = fmt.Sprint(n)
	}
	return strings.Join(counts, ", ") + strings.TrimPrefix(text.Counted(of[len(of)-1], "variable"), counts[len(of)-1])
}

func cv(ctx context.Context, f *flags, cmd *cobra.Command) error {
	t, err := f.load(ctx, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	limited, release := f.limited(ctx)
	defer release()
	all, err := t.CrossValidate(limited, spca.Grid{Points: f.points, Ratio: f.ratio}, f.folds, func(fold int, p *spca.Point) {
		t.show.Step(fmt.Sprintf("fold %d of %d  to λ %.4g  %s  explains %.2f %% of what was held out", fold+1, f.folds, p.Lambda,
			variables(pointOf(p).Nonzeros), 100*p.Explained))
	})
	t.show.Done()
	if all == nil {
		return late(err)
	}
	chosen := map[string]int{"min": spca.Best(all), "1se": spca.Sparsest(all)}
	if text := edgeWarning(all, chosen[f.rule]); text != "" && err == nil && !f.quiet {
		printable.Line(cmd.ErrOrStderr(), "warning: "+text)
	}
	if err := f.printed(cmd.OutOrStdout(), all, chosen); err != nil || f.json {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "select %s: lambda %.6g\n", f.rule, all[chosen[f.rule]].Lambda)
	return err
}

// edgeWarning doubts a λ at an end of the grid, or is nothing: beyond the first λ of a single variable there is none to try.
func edgeWarning(all []spca.Point, at int) string {
	switch lambda := all[at].Lambda; {
	case len(all) > 1 && at == len(all)-1:
		return fmt.Sprintf("%.4g is the smallest λ that was tried, and a smaller one may explain more; give a smaller --ratio", lambda)
	case at == 0 && slices.ContainsFunc(pointOf(&all[at]).Nonzeros, func(n int) bool { return n > 1 }):
		return fmt.Sprintf("%.4g is the largest λ that was tried, and a larger one may explain as much; see fit --lambda", lambda)
	}
	return ""
}

// printed is a table of points, or one JSON array. It refuses points that did not converge where that is required.
func (f *flags) printed(out io.Writer, all []spca.Point, chosen map[string]int) error {
	points, open := make([]point, len(all)), ""
	for i := range all {
		points[i] = pointOf(&all[i])
		for _, rule := range []string{"min", "1se"} {
			if at, ok := chosen[rule]; ok && at == i {
				points[i].Selected = append(points[i].Selected, rule)
			}
		}
		if points[i].Status != string(solver.Converged) {
			open = points[i].Status
		}
	}
	if f.json {
		if err := cli.PrintJSON(out, points); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(out, "%12s %-16s %14s %9s %10s\n", "lambda", "variables", "objective", "gap", "explained")
		for _, p := range points {
			fmt.Fprintf(out, "%12.5g %-16s %14.8g %9.1e %9.2f%%", p.Lambda, fmt.Sprint(p.Nonzeros), p.Objective, p.Gap, 100*p.Explained)
			if p.StdErr != nil {
				fmt.Fprintf(out, " ± %.2f", 100**p.StdErr)
			}
			fmt.Fprintln(out)
		}
	}
	if f.required && open != "" {
		return cli.Open(fmt.Sprintf("%s, not the gap of %g of --tol", open, f.tol))
	}
	return nil
}
