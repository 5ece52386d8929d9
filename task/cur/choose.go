package cur

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
)

const (
	// chooseStep is the ratio of a λ of the path to the one before. Counts rise fast near λ_max: finer steps choose no other set.
	chooseStep = 0.8
	// chooseTol is the gap of every λ but the last: what is 0 there is so long before the gap is closed.
	chooseTol = 1e-2
	// chooseLeast is the part of λ_max where the path ends.
	chooseLeast = 1e-6
)

// Open says that a number of rows or columns is asked for, which λ is to be chosen by.
func (p *Prepared) Open() bool { return p.task.Rows > 0 || p.task.Columns > 0 }

// Choose takes a warm path down to the largest λ for which W has at least Rows and Columns of D, in half of opt.Run.MaxTime.
// Where time is over or ctx ends first it is the λ that the path came to, and CutShort says so. The error says how many
// there are where no λ has as many.
func (p *Prepared) Choose(ctx context.Context, opt selection.Options) (*selection.Choice, error) {
	f, err := p.Whole()
	if err != nil {
		return nil, err
	}
	t, q := p.task, *f.Problem
	q.Penalty = gauge.Linear{Lambda: 1}
	top, err := solver.MaxLambda(ctx, &q)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	var w *gcg.Iterate
	var r Ranking
	lambda := top * chooseStep
	for ; lambda > chooseLeast*top; lambda *= chooseStep {
		run := solver.Options{Tol: chooseTol, Start: w, Seed: opt.Run.Seed}
		if opt.Run.MaxTime > 0 {
			run.MaxTime = max(opt.Run.MaxTime/2-time.Since(began), 1)
		}
		q.Penalty = gauge.Linear{Lambda: lambda}
		m, im, _ := solver.For(&q)
		run.Improver = im
		res, err := solver.Run(ctx, &q, m, run)
		if res == nil {
			return nil, err
		}
		w = res.State.W
		r = p.weights(w)
		if t.Visit != nil {
			t.Visit(lambda, len(r.Rows), len(r.Columns))
		}
		c := &selection.Choice{Lambda: lambda, Start: selection.Start{W: w}, Fitting: f}
		switch {
		case len(r.Rows) >= t.Rows && len(r.Columns) >= t.Columns:
			return c, nil
		case res.Status == solver.Interrupted || res.Status == solver.MaxTime:
			c.Curve.CutShort = res.Status
			return c, err
		}
	}
	return nil, fmt.Errorf("%s: no λ down to %.3g, %v of λ_max, selects %d rows and %d columns; the last has %d and %d", t.Name,
		lambda, chooseLeast, t.Rows, t.Columns, len(r.Rows), len(r.Columns))
}
