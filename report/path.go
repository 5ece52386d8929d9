package report

import (
	"fmt"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
)

// A PathPoint is one λ of a regularization path.
type PathPoint struct {
	Lambda        float64
	Size          int     // rank or nonzeros
	Error, StdErr float64 // StdErr is 0 where there is none
}

// A PathCurve is a path with what its numbers are called.
type PathCurve struct {
	Points   []PathPoint
	Error    string  // such as RMSE; empty where nothing was measured
	Size     string  // such as rank
	Selected float64 // the λ that was chosen, or 0
}

// Path draws the error against λ on a logarithmic axis, with one standard error above and below, and the λ that was chosen;
// where nothing was measured, the size of W. It writes a format of gonum/plot: svg, png or pdf.
func Path(w io.Writer, format string, c PathCurve) error {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "λ", c.Error
	if c.Error == "" {
		p.Y.Label.Text, p.Y.Tick.Marker = c.Size, countTicks{}
	}
	p.Add(plotter.NewGrid())
	line := make(plotter.XYs, 0, len(c.Points))
	bars := struct {
		plotter.XYs
		plotter.YErrors
	}{}
	for _, q := range c.Points {
		y := q.Error
		if c.Error == "" {
			y = float64(q.Size)
		}
		if !(q.Lambda > 0) || math.IsInf(q.Lambda, 0) || math.IsNaN(y) || math.IsInf(y, 0) {
			return fmt.Errorf("report: λ %v with %v has no place on a plot", q.Lambda, y)
		}
		line = append(line, plotter.XY{X: q.Lambda, Y: y})
		bars.YErrors = append(bars.YErrors, struct{ Low, High float64 }{q.StdErr, q.StdErr})
	}
	if len(line) == 0 {
		return fmt.Errorf("report: the path has no points to draw")
	}
	bars.XYs = line
	curve, marks, err := plotter.NewLinePoints(line)
	if err != nil {
		return err
	}
	curve.Color, marks.Color = plotutil.Color(0), plotutil.Color(0)
	p.Add(curve, marks)
	if c.Points[0].StdErr > 0 {
		e, err := plotter.NewYErrorBars(bars)
		if err != nil {
			return err
		}
		p.Add(e)
	}
	if c.Selected > 0 {
		at, err := plotter.NewLine(plotter.XYs{{X: c.Selected, Y: p.Y.Min}, {X: c.Selected, Y: p.Y.Max}})
		if err != nil {
			return err
		}
		at.Dashes = plotutil.Dashes(2)
		p.Add(at)
		// beside the lower end of the curve, where λ is smallest or largest
		p.Legend.Top, p.Legend.Left = true, line[len(line)-1].Y < line[0].Y
		p.Legend.Add(fmt.Sprintf("λ = %.4g", c.Selected), at)
	}
	logarithmic(&p.X, 3)
	return write(w, format, p)
}
