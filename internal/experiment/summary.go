package experiment

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/report"
)

// A Spread is a median with its range.
type Spread struct{ Median, Least, Most float64 }

// spread is that of some numbers; NaN of none.
func spread(x []float64) Spread {
	if len(x) == 0 {
		return Spread{math.NaN(), math.NaN(), math.NaN()}
	}
	return Spread{linalg.Median(x), slices.Min(x), slices.Max(x)}
}

// Points are those of the run whose time is the median, for a plot.
func (r *Run) Points() []report.Point {
	if len(r.Traces) == 0 {
		return nil
	}
	order := slices.Clone(r.Traces)
	slices.SortStableFunc(order, func(a, b report.Trace) int {
		return cmp.Compare(a.Points[len(a.Points)-1].Seconds, b.Points[len(b.Points)-1].Seconds)
	})
	return order[(len(order)-1)/2].Points
}

// Last is where the median run ended.
func (r *Run) Last() report.Point { p := r.Points(); return p[len(p)-1] }

// BestBound is the largest lower bound of all runs of one problem, -Inf where there is none.
func BestBound(runs []Run) float64 {
	best := math.Inf(-1)
	eachPoint(runs, func(q report.Point) {
		if q.LowerBound != nil {
			best = math.Max(best, *q.LowerBound)
		}
	})
	return best
}

// LeastObjective is that of all runs, +Inf where there is none.
func LeastObjective(runs []Run) float64 {
	least := math.Inf(1)
	eachPoint(runs, func(q report.Point) { least = math.Min(least, q.Objective) })
	return least
}

func eachPoint(runs []Run, f func(report.Point)) {
	for _, r := range runs {
		for _, t := range r.Traces {
			for _, q := range t.Points {
				f(q)
			}
		}
	}
}

// Reference is what objectives are compared with: the best bound of all, or the least objective where there is no bound.
func Reference(runs []Run) float64 {
	if b := BestBound(runs); !math.IsInf(b, -1) {
		return b
	}
	return LeastObjective(runs)
}

// Above is how far an objective is above a reference, relative to the objective.
func Above(objective, reference float64) float64 {
	return gcg.RelativeGap(objective-reference, objective)
}

// An Axis is what the way to a gap is measured by.
type Axis func(report.Point) float64

// The axes. PolarTime and OtherTime divide Seconds.
var (
	Seconds    Axis = func(q report.Point) float64 { return q.Seconds }
	Iterations Axis = func(q report.Point) float64 { return float64(q.Iteration) }
	Gradients  Axis = func(q report.Point) float64 { return q.Gradients }
	Polars     Axis = func(q report.Point) float64 { return q.Polars }
	PolarTime  Axis = func(q report.Point) float64 { return q.Split.Polar }
	OtherTime  Axis = func(q report.Point) float64 { return math.Max(0, q.Seconds-q.Split.Polar-q.Split.Certificate) }
)

// To is where on an axis the objective is first at most a relative gap above the reference, in every repetition; ok is false
// where one of them never is.
func (r *Run) To(gap, reference float64, x Axis) (s Spread, ok bool) {
	return r.first(x, func(q report.Point) bool { return Above(q.Objective, reference) <= gap })
}

// Certified is where on an axis the run's own certificate first shows a relative gap.
func (r *Run) Certified(gap float64, x Axis) (s Spread, ok bool) {
	return r.first(x, func(q report.Point) bool { return q.LowerBound != nil && q.RelativeGap <= gap })
}

// first is where on an axis something holds first, in every repetition.
func (r *Run) first(x Axis, holds func(report.Point) bool) (s Spread, ok bool) {
	var at []float64
	for _, t := range r.Traces {
		if i := slices.IndexFunc(t.Points, holds); i >= 0 {
			at = append(at, x(t.Points[i]))
		}
	}
	return spread(at), len(at) > 0 && len(at) == len(r.Traces)
}

// Score is a test score at a point; ok is false where it was not measured there.
func Score(q report.Point, name string) (x float64, ok bool) {
	x, ok = q.Test[name].(float64)
	return x, ok
}

// LastScore is the test score where the median run ended.
func (r *Run) LastScore(name string) (x float64, ok bool) {
	points := r.Points()
	for i := len(points) - 1; i >= 0; i-- {
		if x, ok = Score(points[i], name); ok {
			return x, true
		}
	}
	return 0, false
}

// LeastScore is the smallest test score of the median run, and where on an axis it was.
func (r *Run) LeastScore(name string, axis Axis) (least, at float64, ok bool) {
	least = math.Inf(1)
	for _, q := range r.Points() {
		if x, is := Score(q, name); is && x < least {
			least, at, ok = x, axis(q), true
		}
	}
	return least, at, ok
}
