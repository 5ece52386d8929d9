package main

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/spf13/cobra"
)

func fitCommand() *cobra.Command {
	f := &completionFlags{}
	cmd := &cobra.Command{
		Use:   "fit completion [flags]",
		Short: "Fit one model",
		Example: `  gcg fit completion                                            a built-in generated dataset
  gcg fit completion --train ratings.csv --model my.gcg           λ is chosen by validation
  gcg fit completion --train u.data --lambda 10 --split 0.9 --json
  gcg fit completion --train ratings.csv --weights smoothed:0.1 --center global`,
		Args: problemArg,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return fitCompletion(cmd.Context(), f, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f.register(cmd)
	return cmd
}

// fitCompletion is the whole verb: data, λ, solution, model, result.
func fitCompletion(ctx context.Context, f *completionFlags, out, log io.Writer) error {
	if f.float32 {
		return fitCompact(ctx, f, out, log)
	}
	c, err := loadCompletion(f)
	if err != nil {
		return err
	}
	show := newProgress(log, f)
	defer show.close()
	c.greet(show)
	lambda, auto, _ := f.lambdaValue()
	if auto && f.resume != "" {
		ck, err := model.LoadCheckpoint(f.resume)
		if err != nil {
			return err
		}
		lambda = ck.Progress.Lambda
		show.say(fmt.Sprintf("λ = %.6g, as in %s", lambda, f.resume))
	} else if auto && f.lambdaRatio == 0 {
		show.say("choosing λ by a path on 90 % of the training ratings (--lambda auto)")
		if lambda, err = c.chooseLambda(ctx, show.say); err != nil {
			return err
		}
		show.say(fmt.Sprintf("chose λ = %.6g", lambda))
	}
	c.release()
	s, err := c.setup(c.data)
	if err != nil {
		return err
	}
	if f.lambdaRatio > 0 {
		auto = false
		if lambda, err = c.ratioOf(ctx, s, show); err != nil {
			return err
		}
	}
	s.problem.Penalty = f.penaltyOf(lambda)
	if f.constrain > 0 {
		s.problem.Penalty = gauge.Ball{Zeta: f.constrain}
	}
	r, err := c.solve(ctx, s, lambda, show)
	if err != nil {
		return err
	}
	show.close()
	if err := c.report(out, s, r, lambda, auto); err != nil {
		return err
	}
	return c.traceErr // after the model is safe
}

// greet says what the data is.
func (c *completion) greet(show *progress) {
	if c.builtin {
		show.say("no --train: a generated dataset of MovieLens-100k's shape (rank 5 truth, noise 0.7), 10 % held out for the test")
		show.say("for your own: gcg fit completion --train FILE, lines of user, item, rating")
	}
	if e := c.estimate(); e != "" {
		show.say(e)
	}
}

// solve runs the solver with its trace, checkpoint and progress.
func (c *completion) solve(ctx context.Context, s *setup, lambda float64, show *progress) (*solver.Result, error) {
	f := c.f
	method, im := f.methodOf()
	opt := c.options(im)
	identity := c.identity(lambda)
	var err error
	if opt.Start, err = c.warmStart(s); err != nil {
		return nil, err
	}
	if ctx.Err() != nil && c.found != nil { // interrupted on the way to λ: that is what there is
		opt.Start = c.found
	}
	if f.resume != "" {
		if opt.Resume, err = resume(f.resume, s.problem, identity); err != nil {
			return nil, err
		}
	}
	if f.checkpoint != "" {
		opt.CheckpointEvery = f.checkpointEvery
		opt.Checkpoint = func(st *gcg.State) error { return writeCheckpoint(f.checkpoint, st, identity, lambda) }
	}
	trace, err := newTrace(f.trace)
	if err != nil {
		return nil, err
	}
	opt.Event = func(e solver.Event) {
		var test *testResult
		if c.test != nil && (trace != nil || show.wantsTest()) {
			test = evaluate(c.model(s, e.State.W), c.test, s.lo, s.hi)
		}
		trace.write(e, test)
		show.event(e, test)
	}
	r, err := solver.Run(ctx, s.problem, method, opt)
	c.traceErr = trace.close()
	return r, err
}

// identity names all that must be the same for a checkpoint to be continued.
func (c *completion) identity(lambda float64) string {
	f := c.f
	return fmt.Sprintf("completion data=%s n=%d split=%v,%v,%d,seed=%d λ=%.17g ζ=%.17g %s %s center=%s weights=%s duplicates=%s", c.train.Checksum,
		len(c.data.Values), f.split, f.splitPerUser, f.splitLast, f.seed, lambda, f.constrain, f.penalty, f.normalize, f.center, f.weights, f.duplicates)
}

// warmStart takes the factors of a model whose ids are among those of the data.
func (c *completion) warmStart(s *setup) (*gcg.Iterate, error) {
	if c.f.warm == "" {
		return nil, nil
	}
	m, err := loadModel(c.f.warm)
	if err != nil {
		return nil, err
	}
	u, v := gcg.NewFactor(s.data.M, m.Rank), gcg.NewFactor(s.data.N, m.Rank)
	place := func(f *gcg.Factor, x []float64, ids []string, find func([]byte) int32, from, to []float64) {
		for i, id := range ids {
			at := find([]byte(id))
			if at < 0 {
				continue
			}
			scale := 1.0
			if from != nil {
				scale = from[i]
			}
			if to != nil {
				scale /= to[at]
			}
			for k, sigma := range m.S {
				f.Row(int(at))[k] = scale * math.Sqrt(sigma) * x[i*m.Rank+k]
			}
		}
	}
	place(u, m.U, m.RowIDs, c.train.RowIDs.Find, m.RowScale, s.rowScale)
	place(v, m.V, m.ColIDs, c.train.ColIDs.Find, m.ColScale, s.colScale)
	if m.Rank == 0 {
		return nil, nil
	}
	return &gcg.Iterate{M: s.data.M, N: s.data.N, U: u, V: v}, nil
}

// report writes the model and prints the result.
func (c *completion) report(out io.Writer, s *setup, r *solver.Result, lambda float64, auto bool) error {
	m := c.model(s, r.State.W)
	c.complete(m, s, lambda, r)
	res := newResult(c, s, r, lambda, auto)
	res.Baselines = c.base
	if c.test != nil {
		res.Test = evaluate(m, c.test, s.lo, s.hi)
		if c.f.ranking > 0 {
			res.Test.rank(m, s.data, c.test, c.f.ranking)
		}
		if w := res.Baselines.warnWorse(res.Test.RMSE); w != "" {
			res.Warnings = append(res.Warnings, w)
		}
	} else {
		rmse := s.trainingError(m)
		res.TrainRMSE = &rmse
		if w := res.Baselines.warnWorse(rmse); w != "" {
			res.Warnings = append(res.Warnings, w)
		}
	}
	if c.f.model != "" {
		if err := saveModel(c.f.model, m); err != nil {
			return err
		}
	}
	res.finishMemory()
	if c.f.json {
		return res.printJSON(out)
	}
	res.print(out)
	if c.f.model != "" {
		fmt.Fprintf(out, "model        %s\n", c.f.model)
	}
	return nil
}

// trainingError is the RMSE on the training ratings, of which the centre was taken off.
func (s *setup) trainingError(m *model.Model) float64 {
	var e metric.Errors
	s.data.Entries(func(i, j int, y float64) { e.Add(m.Predict(i, j), y+s.centre.At(i, j)) })
	return e.RMSE()
}

func saveModel(name string, m *model.Model) error {
	a, err := dataset.CreateAtomic(name)
	if err != nil {
		return err
	}
	defer a.Abort()
	if err := m.Write(a); err != nil {
		return fmt.Errorf("%s: not written: %w", name, err)
	}
	return a.Commit()
}
