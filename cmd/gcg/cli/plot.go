package cli

import (
	"io"
	"path/filepath"
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

// plotPath draws the points of a path; the λ that was chosen is marked, 0 is none.
func plotPath(name string, curve *selection.Curve, selected float64) error {
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
	return ToOutput(name, nil, func(w io.Writer) error { return report.Path(w, PlotFormat(name), c) })
}
