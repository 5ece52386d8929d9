package cur

import (
	"encoding/csv"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/atomicfile"
	"github.com/seed-b18ef778/gcg/internal/output"
	"github.com/seed-b18ef778/gcg/internal/report"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	task "github.com/seed-b18ef778/gcg/task/cur"
)

// A selected is the part of the JSON that only a selection has.
type selected struct {
	Rows    []task.Chosen `json:"rows"`
	Columns []task.Chosen `json:"columns"`
	Taken   [2]int        `json:"taken"` // rows and columns of C U R
	Error   *task.Error   `json:"error,omitempty"`
	Others  []task.Error  `json:"others,omitempty"`
}

// Identity names all that must be the same for a checkpoint to be continued.
func (j *job) Identity(lambda float64) string {
	return fmt.Sprintf("cur %d×%d norm=%.17g unit=%v λ=%.17g", j.D.Rows, j.D.Cols, j.Norm(), j.f.unit, lambda)
}

// Start is where a selection from a matrix of this size is.
func (j *job) Start(_ *selection.Fitting, m *model.Model) (selection.Start, error) {
	w, err := j.Prepared.Start(m)
	return selection.Start{W: w}, err
}

// Answer ranks, measures and writes the selection.
func (j *job) Answer(t *selection.Fitting, r *solver.Result, res *cli.Result) *model.Model {
	f := j.f
	ranking, err := j.selection(r)
	if err != nil {
		res.Warn(cli.ErrorText(err))
	}
	m := j.Model(t, r)
	m.Info.Version, m.Info.Solver, m.Info.Seed = cli.Version, f.Solver, f.Seed
	m.Info.Checksum = j.Identity(0)
	res.Rows, res.Cols, res.N = j.D.Rows, j.D.Cols, j.D.Rows*j.D.Cols
	res.LossName, res.GaugeName = "squared", "rows-columns"
	res.Data, res.Normed = fmt.Sprintf("%s, %d rows, %d columns, norm %.6g", j.Name, j.D.Rows, j.D.Cols,
		j.Norm()), "rows and columns"
	for _, w := range j.Warnings() {
		res.Warn(j.Name + ": " + w.String())
	}
	if rule := j.f.By; rule != convex {
		res.Note("selected", "by %s, and not by W", rule)
	} else if len(ranking.Rows) < j.f.rows || len(ranking.Columns) < j.f.columns {
		res.Warn(fmt.Sprintf("%d rows and %d columns are asked for, and W has %d and %d: take a smaller λ, or more time", j.f.rows,
			j.f.columns, len(ranking.Rows), len(ranking.Columns)))
	}
	out := &selected{Rows: []task.Chosen{}, Columns: []task.Chosen{}} // a list of none is a list
	out.Rows, out.Columns = append(out.Rows, ranking.Rows...), append(out.Columns, ranking.Columns...)
	res.Selection = out
	res.Note("rows", "%s", listed(ranking.Rows))
	res.Note("columns", "%s", listed(ranking.Columns))
	if ties := tiesOf(ranking); ties != "" {
		res.Note("ties", "%s; among these the one that explains most beyond those before is first", ties)
	}
	if err := j.measure(out, ranking, res); err != nil {
		res.Warn(cli.ErrorText(err))
	}
	return m
}

// convex is the word of --by for the selection of W.
const convex = "convex"

// selection are the rows and columns by W, or by the rule of --by in its order.
func (j *job) selection(r *solver.Result) (all task.Ranking, err error) {
	if j.f.By == convex {
		return j.Ranking(r.State), nil
	}
	return j.By(task.Rule(j.f.By), shown(j.f.rows, j.D.Rows), shown(j.f.columns, j.D.Cols))
}

// shown is how many lines are taken where so many are asked for, 0 for the usual number, and there are so many.
func shown(asked, have int) int {
	if asked == 0 {
		asked = mostShown
	}
	return min(asked, have)
}

