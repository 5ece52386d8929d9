// Package cur is the selection of rows and columns of a matrix.
package cur

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/gauge/rowscolumns"
	"github.com/seed-b18ef778/gcg/internal/baseline/apg"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/cur"
	task "github.com/seed-b18ef778/gcg/task/cur"
)

// Kinds are the selection of rows and columns.
func Kinds() []cli.Kind {
	return []cli.Kind{{
		Name:    "cur",
		About:   "rows and columns of a matrix that explain the rest: D ≈ D W D, largest entries of rows and columns",
		Data:    "--features D.csv",
		Flags:   func(c *cobra.Command) cli.Loader { return newFlags(c) },
		Example: map[string]string{"fit": "--rows 10 --columns 10 --output cur --picture cur.svg"},
		Show:    show,
	}}
}

// methods and others are the solvers of this problem alone, before and after those of every problem.
var methods = []cli.Method{{Name: "working-set", About: "(ADMM on the rows of W that matter)",
	New: func(*cli.RunFlags, *gcg.Problem) (solver.Method, solver.Improver) { return &cur.WorkingSet{}, nil }}}

var others = []cli.Method{{Name: "apg", About: "(FISTA, to compare with)",
	New: func(f *cli.RunFlags, _ *gcg.Problem) (solver.Method, solver.Improver) {
		return &apg.Method{Prox: rowscolumns.Gauge{Tol: proxPart * f.Tol}}, nil
	}}}

// proxPart is the part of --tol to which the proximity operators of apg are exact: to the 1e-11 of the gauge they take four times
// as long.
const proxPart = 0.1

// mostShown is how many rows and columns are listed for people.
const mostShown = 10

// listed are the heaviest of a ranking, in words.
func listed(all []task.Chosen) string {
	text := fmt.Sprintf("%d", len(all))
	for i, c := range all {
		if i == mostShown {
			return text + " …"
		}
		text += []string{",", ":"}[b2i(i == 0)] + " " + c.Name
		if c.Weight > 0 { // none of a choice by a rule
			text += fmt.Sprintf(" (%.4g)", c.Weight)
		}
	}
	return text
}

// mostTies is how many weights of a side are said to be shared.
const mostTies = 3

// tiesOf says in words how many of each side have the same weight, of those that are listed, or had the score of one by a rule.
func tiesOf(r task.Ranking) string {
	var all []string
	for _, side := range []struct {
		name, one string
		listed    []task.Chosen
	}{{"rows", "row", r.Rows}, {"columns", "column", r.Columns}} {
		said, n := map[float64]bool{}, 0
		for _, c := range side.listed[:min(mostShown, len(side.listed))] {
			if c.Tied == 0 || said[c.Level] {
				continue
			}
			said[c.Level] = c.Level > 0
			if n++; n > mostTies {
				all = append(all, "…")
				break
			}
			if c.Weight > 0 {
				all = append(all, fmt.Sprintf("%d %s of weight %.4g", c.Tied, side.name, c.Level))
			} else {
				all = append(all, fmt.Sprintf("%d as good as %s %s", c.Tied-1, side.one, c.Name))
			}
		}
	}
	return strings.Join(all, ", ")
}

// b2i is 1 for true.
func b2i(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// show prints the ranking of a model.
func show(out io.Writer, m *model.Model) error {
	r := task.RankingOf(m)
	fmt.Fprintf(out, "rows         %s\ncolumns      %s\n", listed(r.Rows), listed(r.Columns))
	if ties := tiesOf(r); ties != "" {
		fmt.Fprintf(out, "ties         %s; among these in the order of the data, without which no other is known\n", ties)
	}
	return nil
}
