package task

import (
	"context"
	"slices"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
)

// A LinearResult is a fitted Linear.
type LinearResult struct {
	*Solution
	Model    *model.Model // to predict with, and to save
	Values   *ValueScores // on the test rows, or on the training rows where there are none; nil of classes and labels
	Classes  *ClassScores // likewise; nil of numbers
	Constant *Constant    // what needs no features, on the same rows
	Warnings []Warning
}

// usualPoints and usualRatio are those of the path that chooses λ: W has few outputs, so that small λ are cheap.
const (
	usualPoints = 40
	usualRatio  = 1e-4
)

// Fit fits a model: it chooses λ where none is given, solves, and measures. Not to converge is no error, see Result.Status.
// It reads all fields each time, and writes none of them nor of the rows. Errors are those of Load, Start and Solve.
func (l *Linear) Fit(ctx context.Context, opt Options) (*LinearResult, error) {
	return l.unprepared().fit(ctx, opt)
}

// unprepared is a task of the same fields that has loaded nothing, whose rows may be written.
func (l *Linear) unprepared() *Linear {
	c := *l
	c.schema, c.train, c.test, c.valid, c.op, c.scale, c.whole = nil, nil, nil, nil, nil, nil, nil
	c.parts, c.folds, c.from0 = nil, 0, ""
	aligned := false // features are counted anew
	for _, o := range []*dataset.Rows{l.Test, l.Valid} {
		aligned = aligned || o != nil && l.Train != nil && o.ZeroBased != l.Train.ZeroBased
	}
	for _, r := range []**dataset.Rows{&c.Train, &c.Test, &c.Valid} {
		if *r == nil {
			continue
		}
		own := **r
		own.X, own.Targets = ownMatrix(own.X, l.Standardize, aligned), ownMatrix(own.Targets, true, false)
		*r = &own
	}
	return &c
}

// ownMatrix is a matrix whose header may be written, and its values or its indices where that is asked for.
func ownMatrix(x *dataset.Matrix, values, index bool) *dataset.Matrix {
	if x == nil {
		return nil
	}
	own := *x
	if values {
		own.Dense, own.Values = slices.Clone(x.Dense), slices.Clone(x.Values)
	}
	if index {
		own.Index = slices.Clone(x.Index)
	}
	return &own
}

// fit is Fit of a task that nobody else has.
func (l *Linear) fit(ctx context.Context, opt Options) (*LinearResult, error) {
	f, err := l.Fitting()
	if err != nil {
		return nil, err
	}
	if opt.Folds == 0 && opt.Points == 0 && opt.Ratio == 0 {
		opt.Points, opt.Ratio = usualPoints, usualRatio
	}
	if l.Warm != nil {
		start, err := f.Start(l.Warm)
		if err != nil {
			return nil, err
		}
		opt.Run.Start, opt.Run.Intercept = start.W, start.Intercept
	}
	res := &LinearResult{Warnings: l.DataWarnings()}
	var cut error // by the end of ctx, which leaves the best so far
	if res.Solution, cut = Solve(ctx, l, opt); res.Solution == nil {
		return nil, cut
	}
	res.Model = f.Model(res.Result)
	var got selection.Measured
	got, res.Constant = f.Scores(res.Result)
	switch got := got.(type) {
	case *ValueScores:
		res.Values = got
	case *ClassScores:
		res.Classes = got
	}
	res.Warnings = append(res.Warnings, res.Solution.Warnings...)
	if w := res.Constant.Worse(got); w != nil {
		res.Warnings = append(res.Warnings, *w)
	}
	return res, cut
}

// Scores are what a result is worth, a *ValueScores or a *ClassScores in detail, and what constants are: on the test rows, or
// on the training rows where there are none.
func (f *LinearFitting) Scores(r *solver.Result) (selection.Measured, *Constant) {
	l := f.task
	m := meter{l.schema, l.Loss}
	if l.test == nil {
		return m.measure(l.train, nil, r.State.Z, true), l.constant(l.train)
	}
	return m.measure(l.test, nil, l.predictions(f.held, r.State), true), l.constant(l.test)
}
