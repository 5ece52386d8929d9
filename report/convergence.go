// Package report draws what runs recorded: the gap against time, the error against λ, and cost against size. It never solves.
package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
)

// A Trace is what one run recorded, a point for each iterate.
type Trace struct {
	Name   string
	Points []Point
	Torn   bool // the last line breaks off, as a killed run leaves it, and is no point
}

// A Point is one iterate. RelativeGap is 0 where nothing was certified.
type Point struct {
	Iteration   int      `json:"iteration"`
	Seconds     float64  `json:"seconds"`
	Objective   float64  `json:"objective"`
	LowerBound  *float64 `json:"lower_bound"`
	RelativeGap float64  `json:"relative_gap"`
	Rank        int      `json:"rank"`
	Gradients   float64  `json:"gradients"`
	Polars      float64  `json:"polars"`
}

// An Axis is what the work of runs is measured by.
type Axis string

// The axes of Convergence.
const (
	Seconds   Axis = "seconds"
	Gradients Axis = "gradients"
	Polars    Axis = "polars"
)

// An axis is a label, the place of a point, and the least that is drawn: that of counts is logarithmic.
type axis struct {
	label string
	of    func(Point) float64
	least float64
}

var axes = map[Axis]axis{
	Seconds:   {"time (s)", func(q Point) float64 { return q.Seconds }, 0},
	Gradients: {"gradients", func(q Point) float64 { return q.Gradients }, 1},
	Polars:    {"polars", func(q Point) float64 { return q.Polars }, 1},
}

// ReadTrace reads the JSON lines of a run. A last line that breaks off is left out where there are others.
func ReadTrace(r io.Reader, name string) (Trace, error) {
	t := Trace{Name: name}
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 1<<20)
	ended := true // the line, by a newline
	sc.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		ended = bytes.IndexByte(data, '\n') >= 0
		return bufio.ScanLines(data, atEOF)
	})
	for line := 1; sc.Scan(); line++ {
		if len(sc.Bytes()) == 0 {
			continue
		}
		p, err := parsePoint(sc.Bytes())
		if err != nil && !ended && len(t.Points) > 0 && breaksOff(sc.Bytes()) {
			t.Torn = true
			break
		}
		if err != nil {
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

// breaksOff tells the beginning of some JSON from what is none.
func breaksOff(line []byte) bool {
	var x any
	return errors.Is(json.NewDecoder(bytes.NewReader(line)).Decode(&x), io.ErrUnexpectedEOF)
}

// parsePoint refuses what no run records and no axis holds.
func parsePoint(line []byte) (Point, error) {
	var p struct {
		Point
		Objective *float64 `json:"objective"`
	}
	if err := json.Unmarshal(line, &p); err != nil {
		return Point{}, err
	}
	switch {
	case p.Objective == nil:
		return Point{}, fmt.Errorf("it has no objective")
	case !(p.Seconds >= 0 && p.Seconds < 1e12):
		return Point{}, fmt.Errorf("its seconds are %v", p.Seconds)
	case p.RelativeGap < 0:
		return Point{}, fmt.Errorf("its relative gap is %v", p.RelativeGap)
	}
	p.Point.Objective = *p.Objective
	return p.Point, nil
}

// Convergence draws the certified relative gap (F - bound)/F of each run, and how far its objective is above one reference for
// all of them, against time, gradients or polars, and writes it in a format of gonum/plot: svg, png or pdf. Every run has one
// colour.
func Convergence(w io.Writer, format string, against Axis, traces []Trace) error {
	x, known := axes[against]
	switch {
	case len(traces) == 0:
		return fmt.Errorf("report: no traces to draw")
	case !known:
		return fmt.Errorf("report: convergence is drawn against seconds, gradients or polars, not %q", against)
	}
	best, what := reference(traces)
	f := &figure{}
	p := f.panel("Convergence", x.label, "relative gap")
	drawn := 0
	for i, t := range traces {
		of := plotutil.Color(i)
		gap := curve(t, x, func(q Point) float64 { return q.RelativeGap })
		above := curve(t, x, func(q Point) float64 { return (q.Objective - best(i)) / math.Abs(best(i)) })
		for k, c := range []struct {
			label  string
			points plotter.XYs
		}{{"certified gap", gap}, {"objective above " + what, above}} {
			if len(c.points) == 0 {
				continue
			}
			line, marks, err := f.curve(p, thinned(c.points, mostPoints), of, k)
			if err != nil {
				return err
			}
			marks.XYs = thinned(c.points, mostMarks)
			label := c.label
			if len(traces) > 1 {
				label = t.Name + ": " + label
			}
			f.name(label, line, marks)
			drawn += len(c.points)
		}
	}
	if drawn == 0 {
		return fmt.Errorf("nothing to draw in %s: no gap and no objective above %s is between 1e-16 and 1e16, at a number of %s",
			names(traces), what, against)
	}
	if x.least > 0 {
		logarithmic(&p.X)
	} else {
		wide(&p.X)
	}
	logarithmic(&p.Y)
	return f.write(w, format)
}

// reference is what the objectives of runs are compared with: the best bound among them, or the least objective where there is
// none. A bound above the objective of another run shows that they solve different problems; then each has a reference of its
// own.
func reference(traces []Trace) (of func(i int) float64, what string) {
	bound, least := math.Inf(-1), math.Inf(1)
	own := make([]float64, len(traces))
	for i, t := range traces {
		lower, lowest := math.Inf(-1), math.Inf(1)
		for _, q := range t.Points {
			lowest = math.Min(lowest, q.Objective)
			if q.LowerBound != nil {
				lower = math.Max(lower, *q.LowerBound)
			}
		}
		bound, least, own[i] = math.Max(bound, lower), math.Min(least, lowest), lower
		if math.IsInf(lower, 0) {
			own[i] = lowest
		}
	}
	switch {
	case math.IsInf(bound, -1):
		return func(int) float64 { return least }, "the least"
	case bound > least+boundRounding*math.Abs(least):
		return func(i int) float64 { return own[i] }, "its own best bound"
	}
	return func(int) float64 { return bound }, "the best bound"
}

// boundRounding is how far above an objective of the same problem rounding may put a bound, relative to it.
const boundRounding = 1e-9

const (
	mostPoints = 300 // of a curve: more are not seen, and make large files
	mostMarks  = 25  // of a curve: marks of more cover those below
)

// thinned are so many points at most, the first and the last among them.
func thinned(points plotter.XYs, most int) (some plotter.XYs) {
	if len(points) <= most {
		return points
	}
	for i := range most {
		some = append(some, points[i*(len(points)-1)/(most-1)])
	}
	return some
}

func names(traces []Trace) string {
	all := make([]string, len(traces))
	for i, t := range traces {
		all[i] = t.Name
	}
	return strings.Join(all, ", ")
}

// curve keeps what a logarithmic axis can show, and counts from 1 on.
func curve(t Trace, x axis, y func(Point) float64) plotter.XYs {
	var c plotter.XYs
	for _, q := range t.Points {
		if v := y(q); v > 1e-16 && v < 1e16 && x.of(q) >= x.least {
			c = append(c, plotter.XY{X: x.of(q), Y: v})
		}
	}
	return c
}
