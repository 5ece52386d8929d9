package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/clock"
	"github.com/seed-b18ef778/gcg/internal/report"
	"github.com/seed-b18ef778/gcg/internal/trace"
	"github.com/seed-b18ef778/gcg/internal/warning"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/support"
	"github.com/seed-b18ef778/gcg/task"
)

// FitVerb is gcg fit.
var FitVerb = verb{name: "fit", short: "Fit one model", chooses: true, do: fitJob}

// fitJob is the whole verb: λ, solution, model, result.
func fitJob(cmd *cobra.Command, st Job, log io.Writer) error {
	show := NewProgress(log, st.Shared())
	defer show.close()
	release, err := st.Shared().watch(cmd, show)
	if err != nil {
		return err
	}
	defer release()
	st.Greet(show)
	c, auto, err := findLambda(cmd.Context(), st, show)
	if err != nil {
		return err
	}
	return fitChosen(cmd, st, c, auto, show)
}

// fitChosen is what follows the choice of λ. A cross-validation has printed its JSON before, and there is one object only.
func fitChosen(cmd *cobra.Command, st Job, c *selection.Choice, auto bool, show *Progress) error {
	ctx, f := cmd.Context(), st.Shared()
	st.Release()
	whole := st.Whole
	if !auto && len(c.Curve.Points) == 0 { // else there is something to keep, however late it is
		whole = func() (*selection.Fitting, error) { return wholeProblem(ctx, st) }
	}
	t, err := whole()
	if err != nil {
		return err
	}
	lambda, err := penalise(ctx, f, t, c.Lambda, show)
	if err != nil {
		return err
	}
	trace, err := f.beginTrace(t, lambda, show)
	if err != nil {
		return err
	}
	defer trace.Close()
	r, lost, err := solve(ctx, st, t, lambda, c.Start, trace, show)
	if err != nil {
		return err
	}
	show.close()
	res := newResult(f, t, r, lambda, auto)
	held := len(c.Curve.Points) > 0 // data that λ was chosen by, else by a rule of its own
	if w := task.Shortfall(ctx, t.Problem, r, lambda, auto, f.MaxRank); held || !chosenZero(w) {
		res.Warn(f.shortfall(w))
	}
	m := st.Answer(t, r, res)
	res.choice(c, m)
	saved := f.Model
	if f.fits {
		if err := m.SaveOver(f.Comm(), f.Model); err != nil {
			saved, lost = "", err
		}
	}
	f.noteRanks(res)
	res.finishMemory()
	res.Total = f.Began.Elapsed().Seconds()
	if auto {
		res.addChoice(f.choosing, f.choosingCPU)
	}
	lost = cmp.Or(res.lost, f.endTrace(trace, r, res, m), lost)
	switch {
	case f.CV() && f.JSON:
	case f.JSON:
		err = res.printJSON(cmd.OutOrStdout())
	default:
		res.print(cmd.OutOrStdout(), saved)
	}
	if err != nil {
		return err
	}
	return lost // after all that could be kept
}

// chosenZero says that a warning is of W = 0 by a choice.
func chosenZero(w task.Warning) bool {
	z, is := w.(warning.ZeroSolution)
	return is && z.Chosen
}

// choice adds what was tried before λ was chosen, for scripts and to the model.
func (r *Result) choice(c *selection.Choice, m *model.Model) {
	if len(c.Curve.Points) == 0 {
		return
	}
	share := 1.0
	if c.Fitting != nil && c.Fitting.Share > 0 {
		share = c.Fitting.Share
	}
	r.CutShort, r.Tried = string(c.Curve.CutShort), TriedOf(&c.Curve, share)
	r.Warn(cutShortWarning(c))
	r.Warn(endWarning(&c.Curve, share))
	keepTried(m, &c.Curve, share)
}

// addChoice counts the choice of λ in the time that the result took, and names both parts.
func (r *Result) addChoice(took, cpu time.Duration) {
	choice, fit := took.Seconds(), r.Seconds
	r.Choosing, r.Fitting, r.Seconds = &choice, &fit, fit+choice
	if r.CPU != nil {
		choice, fit := cpu.Seconds(), *r.CPU
		all := fit + choice
		r.ChoosingCPU, r.FittingCPU, r.CPU = &choice, &fit, &all
	}
}

