package task

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
)

// FitOptions say how a task is fitted. The zero value chooses λ by validation and solves to a relative gap of 1e-3.
type FitOptions struct {
	Lambda  float64      // λ of λκ(W); 0 chooses it
	Penalty gcg.Penalty  // another h, such as gauge.Ball; nil is λκ(W)
	Warm    *model.Model // start from this model; nil from W = 0, or where the choice of λ ended
	// Search is how λ is chosen, and by its Penalty what h is for a λ. Its Run is that of the fit.
	Search selection.Options
	// Run are the limits of the fit: choosing λ takes at most half of MaxTime. Start and Improver are Fit's.
	Run solver.Options
}

// A CompletionResult is a fitted completion.
type CompletionResult struct {
	*solver.Result
	Lambda   float64           // 0 for FitOptions.Penalty
	Choice   *selection.Choice // nil where λ was given
	Began    gcg.Certificate   // of the start: how far it was from the optimum
	Model    *model.Model      // to predict, recommend and save
	Scores   *RatingScores     // on Test, or on the training ratings
	Trivial  metric.Trivial    // what needs no model, on the same
	Warnings []Warning
}

// Fit fits a model: it chooses λ where none is given, solves, and measures. Not to converge is no error, see Result.Status. Errors are those of
// Load, selection.Choose and solver.Run.
func (c *Completion) Fit(ctx context.Context, opt FitOptions) (*CompletionResult, error) {
	if err := c.Load(); err != nil {
		return nil, err
	}
	began := time.Now()
	res := &CompletionResult{Lambda: opt.Lambda, Warnings: c.DataWarnings()}
	if opt.Lambda == 0 && opt.Penalty == nil {
		if err := res.choose(ctx, c, opt); err != nil {
			return nil, err
		}
	}
	s, err := c.Fitting()
	if err != nil {
		return nil, err
	}
	p := s.Problem
	if p.Penalty = opt.Penalty; p.Penalty == nil {
		p.Penalty = opt.penalty(res.Lambda)
	}
	if opt.Run.MaxTime > 0 {
		opt.Run.MaxTime = max(opt.Run.MaxTime-time.Since(began), 1)
	}
	if err := res.solve(ctx, s, opt); err != nil {
		return nil, err
	}
	res.Model = s.Model(res.Result)
	res.Scores, res.Trivial = s.Scores(res.Model), *c.trivial
	for _, w := range res.Result.Warnings {
		res.Warnings = append(res.Warnings, Remark(w))
	}
	res.Warnings = append(res.Warnings, s.Warnings(res.Scores.RMSE(), cmp.Or(opt.Run.Tol, 1e-3))...)
	return res, nil
}

// penalty is h for a λ.
func (o *FitOptions) penalty(lambda float64) gcg.Penalty {
	if o.Search.Penalty != nil {
		return o.Search.Penalty(lambda)
	}
	return gauge.Linear{Lambda: lambda}
}

// choose finds λ.
func (r *CompletionResult) choose(ctx context.Context, c *Completion, opt FitOptions) error {
	search := opt.Search
	search.Run = opt.Run
	search.Run.Event = nil
	choice, err := selection.Choose(ctx, c, search)
	if err != nil {
		return fmt.Errorf("task: choosing λ: %w", err)
	}
	r.Choice, r.Lambda = choice, choice.Lambda
	return nil
}

// solve runs the method that suits the problem from the start that there is.
func (r *CompletionResult) solve(ctx context.Context, s *CompletionFitting, opt FitOptions) (err error) {
	method, improver, _ := solver.For(s.Problem)
	run := opt.Run
	run.Improver = improver
	switch {
	case opt.Warm != nil:
		run.Start = s.Start(opt.Warm)
	case r.Choice != nil:
		run.Start = r.Choice.Start.W
	}
	told := run.Event
	run.Event = func(e solver.Event) {
		if e.Iter == 0 {
			r.Began = e.State.Cert
		}
		if told != nil {
			told(e)
		}
	}
	r.Result, err = solver.Run(ctx, s.Problem, method, run)
	return err
}
