package task

import (
	"cmp"
	"context"

	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/model"
)

// A CompletionResult is a fitted completion.
type CompletionResult struct {
	*Solution
	Model    *model.Model   // to predict, recommend and save
	Scores   *RatingScores  // on Test, or on the training ratings
	Trivial  metric.Trivial // what needs no model, on the same
	Warnings []Warning
}

// Fit fits a model: it chooses λ where none is given, solves, and measures. Not to converge is no error, see Result.Status.
// Errors are those of Load and Solve.
func (c *Completion) Fit(ctx context.Context, opt Options) (*CompletionResult, error) {
	if err := c.Load(); err != nil {
		return nil, err
	}
	if c.Warm != nil {
		s, err := c.Fitting()
		if err != nil {
			return nil, err
		}
		opt.Run.Start = s.Start(c.Warm)
	}
	res := &CompletionResult{Warnings: c.DataWarnings()}
	var err error
	if res.Solution, err = Solve(ctx, c, opt); err != nil {
		return nil, err
	}
	s, err := c.Fitting()
	if err != nil {
		return nil, err
	}
	res.Model = s.Model(res.Result)
	res.Scores, res.Trivial = s.Scores(res.Model), *c.trivial
	res.Warnings = append(res.Warnings, res.Solution.Warnings...)
	res.Warnings = append(res.Warnings, s.Warnings(res.Scores.RMSE(), cmp.Or(opt.Run.Tol, 1e-3))...)
	res.Warnings = append(res.Warnings, RankingWarnings(res.Scores.Ranking)...)
	return res, nil
}