// findLambda is λ as it is given, as it was in the checkpoint that is resumed, or chosen.
func findLambda(ctx context.Context, st Job, show *Progress) (c *selection.Choice, auto bool, err error) {
	f := st.Shared()
	c = &selection.Choice{}
	c.Lambda, auto, _ = f.LambdaValue()
	switch {
	case auto && f.Resume != "":
		before, err := model.LoadProgress(f.Resume)
		if err != nil {
			return c, auto, err
		}
		c.Lambda = before.Lambda
		show.Say(fmt.Sprintf("λ = %.6g, as in %s", c.Lambda, f.Resume))
	case auto:
		if _, err := f.warmModel(); err != nil { // before the choice, which may take long
			return c, auto, err
		}
		began, cpu := time.Now(), clock.CPU()
		c, err = chooseLambda(ctx, st, show)
		if f.choosing, f.choosingCPU = time.Since(began), clock.CPU()-cpu; err != nil {
			return nil, auto, err
		}
		show.Say(fmt.Sprintf("chose λ = %.6g", c.Lambda))
	}
	return c, auto, nil
}

// penalise gives the problem its penalty or constraint, and returns λ as --lambda-ratio may make it.
func penalise(ctx context.Context, f *RunFlags, t *selection.Fitting, lambda float64, show *Progress) (float64, error) {
	if f.LambdaRatio > 0 {
		var err error
		if lambda, err = ratioOf(ctx, f, t, show); err != nil {
			return 0, err
		}
	}
	t.Penalise(lambda, f.PenaltyOf)
	if f.Constrain > 0 {
		t.Problem.Penalty = task.Constraint(t.Problem.Gauge, f.Constrain)
	}
	return lambda, nil
}

// ratioOf is --lambda-ratio times the smallest λ for which W = 0 is a solution.
func ratioOf(ctx context.Context, f *RunFlags, t *selection.Fitting, show *Progress) (float64, error) {
	p := *t.Problem
	p.Penalty = f.PenaltyOf(1)
	top, err := solver.MaxLambda(ctx, &p)
	if err != nil {
		return 0, err
	}
	if !(top > 0) {
		return 0, fmt.Errorf("%w; use --lambda", selection.ErrNothing)
	}
	if t.Part > 0 {
		top /= t.Part
	}
	show.Say(fmt.Sprintf("λ = %.6g, %v of the smallest with W = 0", f.LambdaRatio*top, f.LambdaRatio))
	return f.LambdaRatio * top, nil
}

// solve runs the solver with its trace, checkpoint and progress. A last checkpoint that could not be written is no
// reason to lose the solution: its error comes apart, as lost.
func solve(ctx context.Context, st Job, t *selection.Fitting, lambda float64, found selection.Start, trace *trace.Writer,
	show *Progress) (r *solver.Result, lost, err error) {
	f := st.Shared()
	method, im := f.MethodOf(t.Problem)
	opt := f.Options(im)
	from, err := startOf(st, t)
	if err != nil {
		return nil, nil, err
	}
	// --warm comes first, but for a choice that was interrupted: that is all there is
	if found.W != nil && (from.W == nil || ctx.Err() != nil) {
		from = found
	}
	opt.Start, opt.Intercept, opt.Later = from.W, from.Intercept, from.Later
	if f.Solver == "auto" && from.W == nil {
		opt.Resume = found.State
	}
	identity := ""
	if f.Resume != "" || f.checkpoint != "" { // which takes a pass over the data
		identity = st.Identity(lambda)
	}
	if f.Resume != "" {
		ck, err := model.LoadCheckpointFor(t.Problem, f.Resume)
		if err != nil {
			return nil, nil, err
		}
		if opt.Resume, err = ck.State(t.Problem, identity); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", f.Resume, err)
		}
	}
	opt.CheckpointEvery, opt.Checkpoint = f.checkpointEvery, f.keep(identity, lambda, &lost, show)
	opt.Event = follow(f, t, lambda, trace, show)
	switch {
	case f.Solver == "contr1d":
		r, err = solver.Continuation{Descent: support.AtomDescent{Atoms: f.Atoms}}.Run(ctx, t.Problem, opt)
	case opt.Improver == nil: // a method as it is written
		r, err = solver.Run(ctx, t.Problem, method, opt)
	default:
		again := func() solver.Method { m, _ := f.MethodOf(t.Problem); return m }
		top := 0.0
		if f.LambdaRatio > 0 {
			top = t.Penalty(f.PenaltyOf)(lambda / f.LambdaRatio).Deriv(0)
		}
		r, err = solver.Approach{Method: again, Lambda0: top, Stage: func(lambda float64, r *solver.Result) {
			show.Step(fmt.Sprintf("by way of λ %.4g  %s", lambda, selection.SizeOf(t.Problem.Gauge, r.State.W)))
		}}.Run(ctx, t.Problem, opt)
	}
	return r, lost, Kept(r != nil, err)
}

// keep writes checkpoints, or is nil where there are none.
func (f *RunFlags) keep(identity string, lambda float64, lost *error, show *Progress) func(*gcg.State) error {
	if f.checkpoint == "" {
		return nil
	}
	return func(s *gcg.State) error {
		if *lost = model.CheckpointOf(s, identity, lambda).Save(f.checkpoint, f.Comm()); *lost != nil {
			show.Say((*lost).Error())
		}
		return nil
	}
}

