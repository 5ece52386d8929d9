// Package task goes from data to models: it makes a Problem of the data, chooses λ where it is not given, solves, measures, sets the answer
// beside what needs no model, and makes the model.
//
//	data ─task→ Problem ─selection, solver→ Result ─task→ scores, warnings, model
//
// A task is a struct whose fields are its configuration; most have a zero value that works. Each is a [selection.Source], so that
// whoever wants more than its Fit has all of package selection and solver. Nothing here knows flags or prints.
package task

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
)

// FitOptions say how a task is fitted. The zero value chooses λ on a validation part, and solves to a relative gap of 1e-3.
type FitOptions struct {
	// At most one of these; without any λ is chosen.
	Lambda      float64     // of the penalty
	LambdaRatio float64     // λ over the smallest one with W = 0, κ°(-∇ℓ(0)), with the penalty λκ
	Penalty     gcg.Penalty // any h, such as gauge.Ball

	Warm *model.Model // start from this model; nil from W = 0, or where the choice of λ ended

	// Rule chooses λ by cross-validation, with Search.Folds; "" chooses it on a validation part.
	Rule selection.Rule
	// Search is how λ is chosen. Its Penalty says what h is for a λ, its Method how every problem is solved; its Run is not used.
	Search selection.Options
	// Run are the limits of all that is run. Choosing λ takes at most half of MaxTime. Improver, Start and Intercept are set, and Event, Resume and
	// Checkpoint are of the last run.
	Run solver.Options
}

// A Solution is a solved task.
type Solution struct {
	*solver.Result
	Fitting *selection.Fitting
	Lambda  float64           // 0 of FitOptions.Penalty
	Choice  *selection.Choice // of λ on a validation part, or nil
	Curve   *selection.Curve  // of cross-validation, or nil
	Began   gcg.Certificate   // of the start: how far it was from the optimum
}

// Solve chooses λ where it is not given, and solves the whole problem, from the model to start from, or from where the choice came to. It
// sets the penalty of the problem of src.Whole; startOf is where a model is on it. Errors are of options that exclude each other, and those of
// package selection, of the source and of the solver.
func Solve(ctx context.Context, src selection.Source, opt FitOptions, startOf func(*model.Model) (selection.Start, error)) (*Solution, error) {
	chosen, err := opt.check()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	s := &Solution{Lambda: opt.Lambda}
	var start selection.Start
	if chosen {
		if start, err = s.choose(ctx, src, &opt); err != nil {
			return nil, err
		}
	}
	if s.Fitting, err = src.Whole(); err != nil {
		return nil, err
	}
	if err := s.penalise(ctx, &opt); err != nil {
		return nil, err
	}
	if opt.Warm != nil {
		if start, err = startOf(opt.Warm); err != nil {
			return nil, err
		}
	}
	if opt.Run.MaxTime > 0 {
		opt.Run.MaxTime = max(opt.Run.MaxTime-time.Since(began), 1)
	}
	if err := s.run(ctx, opt, start); err != nil {
		return nil, err
	}
	return s, nil
}

// check refuses options that exclude each other, and says whether λ is to be chosen.
func (o *FitOptions) check() (chosen bool, err error) {
	given := 0
	for _, yes := range []bool{o.Lambda != 0, o.LambdaRatio != 0, o.Penalty != nil} {
		if yes {
			given++
		}
	}
	switch {
	case given > 1:
		return false, errors.New("task: Lambda, LambdaRatio and Penalty exclude each other")
	case !(o.Lambda >= 0) || !(o.LambdaRatio >= 0):
		return false, fmt.Errorf("task: Lambda %v and LambdaRatio %v: positive numbers, or 0", o.Lambda, o.LambdaRatio)
	}
	return given == 0, nil
}

// choose finds λ, and where its solution may begin.
func (s *Solution) choose(ctx context.Context, src selection.Source, o *FitOptions) (start selection.Start, err error) {
	search := o.Search
	search.Run = o.Run
	search.Run.Start, search.Run.Intercept, search.Run.Resume, search.Run.Event, search.Run.Checkpoint = nil, nil, nil, nil, nil
	if o.Rule == "" {
		if s.Choice, err = selection.Choose(ctx, src, search); err != nil {
			return start, fmt.Errorf("task: choosing λ: %w", err)
		}
		s.Lambda = s.Choice.Lambda
		return s.Choice.Start, nil
	}
	search.Run.MaxTime /= 2
	if s.Curve, err = selection.CrossValidate(ctx, src, search); err != nil {
		return start, fmt.Errorf("task: choosing λ: %w", err)
	}
	s.Lambda = s.Curve.Points[o.Rule.Select(s.Curve.Points)].Lambda
	return start, nil
}

// penalty is h for a λ.
func (o *FitOptions) penalty(lambda float64) gcg.Penalty {
	if o.Search.Penalty != nil {
		return o.Search.Penalty(lambda)
	}
	return gauge.Linear{Lambda: lambda}
}

// penalise gives the problem its penalty, and completes λ.
func (s *Solution) penalise(ctx context.Context, o *FitOptions) error {
	p := s.Fitting.Problem
	if o.Penalty != nil {
		p.Penalty = o.Penalty
		return nil
	}
	if o.LambdaRatio > 0 {
		q := *p
		q.Penalty = o.penalty(1)
		top, err := solver.MaxLambda(ctx, &q)
		switch {
		case err != nil:
			return err
		case !(top > 0):
			return selection.ErrNothing
		}
		s.Lambda = o.LambdaRatio * top
	}
	p.Penalty = o.penalty(s.Lambda)
	return nil
}

// run runs the method that suits the problem.
func (s *Solution) run(ctx context.Context, o FitOptions, start selection.Start) (err error) {
	p, run := s.Fitting.Problem, o.Run
	var m solver.Method
	if o.Search.Method != nil {
		m, run.Improver = o.Search.Method(p)
	} else {
		m, run.Improver, _ = solver.For(p)
	}
	if run.Start, run.Intercept = start.W, start.Intercept; run.Start == nil && run.Resume == nil {
		if run.Start, err = Feasible(ctx, p); err != nil {
			return err
		}
	}
	told := run.Event
	run.Event = func(e solver.Event) {
		if e.Iter == 0 {
			s.Began = e.State.Cert
		}
		if told != nil {
			told(e)
		}
	}
	s.Result, err = solver.Run(ctx, p, m, run)
	return err
}

// Constraint is κ ≤ ζ; a gauge whose polar may be negative is held at ζ.
func Constraint(k gcg.Gauge, zeta float64) gcg.Penalty {
	if _, ok := k.(gauge.Simplex); ok {
		return gauge.Equal{Zeta: zeta}
	}
	return gauge.Ball{Zeta: zeta}
}

// Feasible is a start where W = 0 is none: κ = ζ, at the best atom of W = 0. It is nil where W = 0 will do.
func Feasible(ctx context.Context, p *gcg.Problem) (*gcg.Iterate, error) {
	if !(p.Penalty.Value(0) > p.Penalty.Value(p.Penalty.Max())) {
		return nil, nil
	}
	s, err := gcg.NewState(p, nil)
	if err != nil {
		return nil, err
	}
	polar, err := p.Gauge.Polar(ctx, s.Gradient(p), gcg.Ask{Count: 1, Tol: 1e-3})
	if err != nil || len(polar.Atoms) == 0 {
		return nil, err
	}
	s.W.Add(polar.Atoms[:1], []float64{p.Penalty.Max()})
	return s.W, nil
}
