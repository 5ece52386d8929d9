package cli

import (
	"cmp"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-b18ef778/gcg/report"
	"github.com/seed-b18ef778/gcg/selection"
)

// PlotFormat is what a file's name says of its format.
func PlotFormat(name string) string { return strings.TrimPrefix(filepath.Ext(name), ".") }

// bestOf is the λ with the least score, 0 where nothing was measured.
func bestOf(c *selection.Curve) float64 {
	for i := range c.Points {
		if len(c.Points[i].Scores) == 0 {
			return 0
		}
	}
	if len(c.Points) == 0 {
		return 0
	}
	return c.Points[selection.Min.Select(c.Points)].Lambda
}

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

// plotPath draws the points of a path; the λ that was chosen is marked, 0 is none.
func plotPath(name string, st Job, curve *selection.Curve, selected float64) error {
	c := report.PathCurve{Selected: selected}
	for i := range curve.Points {
		p := &curve.Points[i]
		q := report.PathPoint{Lambda: p.Lambda, Size: p.Size.Count()}
		c.Size = p.Size.Name()
		if len(p.Scores) > 0 {
			c.Error, q.Error, q.StdErr = p.Scores[0].Name, p.Scores.First(), p.StdErr
		}
		c.Points = append(c.Points, q)
	}
	if of, ok := st.(EntryNamer); ok {
		c.Coefficients, c.Unit = coefficientsOf(curve.Points, of), of.EntryUnit()
	}
	return ToOutput(name, nil, func(w io.Writer) error { return report.Path(w, PlotFormat(name), c) })
}

// coefficientsOf are the largest entries of a sparse W along a path, by their values at its end, as the lines end there.
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
	last := len(points) - 1
	slices.SortStableFunc(drawn, func(a, b report.Coefficient) int { return cmp.Compare(b.Values[last], a.Values[last]) })
	return drawn
}