// measure completes the selection with C U R and what it is worth beside others, and writes what is asked for.
func (j *job) measure(out *selected, ranking task.Ranking, res *cli.Result) error {
	rows := task.Top(ranking.Rows, shown(j.f.rows, len(ranking.Rows)))
	cols := task.Top(ranking.Columns, shown(j.f.columns, len(ranking.Columns)))
	if len(rows) == 0 || len(cols) == 0 {
		return nil // W = 0 has a warning of its own
	}
	x, err := j.CUR(rows, cols)
	if err != nil {
		return err
	}
	out.Taken = [2]int{len(rows), len(cols)}
	e := j.ErrorOf("this", x)
	out.Error = &e
	if out.Others, err = j.Others(len(rows), len(cols)); err != nil {
		return err
	}
	res.Note("left of D", "by %d columns %s, by %d rows %s, by C U R %s, relative to its norm", len(cols), cli.Decimals(e.Columns),
		len(rows), cli.Decimals(e.Rows), cli.Decimals(e.CUR))
	var others []string
	for _, o := range out.Others {
		others = append(others, fmt.Sprintf("%s %s, %s, %s", o.Name, cli.Decimals(o.Columns), cli.Decimals(o.Rows),
			cli.Decimals(o.CUR)))
	}
	res.Note("others", "%s", strings.Join(others, "; "))
	res.Lose(j.write(x, ranking))
	if res.Lambda != nil {
		res.Lose(j.draw(x, *res.Lambda))
	}
	return nil
}

// The endings of what --output writes.
const columnsFile, coreFile, rowsFile, rankingFile = ".C.csv", ".U.csv", ".R.csv", ".ranking.csv"

// write writes C, U, R and the ranking.
func (j *job) write(x *task.CUR, r task.Ranking) error {
	if j.f.output == "" {
		return nil
	}
	names := func(lines []int, of func(int) string) (all []string) {
		for _, i := range lines {
			all = append(all, of(i))
		}
		return all
	}
	all := make([]int, max(j.D.Rows, j.D.Cols))
	for i := range all {
		all[i] = i
	}
	rows, cols := names(x.I, j.D.RowName), names(x.J, j.D.ColumnName)
	for _, part := range []struct {
		suffix string
		write  func(io.Writer) error
	}{
		{columnsFile, j.part(x.C, names(all[:j.D.Rows], j.D.RowName), cols)},
		{coreFile, j.part(x.U, cols, rows)},
		{rowsFile, j.part(x.R, rows, names(all[:j.D.Cols], j.D.ColumnName))},
		{rankingFile, func(out io.Writer) error { return ranked(out, r) }},
	} {
		if err := atomicfile.Write(j.f.output+part.suffix, part.write); err != nil {
			return err
		}
	}
	return nil
}

// part is a matrix below the names of its columns, and beside those of its rows where the rows of D have names.
func (j *job) part(x *mat.Dense, rows, cols []string) func(io.Writer) error {
	m := dataset.MatrixOf(x)
	m.Names = cols
	if j.D.RowNames != nil {
		m.RowNames = rows
	}
	return output.Records(m).WriteCSV
}

// ranked writes the ranking: what a line is, its name, its weight, and how many lines have this weight.
func ranked(out io.Writer, r task.Ranking) error {
	lines := [][]string{{"side", "rank", "name", "weight", "tied"}}
	for _, side := range []struct {
		name string
		all  []task.Chosen
	}{{"row", r.Rows}, {"column", r.Columns}} {
		for i, c := range side.all {
			weight := ""
			if c.Weight > 0 { // none of a choice by a rule
				weight = strconv.FormatFloat(c.Weight, 'g', -1, 64)
			}
			lines = append(lines, []string{side.name, strconv.Itoa(i + 1), c.Name, weight, strconv.Itoa(max(c.Tied, 1))})
		}
	}
	return csv.NewWriter(out).WriteAll(lines)
}

// draw draws D with its selection at a λ.
func (j *job) draw(x *task.CUR, lambda float64) error {
	if j.f.picture == "" {
		return nil
	}
	named := func(lines []int, of func(int) string) (all []report.Line) {
		for _, i := range lines {
			all = append(all, report.Line{Index: i, Name: of(i)})
		}
		return all
	}
	m := report.MarkedMatrix{Title: fmt.Sprintf("%d rows and %d columns of %s", len(x.I), len(x.J), filepath.Base(j.Name)),
		Subtitle: fmt.Sprintf("|entries| of %d × %d, light to dark; λ = %.4g", j.D.Rows, j.D.Cols, lambda),
		Rows:     j.D.Rows, Cols: j.D.Cols, Values: j.Dense(),
		MarkedRows: named(x.I, j.D.RowName), MarkedCols: named(x.J, j.D.ColumnName)}
	return atomicfile.Write(j.f.picture, func(out io.Writer) error {
		return report.Matrix(out, cli.PlotFormat(j.f.picture), m)
	})
}

// CountLines are the rows and columns of D that W has left at a point of a path.
func (j *job) CountLines(p *selection.Point) (names []string, counts []int) {
	rows, cols := j.Lines(p.Lines)
	return []string{"rows", "columns"}, []int{rows, cols}
}
