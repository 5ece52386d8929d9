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

// A Coefficient is an entry of W along a path: its name, and its value at each point of the curve, NaN where it is not known.
type Coefficient struct {
	Name   string
	Values []float64
}

// A PathCurve is a path with what its numbers are called.
type PathCurve struct {
	Points       []PathPoint
	Error        string        // such as RMSE; empty where nothing was measured
	Size         string        // such as rank
	Selected     float64       // the λ that was chosen, or 0
	Coefficients []Coefficient // of a sparse W, in the order of the legend
	Unit         string        // of the coefficients
}

// Path draws the error against λ on a logarithmic axis, with one standard error above and below, below it the size of W, and
// below that the coefficients, if there are some; where nothing was measured it begins with the size. The λ that was chosen is
// marked in all. It writes a format of gonum/plot: svg, png or pdf.
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
	if c.Error != "" {
		if err := c.drawErrors(f, errors); err != nil {
			return err
		}
	}
	p := c.panel(f, c.Size+" of W (count)")
	p.Y.Tick.Marker = roundTicks{whole: true}
	line, marks, err := f.curve(p, sizes, plotutil.Color(1), 0)
	if err != nil {
		return err
	}
	f.name(c.Size, line, marks)
	if err := c.mark(f, p); err != nil {
		return err
	}
	if err := c.drawCoefficients(f); err != nil {
		return err
	}
	return f.write(w, format)
}

// panel adds a panel over λ; the first one has the title of the figure.
func (c PathCurve) panel(f *figure, y string) *plot.Plot {
	title := ""
	if len(f.panels) == 0 {
		title = "Regularization path"
	}
	return f.panel(title, "λ (loss / norm of W)", y)
}

// unitOf is the unit of a score, which its name does not say.
func unitOf(score string) string {
	switch score {
	case "RMSE", "MAE", "pinball loss":
		return " (in units of what is predicted)"
	case "log loss":
		return " (nats)"
	case "error rate":
		return " (share of the rows)"
	}
	return ""
}

// drawErrors is the panel of the errors, with their bars.
func (c PathCurve) drawErrors(f *figure, points plotter.XYs) error {
	p := c.panel(f, c.Error+unitOf(c.Error))
	line, marks, err := f.curve(p, points, plotutil.Color(0), 0)
	if err != nil {
		return err
	}
	f.name(c.Error, line, marks)
	if c.Points[0].StdErr > 0 {
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
	return c.mark(f, p)
}

// drawCoefficients is the panel of the coefficients, without marks, which would hide lines that are near each other.
func (c PathCurve) drawCoefficients(f *figure) error {
	if len(c.Coefficients) == 0 {
		return nil
	}
	p := c.panel(f, "weight ("+c.Unit+")")
	for i, w := range c.Coefficients {
		var points plotter.XYs
		for k, x := range w.Values {
			if !math.IsNaN(x) {
				points = append(points, plotter.XY{X: c.Points[k].Lambda, Y: x})
			}
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return fmt.Errorf("report: the weight of %s: %w", w.Name, err)
		}
		colors := len(plotutil.DarkColors)
		line.Color, line.Width, line.Dashes = plotutil.DarkColors[i%colors], curveWidth, plotutil.Dashes(i/colors)
		p.Add(line)
		f.name(w.Name, line)
	}
	return c.mark(f, p)
}

// mark ends a panel: it gives the axes their ends, and marks the λ that was chosen, by name in the first panel.
func (c PathCurve) mark(f *figure, p *plot.Plot) error {
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
