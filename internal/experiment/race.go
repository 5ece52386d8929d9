package experiment

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/report"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
)

// A Contest is one problem, and what its solutions are worth.
type Contest struct {
	Problem *gcg.Problem // its penalty included
	// Measure is what W is worth on data that was held out, by the names of scores; nil where there is none. It must not keep the
	// state.
	Measure func(*gcg.State) map[string]float64
	Run     *report.Run // what a plot says of the data, or nil
}

// Limits are those of every run.
type Limits struct {
	Tol     float64 // relative certified gap; 0 means that of solver.Options
	MaxTime time.Duration
	MaxIter int
	Seed    uint64
	Repeat  int // runs of each, of the seeds from Seed on; 0 means 1
	// EveryStep certifies methods that ask for no polars after each step, not now and then. The clock stands meanwhile.
	EveryStep bool
}

// A Run is what one solver did on a problem, once or several times.
type Run struct {
	Solver string
	Traces []report.Trace // one for each repetition
	Status solver.Status  // of the last
	Rank   int            // of the last W, or its entries that are not 0
	CPU    time.Duration  // of the last
	Start  *gcg.Iterate   // the last W, for who wants it
	Gauge  float64        // κ of the last W, or a bound
	Z      []float64      // its predictions
	Err    error          // why there is no trace
}

// Race lets each contender solve the problem, one after the other. One that fails, or panics for want of what the problem lacks,
// costs its own run alone: its Err says why. Where ctx ends, the runs so far are returned with its error.
//
// A contender that solves κ ≤ ζ in place of a penalty λκ gets ζ = κ(W) of the best run before it [Yu17 §5.1]. Its objective is
// then L + λκ at its iterates, and its bounds, which are of the other problem, are left out.
func Race(ctx context.Context, c *Contest, all []Contender, limits Limits) ([]Run, error) {
	runs := make([]Run, 0, len(all))
	for _, s := range all {
		r := Run{Solver: s.Name}
		for k := range max(limits.Repeat, 1) {
			if r.Err != nil {
				break
			}
			opt := solver.Options{Tol: limits.Tol, MaxTime: limits.MaxTime, MaxIter: limits.MaxIter, Seed: limits.Seed + uint64(k)}
			if limits.EveryStep {
				opt.CertifyEvery = 1
			}
			r.once(ctx, c, s, opt, runs)
		}
		if ctx.Err() != nil && r.Err != nil {
			return runs, ctx.Err()
		}
		runs = append(runs, r)
	}
	return runs, ctx.Err()
}

// errNoRadius is for a contender that is to be given ζ and finds no run to take it of.
var errNoRadius = errors.New("is for a bound on κ(W), which no run before it gives")

// once adds a run.
func (r *Run) once(ctx context.Context, c *Contest, s Contender, opt solver.Options, before []Run) {
	p, own := *c.Problem, true
	if math.IsInf(p.Penalty.Max(), 1) && s.Ball {
		zeta, found := radius(before)
		if !found {
			r.Err = errNoRadius
			return
		}
		p.Penalty, own = gauge.Ball{Zeta: zeta}, false
	}
	t := &recorder{contest: c, own: own, trace: report.Trace{Name: s.Name, Run: c.Run}}
	opt.Event = t.event
	res, err := s.Run(ctx, &p, opt)
	if res != nil && (err == nil || ctx.Err() != nil) && len(t.trace.Points) > 0 {
		r.Traces = append(r.Traces, t.trace)
		r.Status, r.CPU = res.Status, res.CPU
		r.Rank = selection.SolvedSize(p.Gauge, res.State.W).Count()
		r.Start, r.Gauge, r.Z = res.State.W, res.State.Rho, res.State.Z
		return
	}
	if err == nil {
		err = errors.New("recorded nothing")
	}
	r.Err = err
}

// radius is κ(W) of the run with the smallest objective.
func radius(runs []Run) (zeta float64, found bool) {
	least := math.Inf(1)
	for i := range runs {
		if r := &runs[i]; r.Err == nil && r.Last().Objective < least && r.Gauge > 0 {
			least, zeta, found = r.Last().Objective, r.Gauge, true
		}
	}
	return zeta, found
}

// A recorder makes a trace of the events of a run.
type recorder struct {
	contest  *Contest
	own      bool // the bounds are of the contest's problem
	trace    report.Trace
	measured time.Duration // at which W was last measured
}

// measureEvery is the part by which the time of a run grows between two measurements: more are not seen on a plot, and each may
// take as long as a step.
const measureEvery = 0.05

func (t *recorder) event(e solver.Event) { e.Uncharged(func() { t.record(e) }) }

// record adds a point.
func (t *recorder) record(e solver.Event) {
	s, c := e.State, e.State.Cert
	q := report.Point{Iteration: e.Iter, Seconds: e.Elapsed.Seconds(), Objective: c.Objective, Loss: s.Loss,
		Rank: s.W.Rank(), Polars: float64(s.Count.Polars), Gradients: float64(s.Count.Gradients), Status: string(e.Status)}
	if t.own {
		if lower, relative := c.Bracket(); lower != nil {
			q.LowerBound, q.RelativeGap = lower, *relative
		}
	} else {
		q.Objective = s.Loss + t.contest.Problem.Penalty.Value(s.Rho)
	}
	q.Split = report.Split{Polar: e.Split.Polar.Seconds(), LineSearch: e.Split.Step.Seconds(),
		Improve: e.Split.Improve.Seconds(), Certificate: e.Split.Certificate.Seconds()}
	due := e.Status != "" || len(t.trace.Points) == 0 ||
		e.Elapsed.Seconds() > (1+measureEvery)*t.measured.Seconds()
	if t.contest.Measure != nil && due {
		q.Test, t.measured = map[string]any{}, e.Elapsed
		for name, x := range t.contest.Measure(s) {
			if !math.IsNaN(x) && !math.IsInf(x, 0) {
				q.Test[name] = x
			}
		}
	}
	t.trace.Points = append(t.trace.Points, q)
}
