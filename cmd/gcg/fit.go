package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/atomicfile"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/spf13/cobra"
)

var fitVerb = verb{name: "fit", short: "Fit one model", do: fitJob}

// fitJob is the whole verb: λ, solution, model, result.
func fitJob(cmd *cobra.Command, st job, log io.Writer) error {
	ctx, f := cmd.Context(), st.run()
	show := newProgress(log, f)
	defer show.close()
	st.greet(show)
	c, auto, err := findLambda(ctx, st, show)
	if err != nil {
		return err
	}
	st.release()
	t, err := st.Whole()
	if err != nil {
		return err
	}
	lambda, err := penalise(ctx, f, t.Problem, c.Lambda, show)
	if err != nil {
		return err
	}
	r, lost, err := solve(ctx, st, t, lambda, c.Start, show)
	if err != nil {
		return err
	}
	show.close()
	res := newResult(f, t, r, lambda, auto)
	res.warn(f.shortfall(task.Shortfall(ctx, t.Problem, r, lambda, auto, f.maxRank)))
	res.CutShort = string(c.Curve.CutShort)
	res.warn(cutShortWarning(c))
	m := st.answer(t, r, res)
	saved := f.model
	if f.model != "" {
		if err := atomicfile.Write(f.model, m.Write); err != nil {
			saved, lost = "", err
		}
	}
	res.finishMemory()
	if f.json {
		err = res.printJSON(cmd.OutOrStdout())
	} else {
		res.print(cmd.OutOrStdout(), saved)
	}
	if err != nil {
		return err
	}
	return lost // after all that could be kept
}

// findLambda is λ as it is given, as it was in the checkpoint that is resumed, or chosen.
func findLambda(ctx context.Context, st job, show *progress) (c *selection.Choice, auto bool, err error) {
	f := st.run()
	c = &selection.Choice{}
	c.Lambda, auto, _ = f.lambdaValue()
	switch {
	case auto && f.resume != "":
		ck, err := model.LoadCheckpoint(f.resume)
		if err != nil {
			return c, auto, err
		}
		c.Lambda = ck.Progress.Lambda
		show.say(fmt.Sprintf("λ = %.6g, as in %s", c.Lambda, f.resume))
	case auto:
		if _, err := f.warmModel(); err != nil { // before the choice, which may take long
			return c, auto, err
		}
		if c, err = chooseLambda(ctx, st, show.say); err != nil {
			return nil, auto, err
		}
		show.say(fmt.Sprintf("chose λ = %.6g", c.Lambda))
	}
	return c, auto, nil
}

// penalise gives the problem its penalty or constraint, and returns λ as --lambda-ratio may make it.
func penalise(ctx context.Context, f *runFlags, problem *gcg.Problem, lambda float64, show *progress) (float64, error) {
	if f.lambdaRatio > 0 {
		var err error
		if lambda, err = ratioOf(ctx, f, problem, show); err != nil {
			return 0, err
		}
	}
	problem.Penalty = f.penaltyOf(lambda)
	if f.constrain > 0 {
		problem.Penalty = task.Constraint(problem.Gauge, f.constrain)
	}
	return lambda, nil
}

// ratioOf is --lambda-ratio times the smallest λ for which W = 0 is a solution.
func ratioOf(ctx context.Context, f *runFlags, problem *gcg.Problem, show *progress) (float64, error) {
	p := *problem
	p.Penalty = f.penaltyOf(1)
	top, err := solver.MaxLambda(ctx, &p)
	if err != nil {
		return 0, err
	}
	if !(top > 0) {
		return 0, fmt.Errorf("%w; use --lambda", selection.ErrNothing)
	}
	show.say(fmt.Sprintf("λ = %.6g, %v of the smallest with W = 0", f.lambdaRatio*top, f.lambdaRatio))
	return f.lambdaRatio * top, nil
}

// solve runs the solver with its trace, checkpoint and progress. A trace or a last checkpoint that could not be written is no
// reason to lose the solution: its error comes apart, as lost.
func solve(ctx context.Context, st job, t *selection.Fitting, lambda float64, found selection.Start,
	show *progress) (r *solver.Result, lost, err error) {
	f := st.run()
	method, im := f.methodOf(t.Problem)
	opt := f.options(im)
	from, err := startOf(st, t)
	if err != nil {
		return nil, nil, err
	}
	// --warm comes first, but for a choice that was interrupted: that is all there is
	if found.W != nil && (from.W == nil || ctx.Err() != nil) {
		from = found
	}
	opt.Start, opt.Intercept = from.W, from.Intercept
	if opt.Start == nil {
		if opt.Start, err = task.Feasible(ctx, t.Problem); err != nil {
			return nil, nil, err
		}
	}
	identity := st.identity(lambda)
	if f.resume != "" {
		ck, err := model.LoadCheckpoint(f.resume)
		if err != nil {
			return nil, nil, err
		}
		if opt.Resume, err = ck.State(t.Problem, identity); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", f.resume, err)
		}
	}
	opt.CheckpointEvery, opt.Checkpoint = f.checkpointEvery, f.keep(identity, lambda, &lost, show)
	trace, err := task.NewTraceWriter(f.trace)
	if err != nil {
		return nil, nil, err
	}
	opt.Event = follow(f, t, lambda, trace, show)
	if f.solver == "contr1d" {
		r, err = solver.Continuation{Descent: solver.AtomDescent{Atoms: f.atoms}}.Run(ctx, t.Problem, opt)
	} else {
		r, err = solver.Run(ctx, t.Problem, method, opt)
	}
	return r, cmp.Or(trace.Close(), lost), err
}

// keep writes checkpoints, or is nil where there are none.
func (f *runFlags) keep(identity string, lambda float64, lost *error, show *progress) func(*gcg.State) error {
	if f.checkpoint == "" {
		return nil
	}
	return func(s *gcg.State) error {
		if *lost = atomicfile.Write(f.checkpoint, model.CheckpointOf(s, identity, lambda).Write); *lost != nil {
			show.say((*lost).Error())
		}
		return nil
	}
}

// follow shows and traces events.
func follow(f *runFlags, t *selection.Fitting, lambda float64, trace *task.TraceWriter, show *progress) func(solver.Event) {
	return func(e solver.Event) {
		var test selection.Measured
		if t.Measure != nil && (trace != nil || show.wantsTest()) {
			test = t.Measure(e.State)
		}
		size := selection.SizeOf(t.Problem.Gauge, e.State.W)
		trace.Write(e, size, test)
		if e.Iter == 0 && f.problem == "completion" && f.penalty == "linear" && f.constrain == 0 {
			show.farBelow(lambda, e.State)
		}
		show.event(e, size, test)
	}
}

// startOf is the model of --warm, or nothing.
func startOf(st job, t *selection.Fitting) (selection.Start, error) {
	m, err := st.run().warmModel()
	if m == nil || err != nil {
		return selection.Start{}, err
	}
	return st.start(t, m)
}

// warmModel is the model of --warm, or nil.
func (f *runFlags) warmModel() (*model.Model, error) {
	if f.warm == "" {
		return nil, nil
	}
	m, err := loadModel(f.warm)
	if err != nil {
		return nil, err
	}
	if m.Problem != f.problem {
		return nil, fmt.Errorf("%s: is a model of %s; --warm takes one of %s", f.warm, m.Problem, f.problem)
	}
	return m, nil
}
