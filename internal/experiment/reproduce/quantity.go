package reproduce

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/internal/experiment"
	"github.com/seed-b18ef778/gcg/internal/report"
)

// A quantity is a number of a run, of which the case knows what all runs came to. ok is false where there is none, such as the
// seconds to a gap that was never reached.
type quantity func(r *experiment.Run, k *ending) (x float64, ok bool)

// An ending is what all runs of a case came to.
type ending struct {
	reference float64 // the best bound, or the least objective
	best      float64 // the least test score of all
	score     string  // its name
}

var axes = map[string]experiment.Axis{"seconds": experiment.Seconds, "iterations": experiment.Iterations,
	"gradients": experiment.Gradients, "polars": experiment.Polars, "polar seconds": experiment.PolarTime,
	"other seconds": experiment.OtherTime}

// quantities are those of the last point; of the others, a word of axes stands with an @ and a gap, as "seconds@0.01", or with an
// @ and a part by which the test score may be above the least of all, as "seconds@score:0.02".
var quantities = map[string]quantity{
	"objective": last(func(q report.Point) float64 { return q.Objective }),
	"log10 objective": func(r *experiment.Run, _ *ending) (float64, bool) {
		return math.Log10(r.Last().Objective), r.Last().Objective > 0
	},
	"loss": last(func(q report.Point) float64 { return q.Loss }),
	"above": func(r *experiment.Run, k *ending) (float64, bool) {
		return experiment.Above(r.Last().Objective, k.reference), true
	},
	"certified gap": func(r *experiment.Run, _ *ending) (float64, bool) {
		q := r.Last()
		return q.RelativeGap, q.LowerBound != nil
	},
	"rank":       func(r *experiment.Run, _ *ending) (float64, bool) { return float64(r.Rank), true },
	"seconds":    last(experiment.Seconds),
	"iterations": last(experiment.Iterations),
	"gradients":  last(experiment.Gradients),
	"polars":     last(experiment.Polars),
	"seconds per step": func(r *experiment.Run, _ *ending) (float64, bool) {
		q := r.Last()
		return q.Seconds / float64(q.Iteration), q.Iteration > 0
	},
	"score": func(r *experiment.Run, k *ending) (float64, bool) { return r.LastScore(k.score) },
	"least score": func(r *experiment.Run, k *ending) (x float64, ok bool) {
		x, _, ok = r.LeastScore(k.score, axes["seconds"])
		return x, ok
	},
	"score rise": func(r *experiment.Run, k *ending) (float64, bool) {
		end, ok := r.LastScore(k.score)
		least, _, _ := r.LeastScore(k.score, axes["seconds"])
		return end / least, ok && least > 0
	},
}

func last(of experiment.Axis) quantity {
	return func(r *experiment.Run, _ *ending) (float64, bool) { return of(r.Last()), true }
}

// quantityOf reads the name of a quantity.
func quantityOf(name string) (quantity, error) {
	if q := quantities[name]; q != nil {
		return q, nil
	}
	what, at, found := strings.Cut(name, "@")
	axis := axes[what]
	score, isScore := strings.CutPrefix(at, "score:")
	gap, err := strconv.ParseFloat(score, 64)
	if !found || axis == nil || err != nil || !(gap >= 0) {
		return nil, fmt.Errorf("no quantity is called %q", name)
	}
	if !isScore {
		return func(r *experiment.Run, k *ending) (float64, bool) {
			s, ok := r.To(gap, k.reference, axis)
			return s.Median, ok
		}, nil
	}
	return func(r *experiment.Run, k *ending) (float64, bool) {
		points := r.Points()
		i := slices.IndexFunc(points, func(q report.Point) bool {
			x, ok := experiment.Score(q, k.score)
			return ok && x <= (1+gap)*k.best
		})
		if i < 0 {
			return 0, false
		}
		return axis(points[i]), true
	}, nil
}

// endingOf is that of the runs of a case.
func endingOf(runs []experiment.Run, score string) *ending {
	k := &ending{reference: experiment.Reference(runs), best: math.Inf(1), score: score}
	for i := range runs {
		if x, _, ok := runs[i].LeastScore(score, axes["seconds"]); ok {
			k.best = math.Min(k.best, x)
		}
	}
	return k
}
