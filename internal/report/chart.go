package report

import (
	"fmt"
	"io"
	"math"
)

// A Chart is panels below each other, each with lines of points.
type Chart struct {
	Title, Subtitle string
	Panels          []ChartPanel
}

// A ChartPanel is lines between two axes, which are logarithmic where they are asked to be.
type ChartPanel struct {
	X, Y       string // labels
	LogX, LogY bool
	Lines      []ChartLine
}

// A ChartLine is a named line of points, marked where it has few. Its colour is that of its number in the panel.
type ChartLine struct {
	Name   string
	X, Y   []float64
	Dashed bool
}

// fewMarked is how many points of a line are marked at most.
const fewMarked = 12

// Lines draws a chart as svg, png or pdf. Points that an axis cannot hold are left out; a chart of which none is left is an
// error.
func Lines(w io.Writer, format string, c Chart) error {
	f := &figure{title: c.Title, subtitle: c.Subtitle}
	drawn := 0
	for _, p := range c.Panels {
		to := f.panel(p.X, p.Y)
		to.x.logarithmic, to.y.logarithmic = p.LogX, p.LogY
		for i, l := range p.Lines {
			var places []place
			for k, x := range l.X {
				if held(x, p.LogX) && held(l.Y[k], p.LogY) {
					places = append(places, place{x, l.Y[k]})
				}
			}
			if len(places) == 0 {
				continue
			}
			drawn += len(places)
			v := curve{name: l.Name, places: thinned(places, mostPoints), color: colorOf(i), lines: true,
				marks: true, marked: thinned(places, fewMarked)}
			if l.Dashed || i >= len(colors) {
				v.dashes = patterns[1+i/len(colors)%(len(patterns)-1)]
			}
			to.add(v)
		}
	}
	if drawn == 0 {
		return fmt.Errorf("report: nothing to draw in %q", c.Title)
	}
	return f.write(w, format)
}

// held says that an axis can show a number.
func held(x float64, logarithmic bool) bool {
	return !math.IsNaN(x) && math.Abs(x) < largestShown && (!logarithmic || x > 1/largestShown)
}

// largestShown is far beyond what is measured, and within what axes can number.
const largestShown = 1e16
