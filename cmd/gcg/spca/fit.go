package spca

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/internal/atomicfile"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/printable"
	"github.com/seed-b18ef778/gcg/internal/report"
	"github.com/seed-b18ef778/gcg/internal/text"
	"github.com/seed-b18ef778/gcg/internal/trace"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task/spca"
	"github.com/spf13/cobra"
)

// result is the answer of fit. Its objective, bound and λ are those of the first component.
type result struct {
	Problem     string      `json:"problem"`
	Solver      string      `json:"solver"`
	Status      string      `json:"status"` // converged where all components are
	Objective   float64     `json:"objective"`
	LowerBound  *float64    `json:"lower_bound,omitempty"`
	Gap         *float64    `json:"gap,omitempty"`
	RelativeGap *float64    `json:"relative_gap,omitempty"`
	Certificate string      `json:"certificate,omitempty"`
	Failure     *float64    `json:"failure_probability,omitempty"`
	Rank        int         `json:"rank"` // of X
	Nonzeros    int         `json:"nonzeros"`
	Iterations  int         `json:"iterations"` // of all components
	Lambda      float64     `json:"lambda"`
	LambdaAuto  bool        `json:"lambda_auto,omitempty"`
	Largest     float64     `json:"largest_variance"` // beyond this λ one variable is left
	Total       float64     `json:"total_variance"`
	Components  []component `json:"components"`
	Seconds     float64     `json:"seconds"`
	CPU         float64     `json:"cpu_seconds,omitempty"`
	Read        float64     `json:"read_seconds"`
	Memory      int64       `json:"peak_memory_bytes,omitempty"`
	Rows        int         `json:"rows,omitempty"`
	Cols        int         `json:"cols"`
	Warnings    []string    `json:"warnings"`
}

// A component is one of the answer: its variables, from 1 and by name, with their loadings; variances as parts of the total.
type component struct {
	Lambda      float64   `json:"lambda"`
	Status      string    `json:"status"`
	Objective   float64   `json:"objective"`
	LowerBound  *float64  `json:"lower_bound,omitempty"`
	RelativeGap *float64  `json:"relative_gap,omitempty"`
	Rank        int       `json:"rank"`
	Leading     float64   `json:"leading_eigenvalue"` // of X, of trace 1
	Nonzeros    int       `json:"nonzeros"`
	Support     []int     `json:"support"`
	Variables   []string  `json:"variables"`
	Loadings    []float64 `json:"loadings"` // refitted on the support
	Shrunk      []float64 `json:"shrunk_loadings"`
	Explained   float64   `json:"explained"` // by the refitted loadings, of the total variance
	OfShrunk    float64   `json:"explained_shrunk"`
	Adjusted    float64   `json:"explained_adjusted"` // beyond the components before it
	Screened    int       `json:"screened_variables"`
	Largest     int       `json:"largest_block"`
	Iterations  int       `json:"iterations"`
	Seconds     float64   `json:"seconds"`
}

func fit(ctx context.Context, f *flags, cmd *cobra.Command) error {
	log := cmd.ErrOrStderr()
	t, err := f.load(ctx, log)
	if err != nil {
		return err
	}
	trace, err := trace.NewWriter(f.trace, nil)
	if err != nil {
		return err
	}
	t.event = func(e solver.Event) {
		trace.Write(e, selection.SizeOf(gcgSpectrahedron, e.State.W), nil)
		if f.verbose {
			cert := e.State.Cert
			fmt.Fprintf(log, "iteration %d  objective %.8g  gap %.2e  %.2f s\n", e.Iter, cert.Objective, cert.Relative,
				e.Elapsed.Seconds())
		}
	}
	limited, release := f.limited(ctx)
	defer release()
	r, err := t.Prepared.Fit(limited)
	t.show.Done()
	if r == nil {
		return late(err)
	}
	if ctx.Err() == nil && limited.Err() != nil { // it was the time that ended them
		err = nil
		if asked := max(f.components, 1); len(r.Components) < asked {
			r.Warnings = append(r.Warnings, unreached{len(r.Components), asked})
		}
		for k := range r.Components {
			if x := r.Components[k].Result; x.Status == solver.Interrupted {
				x.Status = solver.MaxTime
			}
		}
	}
	r.Model.Info.Solver, r.Model.Info.Version = f.solver, cli.Version
	res := f.result(t, r)
	if f.model != "" {
		err = atomicfile.Write(f.model, r.Model.Write)
	}
	if drawn := f.draw(t, r, res); err == nil {
		err = drawn
	}
	if lost := trace.Close(); err == nil {
		err = lost
	}
	if f.json {
		if printed := cli.PrintJSON(cmd.OutOrStdout(), res); err == nil {
			err = printed
		}
	} else {
		res.print(cmd.OutOrStdout(), f)
	}
	if err == nil && f.required && res.Status != string(solver.Converged) {
		return cli.Open(fmt.Sprintf("%s, not the gap of %g of --tol", res.Status, f.tol))
	}
	return err
}

// unreached says that time was over before all components were found.
type unreached struct{ found, asked int }

func (w unreached) String() string {
	return fmt.Sprintf("%d of %d components: --max-time ended the search for the next one", w.found, w.asked)
}

