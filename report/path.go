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

// Path draws the error against λ on a logarithmic axis, with one standard error above and below, and below it the size of W;
// where nothing was measured, the size alone. The λ that was chosen is marked in both. It writes a format of gonum/plot: svg, png
// or pdf.
func Path(w io.Writer, format string, c PathCurve) error {
	if len(c.Points) == 0 {
		return fmt.Errorf("report: the path has no points to draw")
	}
	f := &figure{}
	errors, sizes := make(plotter.XYs, len(c.Points)), make(plotter.XYs, len(c.Points))
	for i, q := range c.Points {
		if !(q.Lambda > 0) || math.IsInf(q.Lambda, 0) || math.IsNaN(q.Error) || math.IsInf(q.Error, 0) {
			return fmt.Errorf("report: λ %v with %v has no place on a plot", q.Lambda, q.Error)
		}
		errors[i], sizes[i] = plotter.XY{X: q.Lambda, Y: q.Error}, plotter.XY{X: q.Lambda, Y: float64(q.Size)}
	}
	title := "Regularization path"
	if c.Error != "" {
		p := f.panel(title, "λ (loss / norm of W)", c.Error+unitOf(c.Error))
		title = ""
		if err := c.draw(f, p, errors, 0); err != nil {
			return err
		}
	}
	p := f.panel(title, "λ (loss / norm of W)", c.Size+" of W (count)")
	p.Y.Tick.Marker = roundTicks{whole: true}
	if err := c.draw(f, p, sizes, 1); err != nil {
		return err
	}
	return f.write(w, format)
}

// unitOf is the unit of a score, which its name does not say.
func unitOf(score string) string {
	switch score {
	case "RMSE":
		return " (in units of what is predicted)"
	case "log loss":
		return " (nats)"
	case "error rate":
		return " (share of the rows)"
	}
	return ""
}

// draw adds a curve of the path, with the bars of its error where it is that, and the λ that was chosen.
func (c PathCurve) draw(f *figure, p *plot.Plot, points plotter.XYs, color int) error {
	line, marks, err := f.curve(p, points, plotutil.Color(color), 0)
	if err != nil {
		return err
	}
	name := c.Size
	if color == 0 {
		name = c.Error
	}
	f.name(name, line, marks)
	if color == 0 && c.Points[0].StdErr > 0 {
		bars := struct {
			plotter.XYs
			plotter.YErrors
		}{XYs: points}
		for _, q := range c.Points {
			bars.YErrors = append(bars.YErrors, struct{ Low, High float64 }{q.StdErr, q.StdErr})
		}
		e, err := plotter.NewYErrorBars(bars)
		if err != nil {
			return err
		}
		p.Add(e)
	}
	wide(&p.Y)
	if c.Selected > 0 {
		at, err := plotter.NewLine(plotter.XYs{{X: c.Selected, Y: p.Y.Min}, {X: c.Selected, Y: p.Y.Max}})
		if err != nil {
			return err
		}
		at.Dashes = plotutil.Dashes(2)
		p.Add(at)
		if len(f.panels) == 1 {
			f.name(fmt.Sprintf("λ = %.4g, the best", c.Selected), at)
		}
	}
	logarithmic(&p.X)
	return nil
}
