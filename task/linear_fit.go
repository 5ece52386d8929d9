package task

import (
	"cmp"
	"context"
	"slices"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"gonum.org/v1/gonum/mat"
)

// A LinearResult is a fitted Linear.
type LinearResult struct {
	*Solution
	Model    *model.Model // to predict with, and to save
	Values   *ValueScores // on the test rows, or on the training rows where there are none; nil of classes, labels and events
	Classes  *ClassScores // likewise; nil of numbers
	Risks    *RiskScores  // likewise, of times until an event alone
	Constant *Constant    // what needs no features, on the same rows
	Warnings []Warning
}

// Predict is the scores of rows of features as those of training: a row for each of x, a column for each class, task or target.
func (r *LinearResult) Predict(x mat.Matrix) (*mat.Dense, error) { return r.Model.Linear().Predict(x) }

// usualPoints and usualRatio are those of the path that chooses λ: W has few outputs, so that small λ are cheap.
const (
	usualPoints = 40
	usualRatio  = 1e-4
)

// Fit fits a model: it chooses λ where none is given, solves, and measures. Not to converge is no error, see Result.Status.
// Errors are those of Prepare, of Start and of [Solve].
func (l *Linear) Fit(ctx context.Context, opt Options) (*LinearResult, error) {
	p, err := l.Prepare()
	if err != nil {
		return nil, err
	}
	return p.Fit(ctx, opt)
}

// ownRows are copies of the rows, as far as they are written.
func (l *Linear) ownRows() {
	aligned := false // features are counted anew
	for _, o := range []*dataset.Rows{l.Test, l.Valid} {
		aligned = aligned || o != nil && o.ZeroBased != l.Train.ZeroBased
	}
	for _, r := range []**dataset.Rows{&l.Train, &l.Test, &l.Valid} {
		if *r == nil {
			continue
		}
		own := **r
		own.Name = cmp.Or(own.Name, "the rows")
		own.XName = cmp.Or(own.XName, own.Name)
		own.X = ownMatrix(own.X, l.Standardize || l.AutoStandardize || l.Missing != RefuseMissing, aligned)
		own.Targets = ownMatrix(own.Targets, true, false)
		*r = &own
	}
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

// Fit is that of the task.
func (l *PreparedLinear) Fit(ctx context.Context, opt Options) (*LinearResult, error) {
	chosen, err := opt.check()
	if err != nil {
		return nil, err
	}
	if chosen && opt.Folds == 0 && opt.Points == 0 && opt.Ratio == 0 {
		opt.Points, opt.Ratio = usualPoints, usualRatio
	}
	if l.task.Warm != nil {
		if err := l.matches(l.task.Warm); err != nil { // before λ is chosen
			return nil, err
		}
		opt.warm = func(f *selection.Fitting) (selection.Start, error) { return l.Start(f, l.task.Warm) }
	}
	res := &LinearResult{Warnings: l.Warnings()}
	var cut error // by the end of ctx, which leaves the best so far
	if res.Solution, cut = Solve(ctx, l, opt); res.Solution == nil {
		return nil, cut
	}
	res.Model = l.Model(res.Fitting, res.Result)
	var got selection.Measured
	got, res.Constant = l.Scores(res.Result)
	switch got := got.(type) {
	case *ValueScores:
		res.Values = got
	case *ClassScores:
		res.Classes = got
	case *RiskScores:
		res.Risks = got
	}
	res.Warnings = append(res.Warnings, res.Solution.Warnings...)
	if w := res.Constant.Worse(got); w != nil {
		res.Warnings = append(res.Warnings, w)
	}
	return res, cut
}

// Scores are what a result of Whole is worth, a *ValueScores, a *ClassScores or a *RiskScores in detail, and what constants are:
// on the test rows, or on the training rows where there are none.
func (l *PreparedLinear) Scores(r *solver.Result) (selection.Measured, *Constant) {
	m := meter{l.schema, l.task.Loss}
	if l.test == nil {
		return m.measure(l.train, nil, l.train.ofAll(r.State.Z, l.each()), true), l.constant(l.train)
	}
	return m.measure(l.test, nil, l.predictions(l.whole.held, l.test, r.State), true), l.constant(l.test)
}
