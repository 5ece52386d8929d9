package solver

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/clock"
)

// A Stage is a λ of a schedule, and how it is solved there.
type Stage struct {
	Lambda  float64
	Epsilon float64       // the ε in units of λ at which the method ends the stage, or 0 where the gap ends it
	Tol     float64       // of the gap; 0 is that of the options
	Penalty gcg.Penalty   // with this λ
	Loss    gcg.Loss      // a wider one on the way to that of the problem, or nil for that
	Method  func() Method // called when the stage begins
}

// A Schedule is a sequence of stages, each of which starts from the solution of the last: a path of λ, or a continuation
// towards one.
type Schedule struct {
	Stages []Stage
	// ToLast says that the stages only lead to the last: Options.MaxIter holds for all together, events and checkpoints are of the
	// problem of the last at all iterates, only the last is proven, and where a limit ends an earlier one, the last certifies its
	// iterate without a step.
	ToLast bool
}

// Run solves p with the penalty of each stage in turn; visit gets every result and says whether to go on. An unpenalised
// intercept begins at the last one. opt.MaxTime holds for all stages together, and the stage during which it is over is the
// last, or leads to the last; opt.MaxIter holds for each, unless ToLast. Where ctx ends visit gets the result of the stage
// that was interrupted, if it found anything, and the error wraps ctx.Err(). Other errors are those of the function Run, and
// for opt.Resume, which belongs to one stage.
func (c Schedule) Run(ctx context.Context, p *gcg.Problem, opt Options, visit func(Stage, *Result) bool) error {
	if opt.Resume != nil && len(c.Stages) > 1 {
		return errors.New("solver: a path begins at Start; a state to resume belongs to one λ, and Run takes it")
	}
	if !opt.checked {
		if err := checkLoss(p); err != nil {
			return err
		}
		opt.checked = true
	}
	opt.kept = new(kept)
	var last Method
	limit, began, uncharged := opt.MaxTime, clock.Begin(ctx), time.Duration(0)
	all := &whole{p: p, cert: gcg.Certificate{LowerBound: math.Inf(-1)}}
	for i := 0; i < len(c.Stages); i++ {
		stage, here := c.Stages[i], opt
		here.MaxTime = left(limit, began, uncharged)
		if c.ToLast {
			here = all.options(here, i == len(c.Stages)-1, stage.Loss != nil)
		}
		if stage.Tol > 0 {
			here.Tol = stage.Tol
		}
		q := *p
		if q.Penalty = stage.Penalty; stage.Loss != nil {
			q.Loss = stage.Loss
		}
		method := stage.Method()
		if h, ok := method.(heir); ok && last != nil {
			h.Inherit(last)
		}
		last = method
		r, err := Run(ctx, &q, method, here)
		if r == nil {
			return err
		}
		opt.Start, opt.Intercept, opt.from = r.State.W, append([]float64(nil), r.State.Intercept...), nil
		if i+1 < len(c.Stages) && stage.Loss == nil && c.Stages[i+1].Loss == nil {
			opt.from = r.State
		}
		if uncharged += r.Uncharged; c.ToLast {
			opt.spent += r.Iter
			all.add(r)
		}
		more := visit(stage, r)
		all.total(r)
		switch {
		case !more || !c.ToLast && r.outOfTime() || i == len(c.Stages)-1:
			return err
		case r.outOfTime() || c.ToLast && r.Status == MaxIterations: // the last stage says how far this iterate is
			i, opt.late = max(i, len(c.Stages)-2), c.ToLast && r.Status == MaxTime
		}
	}
	return nil
}

// An heir is a Method that takes over what another of its kind has kept of the data, so that no λ of a path begins anew.
type heir interface{ Inherit(from any) }

// outOfTime says that the run was interrupted or used up its time.
func (r *Result) outOfTime() bool { return r.Status == Interrupted || r.Status == MaxTime }

// unless is the result of the last of several runs, which an error takes away unless ctx has ended it.
func (r *Result) unless(err error) (*Result, error) {
	if err != nil && (r == nil || r.Status != Interrupted) {
		return nil, err
	}
	return r, err
}

// left is what remains of a limit since start, but for what was not charged, at least a moment, as 0 means no limit.
func left(limit time.Duration, start clock.Mark, uncharged time.Duration) time.Duration {
	if limit == 0 {
		return 0
	}
	return max(limit-start.Elapsed()+uncharged, 1)
}

// add adds the work of another run.
func (r *Result) add(o *Result) {
	r.Iter += o.Iter
	r.Elapsed += o.Elapsed
	r.CPU += o.CPU
	r.Uncharged += o.Uncharged
	r.Split.add(o.Split)
}

// A whole reports the stages that lead to a problem as one run of it: iterations and times count from the first stage on, and
// the certificate is that of the problem. Every iterate of a stage is one of the problem, too: its objective is L(A W) + h(ρ),
// and where the stage has the same loss its polar bounds the optimum of the problem as well.
type whole struct {
	p           *gcg.Problem // with its own penalty and loss
	last, wider bool         // the stage is the last; it has another loss
	done        Result       // the work of the stages before
	count       gcg.Count    // likewise
	cert        gcg.Certificate
	failed      float64 // the probability that a bound of the stages before fails
}

// options are those of a stage, whose reports go by way of w.
func (w *whole) options(opt Options, last, wider bool) Options {
	w.last, w.wider = last, wider
	if event := opt.Event; event != nil {
		opt.Event = func(e Event) {
			if !last && e.Status != "" { // the next stage begins here
				return
			}
			e.State, e.Iter, e.Elapsed = w.state(e.State), e.Iter+w.done.Iter, e.Elapsed+w.done.Elapsed
			e.Split.add(w.done.Split)
			event(e)
		}
	}
	if checkpoint := opt.Checkpoint; checkpoint != nil {
		opt.Checkpoint = func(s *gcg.State) error { return checkpoint(w.state(s)) }
	}
	opt.Exact = opt.Exact && last
	return opt
}

// state is a state of a stage as one of the problem. It shares all but numbers.
func (w *whole) state(s *gcg.State) *gcg.State {
	at, o := *s, *s.Oracle
	o.Count.Add(w.count)
	at.Iter, at.Oracle = at.Iter+w.done.Iter, &o
	if w.last {
		return &at
	}
	if w.wider { // the gradient of its loss says nothing of the problem's optimum
		at.Polar = nil
		at.Loss = w.p.Sum(func(lo, hi int) float64 { return w.p.Loss.Eval(lo, s.Z[lo:hi], nil) })
	}
	at.Cert = w.cert
	at.Certify(w.p)
	at.Cert.Failure = w.failed + s.Cert.Failure
	w.cert, at.Polar = at.Cert, s.Polar
	return &at
}

// add adds the work of a stage.
func (w *whole) add(r *Result) {
	w.done.add(r)
	w.failed += r.State.Cert.Failure
	w.count.Add(r.State.Count)
}

// total gives the result of the last stage the work of all.
func (w *whole) total(r *Result) {
	if w.last {
		r.Iter, r.Elapsed, r.CPU, r.Uncharged, r.Split = w.done.Iter, w.done.Elapsed, w.done.CPU, w.done.Uncharged, w.done.Split
		r.State.Count = w.count
	}
}

// add adds times.
func (s *Split) add(o Split) {
	s.Polar += o.Polar
	s.Step += o.Step
	s.Improve += o.Improve
	s.Certificate += o.Certificate
}
