package cli

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-b18ef778/gcg/internal/report"
	"github.com/seed-b18ef778/gcg/selection"
)

// PlotFormat is what a file's name says of its format.
func PlotFormat(name string) string { return strings.TrimPrefix(filepath.Ext(name), ".") }

// choicesOf are the λ that the rules take from what was measured, and which of them a command took; without folds there is no
// standard error, and hence only the smallest error.
func choicesOf(c *selection.Curve, taken selection.Rule) (all []report.Choice) {
	for i := range c.Points {
		if len(c.Points[i].Scores) == 0 {
			return nil
		}
	}
	if len(c.Points) == 0 {
		return nil
	}
	of := func(rule selection.Rule, name string) report.Choice {
		at, _ := rule.Select(c.Points) // a rule that is known, and there are points
		return report.Choice{Lambda: c.Points[at].Lambda, Rule: name, Taken: taken == rule}
	}
	if c.Folds == 0 {
		return []report.Choice{of(selection.Min, "smallest error")}
	}
	return []report.Choice{of(selection.Min, string(selection.Min)), of(selection.OneStd, string(selection.OneStd))}
}

// A LineCounter is a Job whose W is to have few rows and columns: it counts those of its data, by their names.
type LineCounter interface {
	CountLines(p *selection.Point) (names []string, counts []int)
}

// titleOf is what a picture is of: the PROBLEM and the files of its data.
func titleOf(f *RunFlags) string {
	text := f.Problem
	for i, name := range filesOf(f.Cmd.Flags(), trainFlags) {
		if i == 0 {
			text += " of "
		} else {
			text += ", "
		}
		text += filepath.Base(name)
	}
	return text
}

// trainFlags name files of data that models are fitted to.
var trainFlags = []string{"view", "train", "covariance", "features", "labels", "targets"}

// An EntryNamer is a Job whose W may be sparse: it knows what an entry is called, and the unit of all.
type EntryNamer interface {
	EntryName(row, col int) string
	EntryUnit() string
}

const (
	// drawnEntries is how many coefficients a picture can tell apart.
	drawnEntries = 10
	// keptEntries is how many each point of a path keeps for it: what is large at one λ may be small at others.
	keptEntries = 8 * drawnEntries
)

// plotPath draws the points of a path. Taken is the rule by which a cross-validation has chosen λ.
func plotPath(name string, st Job, curve *selection.Curve, taken selection.Rule) error {
	f := st.Shared()
	c := report.PathCurve{Title: "Regularization path", Subtitle: titleOf(f), Choices: choicesOf(curve, taken)}
	if curve.Folds > 0 {
		c.Title = fmt.Sprintf("Cross-validation of λ, %d folds by %s", curve.Folds, f.By)
	}
	lines, byLines := st.(LineCounter)
	var nonzeros []int
	for i := range curve.Points {
		p := &curve.Points[i]
		q := report.PathPoint{Lambda: p.Lambda}
		nonzeros = append(nonzeros, p.Size.Count())
		if byLines {
			c.Sizes, q.Sizes = lines.CountLines(p)
		} else {
			c.Sizes, q.Sizes = []string{p.Size.Name()}, []int{p.Size.Count()}
		}
		if len(p.Scores) > 0 {
			c.Error, q.Error, q.StdErr = p.Scores[0].Name, p.Scores.First(), p.StdErr
		}
		c.Points = append(c.Points, q)
	}
	if of, ok := st.(EntryNamer); ok {
		c.Coefficients, c.Unit = coefficientsOf(curve.Points, of), of.EntryUnit()
		if most := slices.Max(append(nonzeros, 0)); len(c.Coefficients) == drawnEntries && most > drawnEntries {
			c.Subtitle += fmt.Sprintf("; the %d largest weights of up to %d", drawnEntries, most)
		}
	}
	return ToOutput(name, nil, func(w io.Writer) error { return report.Path(w, PlotFormat(name), c) })
}

// coefficientsOf are the largest entries of a sparse W along a path, the largest first.
func coefficientsOf(points []selection.Point, of EntryNamer) []report.Coefficient {
	type place struct{ row, col int32 }
	peak, lines := map[place]float64{}, map[place][]float64{}
	for k := range points {
		for _, e := range points[k].Largest {
			at := place{e.Row, e.Col}
			if lines[at] == nil {
				lines[at] = make([]float64, len(points))
			}
			lines[at][k] = e.Value
			peak[at] = math.Max(peak[at], math.Abs(e.Value))
		}
	}
	largest := slices.SortedFunc(maps.Keys(peak), func(a, b place) int {
		return cmp.Or(cmp.Compare(peak[b], peak[a]), cmp.Compare(a.row, b.row), cmp.Compare(a.col, b.col))
	})
	largest = largest[:min(drawnEntries, len(largest))]
	drawn := make([]report.Coefficient, len(largest))
	for i, at := range largest {
		drawn[i] = report.Coefficient{Name: of.EntryName(int(at.row), int(at.col)), Values: lines[at]}
		for k, x := range lines[at] {
			if x == 0 && points[k].Size.Count() > len(points[k].Largest) { // it is among those that were not kept, perhaps
				lines[at][k] = math.NaN()
			}
		}
	}
	return drawn
}