// follow shows and traces events.
func follow(f *RunFlags, t *selection.Fitting, lambda float64, trace *trace.Writer, show *Progress) func(solver.Event) {
	return func(e solver.Event) {
		var test selection.Measured
		if t.Measure != nil && (trace != nil || f.ranks() != nil || show.wantsTest()) {
			test = t.Measure(e.State)
		}
		size := selection.SizeOf(t.Problem.Gauge, e.State.W)
		trace.Write(e, size, test)
		if e.Iter == 0 && f.updating {
			f.begins(e.State.Cert, show)
		}
		if e.Iter == 0 && f.Problem == "completion" && f.Penalty == "linear" && f.Constrain == 0 {
			show.farBelow(lambda, e.State)
		}
		show.event(e, size, test)
	}
}

// startOf is the model of --warm, or nothing.
func startOf(st Job, t *selection.Fitting) (selection.Start, error) {
	m, err := st.Shared().warmModel()
	if m == nil || err != nil {
		return selection.Start{}, err
	}
	return st.Start(t, m)
}

// warmModel is the model of --warm, or nil.
func (f *RunFlags) warmModel() (*model.Model, error) {
	if f.Warm == "" {
		return nil, nil
	}
	load := LoadModel
	if f.Own != nil {
		load = f.ownRows
	}
	m, err := load(f.Warm)
	if err != nil {
		return nil, err
	}
	if m.Problem != f.Problem {
		return nil, fmt.Errorf("%s: is a model of %s; --warm takes one of %s", f.Warm, m.Problem, f.Problem)
	}
	return m, nil
}

// ownRows is a model with the rows of this rank alone. An error is that of all ranks.
func (f *RunFlags) ownRows(name string) (*model.Model, error) {
	m, err := model.LoadRows(name, f.Own)
	if err = f.Comm().FirstError(err); err != nil {
		return nil, err
	}
	m.Name()
	return m, nil
}

// beginTrace opens the trace of a run, for --trace and --live, and says in its first line what is solved.
func (f *RunFlags) beginTrace(t *selection.Fitting, lambda float64, show *Progress) (*trace.Writer, error) {
	var live io.Writer
	if show.page != nil {
		live = show.page
	}
	trace, err := trace.NewWriter(f.trace, live)
	if trace != nil {
		trace.Begin(f.runOf(t, lambda))
	}
	return trace, err
}

// runOf is what is solved, and how.
func (f *RunFlags) runOf(t *selection.Fitting, lambda float64) *report.Run {
	rows, cols, n := t.Problem.Operator.Dims()
	run := &report.Run{Version: Version, Began: f.Began.At().UTC().Format(time.RFC3339), Problem: f.Problem, Rows: rows, Cols: cols,
		Observations: n, Solver: f.Solver, Loss: f.Loss, Gauge: f.Gauge, Penalty: f.PenaltyName(), Normalize: f.Normalize,
		Tolerance: f.Tol, Seed: f.Seed}
	var names []string
	for _, name := range filesOf(f.Cmd.Flags(), trainFlags) {
		names = append(names, filepath.Base(name))
	}
	run.Data = strings.Join(names, ", ")
	switch {
	case f.Constrain > 0:
		run.Constrain = &f.Constrain
	case lambda > 0:
		run.Lambda = &lambda
	}
	f.Cmd.Flags().Visit(func(flag *pflag.Flag) {
		run.Parameters = append(run.Parameters, [2]string{"--" + flag.Name, withoutPassword(flag.Value.String())})
	})
	return run
}

// withoutPassword is the value of a flag, of an address without the password that it may hold.
func withoutPassword(value string) string {
	if u, err := url.Parse(value); err == nil && u.User != nil {
		return u.Redacted()
	}
	return value
}

// endTrace gives the last line of a trace the result, the spectrum of W, and the data by their checksum.
func (f *RunFlags) endTrace(to *trace.Writer, r *solver.Result, res *Result, m *model.Model) error {
	if to == nil && f.Comm().Size() == 1 {
		return nil
	}
	spectrum := spectrumOf(r.State.W) // which ranks compute together
	if to == nil {
		return nil
	}
	ends := trace.Ends{Result: res, Spectrum: spectrum}
	if m != nil {
		ends.Run = &report.Run{Checksum: m.Info.Checksum, Data: m.Info.Data}
	}
	return to.End(ends)
}

// spectrumOf are the singular values of a W of low rank, nil of one that is kept by its entries.
func spectrumOf(w *gcg.Iterate) []float64 {
	if w.Rank() == 0 {
		return nil
	}
	_, sigma, _ := gcg.SVD(w.U, w.V, model.Negligible)
	return sigma
}
