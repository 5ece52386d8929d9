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
