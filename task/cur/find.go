package cur

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
)

const (
	// findStep is the ratio of a λ of the path to the one before. Counts rise fast near λ_max: finer steps choose no other set.
	findStep = 0.8
	// findTol is the gap of every λ but the last: what is 0 there is so long before the gap is closed.
	findTol = 1e-2
	// findLeast is the part of λ_max where the path ends.
	findLeast = 1e-6
)

// Find is the largest λ of a warm path for which W has at least so many rows and columns of D, and where its solution may begin.
// Counts of 0 ask for nothing. It refuses more than D has, and says how many there are where no λ has as many.
func (t *Task) Find(ctx context.Context, rows, columns int) (lambda float64, start selection.Start, err error) {
	f, err := t.Whole()
	if err != nil {
		return 0, start, err
	}
	if rows > t.D.Rows || columns > t.D.Cols {
		return 0, start, fmt.Errorf("%s: %d rows and %d columns are asked for, and it has %d and %d", t.Name, rows, columns, t.D.Rows,
			t.D.Cols)
	}
	p := *f.Problem
	p.Penalty = gauge.Linear{Lambda: 1}
	top, err := solver.MaxLambda(ctx, &p)
	if err != nil {
		return 0, start, err
	}
	var w *gcg.Iterate
	var r Ranking
	for lambda = top * findStep; lambda > findLeast*top; lambda *= findStep {
		p.Penalty = gauge.Linear{Lambda: lambda}
		m, im, _ := solver.For(&p)
		res, err := solver.Run(ctx, &p, m, solver.Options{Tol: findTol, Start: w, Improver: im})
		if err != nil {
			return 0, start, err
		}
		if res.Status == solver.Interrupted {
			return 0, start, errors.New("interrupted before a λ for so many rows and columns was found")
		}
		w = res.State.W
		if r = t.Ranking(w); len(r.Rows) >= rows && len(r.Columns) >= columns {
			return lambda, selection.Start{W: w}, nil
		}
	}
	return 0, start, fmt.Errorf("%s: no λ down to %.3g, %v of λ_max, selects %d rows and %d columns; the last has %d and %d", t.Name,
		lambda, findLeast, rows, columns, len(r.Rows), len(r.Columns))
}
