// Package task goes from data to models: it makes a Problem of the data, chooses λ where it is not given, solves, measures,
// sets the answer beside what needs no model, and makes the model.
//
//	data ─task→ Problem ─selection, solver→ Result ─task→ scores, warnings, model
//
// Two rules hold for every task here and in the packages below, and for selection and solver:
//
//   - Where ctx ends, what runs returns the best so far, with the status Interrupted and a warning, and an error that wraps
//     ctx.Err(). Where nothing was found the result is nil. Options.MaxTime is a limit and no error: the status is MaxTime.
//   - A fit reads all fields each time, and writes neither these nor what they point to. A result owns what it holds. What
//     takes long to prepare is a value of its own: Prepare checks a copy of the fields, reads the data, and returns a
//     [selection.Source] with a Fit, so that whoever wants more has all of package selection and solver.
//
// A task is a struct whose fields are its configuration; most have a zero value that works. Nothing here knows flags or prints.
package task

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/clock"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
)

// Options say how a task is solved. The zero value chooses λ on a validation part, and solves to a relative gap of 1e-3.
type Options struct {
	// One of these, or none where λ is to be chosen.
	Lambda      float64 // the weight of the penalty
	LambdaRatio float64 // λ over the smallest one with W = 0, κ°(-∇ℓ(0))
	Zeta        float64 // κ ≤ ζ instead of a penalty; κ = ζ where the polar may be negative

	Square bool // the penalty is λκ²/2, not λκ

	// Where λ is chosen: Points and Ratio of its path (0 is what the task finds usual), on a validation part, or by
	// cross-validation where there are Folds, with a Rule ("" is Min). What no choice reads is refused.
	Points   int
	Ratio    float64
	Folds    int
	Rule     selection.Rule
	Progress func(selection.Event)

	// Method makes the method and the improver; nil means solver.For.
	Method func(*gcg.Problem) (solver.Method, solver.Improver)
	// warm is where the last run starts, on the whole problem once all is chosen; nil is nothing.
	warm func(*selection.Fitting) (selection.Start, error)

	// Run holds for all that is run, but for Start, Event and the like, which are for the last run only. Choosing λ takes at most
	// half of MaxTime.
	Run solver.Options
}

// A Solution is a solved task.
type Solution struct {
	Fitting  *selection.Fitting
	Result   *solver.Result
	Lambda   float64           // 0 where there is a constraint instead
	Choice   *selection.Choice // of λ on a validation part, or nil
	Curve    *selection.Curve  // of cross-validation, or nil
	Began    gcg.Certificate   // of the start of the last run: how far it was from the optimum
	Warnings []Warning         // of the solution, and those of the solver
}

// penalty is h for a λ.
func (o *Options) penalty(lambda float64) gcg.Penalty {
	if o.Square {
		return gauge.Square{Lambda: lambda}
	}
	return gauge.Linear{Lambda: lambda}
}

// method is Method with its default.
func (o *Options) method(p *gcg.Problem) (solver.Method, solver.Improver) {
	if o.Method != nil {
		return o.Method(p)
	}
	m, im, _ := solver.For(p)
	return m, im
}

// search is what the options say of a path.
func (o *Options) search(left time.Duration) selection.Options {
	run := o.Run
	run.MaxTime, run.Start, run.Intercept, run.Resume, run.Event, run.Checkpoint = left, nil, nil, nil, nil, nil
	return selection.Options{Points: o.Points, Ratio: o.Ratio, Folds: o.Folds, Penalty: o.penalty, Method: o.Method, Run: run,
		Progress: o.Progress}
}

// Solve chooses λ where it is not given, and solves the whole problem, from where the choice came to. It sets the penalty of
// the problem of src.Whole. Where ctx ends it returns the best so far, with the status Interrupted and a warning, and an error
// that wraps ctx.Err(); the solution is nil where nothing was found. Other errors are of options that exclude each other, and
// those of package selection, of the source and of the solver.
func Solve(ctx context.Context, src selection.Source, opt Options) (*Solution, error) {
	chosen, err := opt.check()
	if err != nil {
		return nil, err
	}
	began := clock.Begin(ctx)
	s := &Solution{Lambda: opt.Lambda}
	var start selection.Start
	if chosen {
		if start, err = s.choose(ctx, src, &opt); !found(ctx, s.Lambda > 0, err) {
			return nil, err
		}
	}
	if s.Fitting, err = src.Whole(); err != nil {
		return nil, err
	}
	if s.Lambda, err = opt.penalise(ctx, s.Fitting, s.Lambda); err != nil {
		return nil, err
	}
	if opt.warm != nil {
		from, err := opt.warm(s.Fitting)
		if err != nil {
			return nil, err
		}
		opt.Run.Start, opt.Run.Intercept, opt.Run.Later = from.W, from.Intercept, from.Later
	}
	if opt.Run.MaxTime > 0 {
		opt.Run.MaxTime = max(opt.Run.MaxTime-began.Elapsed(), 1)
	}
	err = s.run(ctx, opt, start, chosen)
	if s.Result == nil {
		return nil, err
	}
	return s, err
}

// found says that a search or a run has a result: there is no error, or only the end of ctx, before which something was found.
func found(ctx context.Context, something bool, err error) bool {
	return err == nil || something && ctx.Err() != nil && errors.Is(err, ctx.Err())
}

