// Package report draws what runs recorded: the gap against time, the error against λ, and cost against size. It never solves.
package report

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
)

// An Axis is what the work of runs is measured by.
type Axis string

// The axes of Convergence.
const (
	Seconds   Axis = "seconds"
	Gradients Axis = "gradients"
	Polars    Axis = "polars"
)

// A work is a label, what a point stands at, and the least that is drawn: an axis of counts is logarithmic.
type work struct {
	label string
	of    func(Point) float64
	least float64
}

var works = map[Axis]work{
	Seconds:   {"time (s)", func(q Point) float64 { return q.Seconds }, 0},
	Gradients: {"gradients (count)", func(q Point) float64 { return q.Gradients }, 1},
	Polars:    {"polars (count)", func(q Point) float64 { return q.Polars }, 1},
}

// Convergence draws the certified relative gap (F - bound)/F of each run, and how far its objective is above one reference for
// all of them, against time, gradients or polars, and writes it as svg, png or pdf. Every run has one colour: gaps are solid,
// objectives dashed. Where runs were measured on test data, that is drawn below.
func Convergence(w io.Writer, format string, against Axis, traces []Trace) error {
	x, known := works[against]
	switch {
	case len(traces) == 0:
		return fmt.Errorf("report: no traces to draw")
	case !known:
		return fmt.Errorf("report: convergence is drawn against seconds, gradients or polars, not %q", against)
	}
	best, what := reference(traces)
	f := &figure{title: "Convergence", subtitle: common(traces)}
	p := f.panel(x.label, "relative gap")
	p.y.logarithmic, p.x.logarithmic = true, x.least > 0
	drawn := 0
	for i, t := range traces {
		gap := drawnOf(t, x, func(q Point) float64 { return q.RelativeGap })
		above := drawnOf(t, x, func(q Point) float64 { return (q.Objective - best(i)) / math.Abs(best(i)) })
		for k, places := range [][]place{gap, above} {
			if len(places) == 0 {
				continue
			}
			c := curve{places: thinned(places, mostPoints), marked: thinned(places, mostMarks), color: colorOf(i), dashes: patterns[k],
				lines: true, marks: true}
			switch {
			case len(traces) == 1:
				c.name = [2]string{"certified gap", "objective above " + what}[k]
			case k == 0 || len(gap) == 0:
				c.name = t.Name
			}
			p.add(c)
			drawn += len(places)
		}
	}
	if drawn == 0 {
		return fmt.Errorf("nothing to draw in %s: no gap and no objective above %s is between 1e-16 and 1e16, at a number of %s",
			names(traces), what, against)
	}
	if len(traces) > 1 { // what lines of each kind are, once for all runs
		p.curves = append(p.curves, curve{name: "solid: certified gap", color: grey, lines: true},
			curve{name: "dashed: above " + what, color: grey, lines: true, dashes: patterns[1]})
	}
	f.addScores(x, traces)
	return f.write(w, format)
}

// addScores draws the score on test data against work below, where there is one.
func (f *figure) addScores(x work, traces []Trace) {
	score := scoreOf(traces)
	if score == "" {
		return
	}
	p := f.panel(x.label, strings.ReplaceAll(score, "_", " ")+" on test data")
	p.x.logarithmic = x.least > 0
	for i, t := range traces {
		var places []place
		for _, q := range t.Points {
			if v, known := q.Test[score].(float64); known && x.of(q) >= x.least {
				places = append(places, place{x.of(q), v})
			}
		}
		if len(places) > 0 {
			c := curve{places: thinned(places, mostPoints), marked: thinned(places, mostMarks), color: colorOf(i), lines: true,
				marks: true}
			if len(traces) > 1 {
				c.name = t.Name
			}
			p.add(c)
		}
	}
}

// scoreOf is the score that is drawn: the first of the usual ones, else the first by name; "" where nothing was measured. The
// page of a run, runs.js, chooses alike.
func scoreOf(traces []Trace) string {
	there := map[string]bool{}
	for _, t := range traces {
		for _, q := range t.Points {
			for name, x := range q.Test {
				if _, number := x.(float64); number {
					there[name] = true
				}
			}
		}
	}
	for _, name := range append([]string{"rmse", "error_rate", "mae", "log_loss", "accuracy"}, slices.Sorted(maps.Keys(there))...) {
		if there[name] {
			return name
		}
	}
	return ""
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
func thinned(points []place, most int) (some []place) {
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

// drawnOf keeps what a logarithmic axis can show, and counts from 1 on.
func drawnOf(t Trace, x work, y func(Point) float64) (c []place) {
	for _, q := range t.Points {
		if v := y(q); v > 1e-16 && v < 1e16 && x.of(q) >= x.least {
			c = append(c, place{x.of(q), v})
		}
	}
	return c
}
