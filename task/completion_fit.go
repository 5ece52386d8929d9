package task

import (
	"cmp"
	"context"

	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
)

// A CompletionResult is a fitted completion.
type CompletionResult struct {
	*Solution
	Model    *model.Model   // to predict, recommend and save
	Scores   *RatingScores  // on Test, or on the training ratings
	Trivial  metric.Trivial // what needs no model, on the same
	Warnings []Warning
}

// Fit fits a model: it chooses λ where none is given, solves, and measures. Not to converge is no error, see Result.Status. Errors are those of
// Load, selection.Choose and solver.Run.
func (c *Completion) Fit(ctx context.Context, opt FitOptions) (*CompletionResult, error) {
	if err := c.Load(); err != nil {
		return nil, err
	}
	solved, err := Solve(ctx, c, opt, func(m *model.Model) (selection.Start, error) { return selection.Start{W: c.whole.Start(m)}, nil })
	if err != nil {
		return nil, err
	}
	s, res := c.whole, &CompletionResult{Solution: solved, Warnings: c.DataWarnings()}
	res.Model = s.Model(res.Result)
	res.Scores, res.Trivial = s.Scores(res.Model), *c.trivial
	for _, w := range res.Result.Warnings {
		res.Warnings = append(res.Warnings, Remark(w))
	}
	res.Warnings = append(res.Warnings, s.Warnings(res.Scores.RMSE(), cmp.Or(opt.Run.Tol, 1e-3))...)
	return res, nil
}