// check refuses options that exclude each other, and says whether λ is to be chosen.
func (o *Options) check() (chosen bool, err error) {
	if err := o.Rule.Check(); err != nil {
		return false, fmt.Errorf("task: Rule: %w", err)
	}
	if err := o.search(0).Check(); err != nil {
		return false, err
	}
	given := 0
	for _, x := range []float64{o.Lambda, o.LambdaRatio, o.Zeta} {
		if !(x >= 0) {
			return false, fmt.Errorf("task: Lambda, LambdaRatio and Zeta are positive, or 0 where they are not given; not %v", x)
		}
		if x > 0 {
			given++
		}
	}
	switch unread := o.Points != 0 || o.Ratio != 0 || o.Folds != 0; {
	case given > 1:
		return false, errors.New("task: Lambda, LambdaRatio and Zeta exclude each other")
	case given == 1 && unread:
		return false, errors.New("task: Points, Ratio and Folds are to choose λ by, and Lambda, LambdaRatio or Zeta leaves " +
			"nothing to choose")
	case o.Folds == 0 && o.Rule != "":
		return false, errors.New("task: Rule is of cross-validation: give Folds, too")
	}
	return given == 0, nil
}

// run runs the method that suits the problem, from a start that it may have.
func (s *Solution) run(ctx context.Context, o Options, start selection.Start, chosen bool) (err error) {
	p, run := s.Fitting.Problem, o.Run
	if run.Start == nil && run.Resume == nil {
		run.Start, run.Intercept, run.Resume = start.W, start.Intercept, start.State
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
	m, im := o.method(p)
	run.Improver = im
	if im == nil {
		s.Result, err = solver.Run(ctx, p, m, run)
	} else {
		a := solver.Approach{Method: func() solver.Method { again, _ := o.method(p); return again }}
		if o.LambdaRatio > 0 {
			a.Lambda0 = s.Lambda / o.LambdaRatio
			if s.Fitting.Part > 0 {
				a.Lambda0 *= s.Fitting.Part
			}
		}
		s.Result, err = a.Run(ctx, p, run)
	}
	if s.Result == nil {
		return err
	}
	if s.Choice != nil {
		if w := CutShort(s.Choice); w != nil {
			s.Warnings = append(s.Warnings, w)
		}
	}
	maxRank := 0
	if g, ok := m.(*conditional.GCG); ok {
		maxRank = g.MaxRank
	}
	for _, w := range s.Result.Warnings {
		s.Warnings = append(s.Warnings, Remark(w))
	}
	if w := Shortfall(ctx, p, s.Result, s.Lambda, chosen, maxRank); w != nil {
		s.Warnings = append(s.Warnings, w)
	}
	return err
}

// A Chooser is a source that has more to choose than λ.
type Chooser interface {
	selection.Source
	// Open says that there is more to choose.
	Open() bool
	// Choose chooses all of it, which the source has from then on. Where ctx ends it chooses of what was tried, and returns an error
	// that wraps ctx.Err(), too.
	Choose(context.Context, selection.Options) (*selection.Choice, error)
}

// ChooseFrom chooses λ, and what else a source has to choose.
func ChooseFrom(ctx context.Context, src selection.Source, opt selection.Options) (*selection.Choice, error) {
	if c, ok := src.(Chooser); ok && c.Open() {
		return c.Choose(ctx, opt)
	}
	return selection.Choose(ctx, src, opt)
}

// choose finds λ, and where its solution may begin.
func (s *Solution) choose(ctx context.Context, src selection.Source, opt *Options) (start selection.Start, err error) {
	if opt.Folds == 0 {
		if s.Choice, err = ChooseFrom(ctx, src, opt.search(opt.Run.MaxTime)); s.Choice == nil {
			return start, err
		}
		s.Lambda = s.Choice.Lambda
		return s.Choice.Start, err
	}
	search := opt.search(opt.Run.MaxTime / 2)
	if c, ok := src.(Chooser); ok && c.Open() {
		choice, err := c.Choose(ctx, opt.search(opt.Run.MaxTime/2)) // which takes half of that
		if choice != nil && err != nil {                            // the folds are not begun
			s.Choice, s.Lambda, start = choice, choice.Lambda, choice.Start
		}
		if err != nil {
			return start, err
		}
		search.Run.MaxTime /= 2
	}
	if s.Curve, err = selection.CrossValidate(ctx, src, search); s.Curve == nil {
		return start, err
	}
	at, wrong := opt.Rule.Select(s.Curve.Points)
	if wrong != nil {
		return start, wrong
	}
	s.Lambda = s.Curve.Points[at].Lambda
	return start, err
}

// penalise gives the problem its penalty or constraint, and returns λ.
func (o *Options) penalise(ctx context.Context, f *selection.Fitting, lambda float64) (float64, error) {
	p := f.Problem
	if o.Zeta > 0 {
		p.Penalty = Constraint(p.Gauge, o.Zeta)
		return 0, nil
	}
	if o.LambdaRatio > 0 {
		q := *p
		q.Penalty = o.penalty(1)
		top, err := solver.MaxLambda(ctx, &q)
		if err != nil {
			return 0, err
		}
		if !(top > 0) {
			return 0, selection.ErrNothing
		}
		lambda = o.LambdaRatio * top
		if f.Part > 0 {
			lambda /= f.Part
		}
	}
	f.Penalise(lambda, o.penalty)
	return lambda, nil
}

// Constraint is κ ≤ ζ; a gauge whose polar may be negative is held at ζ.
func Constraint(k gcg.Gauge, zeta float64) gcg.Penalty {
	if _, ok := k.(gauge.Simplex); ok {
		return gauge.Equal{Zeta: zeta}
	}
	return gauge.Ball{Zeta: zeta}
}