// result is what is printed.
func (f *flags) result(t *job, r *spca.Result) *result {
	first := &r.Components[0]
	res := &result{Problem: "spca", Solver: f.solver, Status: string(solver.Converged), Rank: first.Rank,
		Nonzeros: len(first.Support), Lambda: first.Lambda, LambdaAuto: f.given() == 0, Largest: r.Max, Total: r.Total,
		Read: f.read.Seconds(), Memory: memory.Peak(), Cols: len(t.Names()), Warnings: []string{}}
	if t.Features != nil {
		res.Rows = t.Features.Rows
	}
	cert := first.Result.State.Cert
	res.Objective = cert.Objective
	if lower, relative := cert.Bracket(); lower != nil {
		res.LowerBound, res.RelativeGap, res.Gap, res.Certificate = lower, relative, &cert.Gap, cert.Kind.String()
		if cert.Kind != gcg.Proven && cert.Failure > 0 {
			res.Failure = &cert.Failure
		}
	}
	for k := range r.Components {
		x := &r.Components[k]
		if x.Result.Status != solver.Converged && res.Status == string(solver.Converged) {
			res.Status = string(x.Result.Status)
		}
		res.Iterations += x.Result.Iter
		res.Seconds += x.Result.Elapsed.Seconds()
		res.CPU += x.Result.CPU.Seconds()
		res.Components = append(res.Components, componentOf(t, r, x))
	}
	for _, w := range r.Warnings {
		res.Warnings = append(res.Warnings, w.String())
	}
	return res
}

// draw draws the components.
func (f *flags) draw(t *job, r *spca.Result, res *result) error {
	if f.picture == "" {
		return nil
	}
	name := filepath.Base(f.features + f.covariance) // one of them is empty
	c := report.Components{Title: fmt.Sprintf("%d sparse components of %s", len(r.Components), name), Names: r.Model.ColIDs}
	total, explained := 0.0, report.Explained{}
	for k, x := range res.Components {
		explained.Parts = append(explained.Parts, x.Adjusted)
		total += x.Adjusted
		list := make([]report.Loading, len(x.Support))
		for at, i := range x.Support {
			list[at] = report.Loading{Variable: i - 1, Name: x.Variables[at], Value: x.Loadings[at]}
		}
		c.Loadings = append(c.Loadings, list)
		if k > 0 {
			c.Subtitle += ", "
		}
		c.Subtitle += fmt.Sprintf("%d", x.Nonzeros)
	}
	c.Explained = []report.Explained{explained}
	c.Subtitle += fmt.Sprintf(" of %d variables; %.1f %% of the variance; λ = %.4g", res.Cols, 100*total, res.Lambda)
	if x := t.Features; x != nil {
		column := make([]int, x.Cols)
		for j := range column {
			column[j] = j
		}
		s := scores(x, r.Model, column)
		c.Scores, c.RowNames = s.Dense, s.RowNames
	}
	return atomicfile.Write(f.picture, func(out io.Writer) error {
		return report.DrawComponents(out, cli.PlotFormat(f.picture), c)
	})
}

func componentOf(t *job, r *spca.Result, x *spca.Component) component {
	c := component{Lambda: x.Lambda, Status: string(x.Result.Status), Objective: x.Result.State.Cert.Objective, Rank: x.Rank,
		Leading: x.Leading, Nonzeros: len(x.Support), Explained: x.Variance / r.Total, OfShrunk: x.ShrunkVariance / r.Total,
		Adjusted: x.Adjusted / r.Total, Screened: x.Screened, Largest: x.Largest, Iterations: x.Result.Iter,
		Seconds: x.Result.Elapsed.Seconds()}
	c.LowerBound, c.RelativeGap = x.Result.State.Cert.Bracket()
	for _, i := range x.Support {
		c.Support, c.Variables = append(c.Support, i+1), append(c.Variables, t.Names()[i])
		c.Loadings, c.Shrunk = append(c.Loadings, x.Loading[i]), append(c.Shrunk, x.Shrunk[i])
	}
	return c
}

// print is the result for people.
func (r *result) print(out io.Writer, f *flags) {
	out, flush := printable.Wrapped(out)
	defer flush()
	line := func(name, format string, args ...any) {
		fmt.Fprintf(out, "%-12s %s\n", name, fmt.Sprintf(format, args...))
	}
	if r.Rows > 0 {
		line("data", "%s, %d rows of %d variables, total variance %.6g", f.features, r.Rows, r.Cols, r.Total)
	} else {
		line("data", "%s, %d variables, total variance %.6g", f.covariance, r.Cols, r.Total)
	}
	line("status", "%s after %d iterations, %.2f s (reading %.2f s)", r.Status, r.Iterations, r.Seconds, r.Read)
	for k, c := range r.Components {
		fmt.Fprintf(out, "component %d  λ %.6g, %s, explains %.2f %% of the variance "+
			"(%.2f %% shrunk, %.2f %% beyond those before)\n", k+1, c.Lambda, text.Counted(c.Nonzeros, "variable"),
			100*c.Explained, 100*c.OfShrunk, 100*c.Adjusted)
		if c.LowerBound != nil {
			line("", "objective %.10g, lower bound %.10g, relative gap %.2g", c.Objective, *c.LowerBound, *c.RelativeGap)
		}
		line("", "%s", listed(c.Variables, c.Loadings))
	}
	for _, w := range r.Warnings {
		line("warning", "%s", w)
	}
	if f.model != "" {
		line("model", "%s", f.model)
	}
}
