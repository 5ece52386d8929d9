package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/seed-b18ef778/gcg/internal/experiment"
	"github.com/seed-b18ef778/gcg/internal/printable"
	"github.com/seed-b18ef778/gcg/internal/report"
)

// An entrantJSON is a solver for scripts. Times are medians. SecondsTo is until its own certificate showed a relative gap, and
// SecondsWithin until its objective was within a relative gap of the best lower bound of all; both as 0.1, 0.01 and so on.
type entrantJSON struct {
	Solver        string                `json:"solver"`
	SecondsTo     map[string]float64    `json:"seconds_to"`
	SecondsWithin map[string]float64    `json:"seconds_within"`
	Range         map[string][2]float64 `json:"seconds_within_range,omitempty"` // least and most, of several runs
	Above         *float64              `json:"above,omitempty"`                // the best bound, relative to the objective
	Repeats       int                   `json:"repeats,omitempty"`
	Error         string                `json:"error,omitempty"`
	Result        json.RawMessage       `json:"result,omitempty"`
}

// gaps are 0.1, 0.01 and so on to --tol.
func (c *comparison) gaps() []string {
	tol, _ := strconv.ParseFloat(c.shared.Lookup("tol").Value.String(), 64)
	var all []string
	for gap := 0.1; gap > tol*(1+1e-9) && len(all) < 5; gap /= 10 {
		all = append(all, strconv.FormatFloat(gap, 'g', 1, 64))
	}
	return append(all, strconv.FormatFloat(tol, 'g', -1, 64))
}

// textWidth is what a table has room for on most terminals.
const textWidth = 80

// print writes JSON, or the table in the format that is asked for.
func (c *comparison) print(out io.Writer, all []*entrant) error {
	runs := make([]experiment.Run, len(all))
	for i, e := range all {
		runs[i] = e.run
	}
	reference := experiment.Reference(runs)
	if c.shared.Lookup("json").Changed {
		return c.printJSON(out, all, reference)
	}
	t := c.table(all, reference)
	switch c.format {
	case "markdown":
		return t.Markdown(out)
	case "csv":
		return t.CSV(out)
	}
	about := fmt.Sprintf("seconds to an objective within a gap of the best bound %.8g", reference)
	for _, e := range all {
		if l := e.sum.Lambda; l != nil {
			about = fmt.Sprintf("lambda %.6g; ", *l) + about
			break
		}
	}
	printable.Line(out, about)
	return t.Text(out, textWidth)
}

func (c *comparison) printJSON(out io.Writer, all []*entrant, reference float64) error {
	var list []entrantJSON
	for _, e := range all {
		j := entrantJSON{Solver: e.run.Solver, SecondsTo: map[string]float64{}, SecondsWithin: map[string]float64{}}
		if e.run.Err != nil {
			j.Error = e.run.Err.Error()
			list = append(list, j)
			continue
		}
		above := experiment.Above(e.sum.Objective, reference)
		j.Result, j.Above = e.result, &above
		if len(e.run.Traces) > 1 {
			j.Repeats, j.Range = len(e.run.Traces), map[string][2]float64{}
		}
		for _, word := range c.gaps() {
			gap, _ := strconv.ParseFloat(word, 64)
			if s, ok := e.run.Certified(gap, experiment.Seconds); ok {
				j.SecondsTo[word] = s.Median
			}
			if s, ok := e.run.To(gap, reference, experiment.Seconds); ok {
				if j.SecondsWithin[word] = s.Median; j.Range != nil {
					j.Range[word] = [2]float64{s.Least, s.Most}
				}
			}
		}
		list = append(list, j)
	}
	return PrintJSON(out, list)
}

// table has a row for each solver.
func (c *comparison) table(all []*entrant, reference float64) *experiment.Table {
	t := &experiment.Table{Heads: []string{"solver", "steps", "gradients", "polars", "objective", "gap", "above"},
		Numbers: []bool{false, true, true, true, true, true, true}}
	for _, gap := range c.gaps() {
		t.Heads, t.Numbers = append(t.Heads, gap), append(t.Numbers, true)
	}
	score := scoreOf(all)
	if score != "" {
		t.Heads, t.Numbers = append(t.Heads, "test "+score), append(t.Numbers, true)
	}
	t.Heads, t.Numbers = append(t.Heads, "status"), append(t.Numbers, false)
	for _, e := range all {
		if e.run.Err != nil {
			row := []string{e.run.Solver}
			for range len(t.Heads) - 2 {
				row = append(row, "-")
			}
			t.Add(append(row, e.run.Err.Error())...)
			continue
		}
		gap := "-"
		if e.sum.RelativeGap != nil {
			gap = gapText(*e.sum.RelativeGap)
		}
		row := []string{e.run.Solver, strconv.Itoa(e.sum.Iterations), strconv.Itoa(e.sum.Gradients), strconv.Itoa(e.sum.Polars),
			fmt.Sprintf("%.8g", e.sum.Objective), gap, gapText(math.Max(0, experiment.Above(e.sum.Objective, reference)))}
		for _, word := range c.gaps() {
			row = append(row, e.within(word, reference))
		}
		if score != "" {
			cell := "-"
			if x, ok := e.run.LastScore(score); ok {
				cell = fmt.Sprintf("%.4f", x)
			}
			row = append(row, cell)
		}
		t.Add(append(row, e.sum.Status)...)
	}
	return t
}

// within is the time to a gap, with its range where there are several runs.
func (e *entrant) within(word string, reference float64) string {
	gap, _ := strconv.ParseFloat(word, 64)
	s, ok := e.run.To(gap, reference, experiment.Seconds)
	switch {
	case !ok:
		return "-"
	case len(e.run.Traces) > 1:
		return fmt.Sprintf("%.3g (%.3g-%.3g)", s.Median, s.Least, s.Most)
	}
	return fmt.Sprintf("%.3g", s.Median)
}

// shownScores are those of a test that are shown, the first that there is.
var shownScores = []string{"rmse", "accuracy", "log_loss", "mae"}

// scoreOf is the test score of the table, or nothing.
func scoreOf(all []*entrant) string {
	for _, name := range shownScores {
		if slices.ContainsFunc(all, func(e *entrant) bool {
			return e.run.Err == nil && slices.ContainsFunc(e.run.Points(), func(q report.Point) bool {
				_, ok := experiment.Score(q, name)
				return ok
			})
		}) {
			return name
		}
	}
	return ""
}
