// Package report draws what runs recorded. It never solves.
package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

// A Trace is what one run recorded, a point for each iterate.
type Trace struct {
	Name   string
	Points []Point
}

// A Point is one iterate. RelativeGap is 0 where nothing was certified.
type Point struct {
	Iteration   int     `json:"iteration"`
	Seconds     float64 `json:"seconds"`
	Objective   float64 `json:"objective"`
	RelativeGap float64 `json:"relative_gap"`
	Rank        int     `json:"rank"`
}

// ReadTrace reads the JSON lines of a run.
func ReadTrace(r io.Reader, name string) (Trace, error) {
	t := Trace{Name: name}
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 1<<20)
	for line := 1; sc.Scan(); line++ {
		if len(sc.Bytes()) == 0 {
			continue
		}
		var p Point
		if err := json.Unmarshal(sc.Bytes(), &p); err != nil {
			return t, fmt.Errorf("%s:%d: is no trace line: %v", name, line, err)
		}
		t.Points = append(t.Points, p)
	}
	if err := sc.Err(); err != nil {
		return t, fmt.Errorf("%s: cannot be read: %w", name, err)
	}
	if len(t.Points) == 0 {
		return t, fmt.Errorf("%s: holds no iterates", name)
	}
	return t, nil
}

// Convergence draws the certified relative gap, and how far the objective is above the last one, against time on a
// logarithmic axis, and writes it in a format of gonum/plot: svg, png or pdf.
func Convergence(w io.Writer, format string, traces []Trace) error {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "seconds", "relative"
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: 3}
	p.Legend.Top = true
	p.Add(plotter.NewGrid())
	for i, t := range traces {
		best := t.Points[len(t.Points)-1].Objective
		gap := curve(t, func(q Point) float64 { return q.RelativeGap })
		above := curve(t, func(q Point) float64 { return (q.Objective - best) / math.Abs(best) })
		for k, c := range []struct {
			label  string
			points plotter.XYs
		}{{"certified gap", gap}, {"objective above the last", above}} {
			if len(c.points) == 0 {
				continue
			}
			line, marks, err := plotter.NewLinePoints(c.points)
			if err != nil {
				return err
			}
			line.Color, marks.Color = plotutil.Color(2*i+k), plotutil.Color(2*i+k)
			line.Dashes = plotutil.Dashes(k)
			label := c.label
			if len(traces) > 1 {
				label = t.Name + ": " + label
			}
			p.Add(line, marks)
			p.Legend.Add(label, line, marks)
		}
	}
	out, err := p.WriterTo(6*vg.Inch, 4*vg.Inch, format)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err = out.WriteTo(w)
	return err
}

// curve keeps what a logarithmic axis can show.
func curve(t Trace, y func(Point) float64) plotter.XYs {
	var c plotter.XYs
	for _, q := range t.Points {
		if v := y(q); v > 1e-16 && !math.IsInf(v, 0) {
			c = append(c, plotter.XY{X: q.Seconds, Y: v})
		}
	}
	return c
}
