package selection

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/seed-b18ef778/gcg/internal/clock"
	"github.com/seed-b18ef778/gcg/solver"
)

// Path solves a problem over a grid of λ, from the smallest one with W = 0 downwards, and measures every solution. While the
// smallest error is at an end of the grid it goes on there, a quarter of the points at a time, at most to the square of the
// ratio. Where time is over or ctx ends it is cut short, and what was found is kept. Where ctx ends there is an error beside the
// curve, which wraps ctx.Err(); the curve is nil before the first λ was solved, and the error ErrInterrupted, too. Others are
// ErrNothing and those of the solver.
func Path(ctx context.Context, f *Fitting, opt Options) (*Curve, error) {
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	c := timeLimit{opt.Run.MaxTime, clock.Begin(ctx)}
	grid, err := opt.grid(ctx, f)
	if err != nil {
		return nil, err
	}
	s := &pathSearch{opt: &opt, fitting: f, grid: grid, tol: opt.Run.Tol, limit: c.left(1)}
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	if err := s.extend(ctx, c, true); err != nil {
		return nil, err
	}
	curve := &Curve{Grid: s.grid, Points: s.points}
	switch {
	case ctx.Err() != nil && !s.ended && !s.whole():
		curve.CutShort = solver.Interrupted
	case len(s.points) > len(curve.Solved()):
		curve.CutShort = solver.MaxTime
	}
	return curve, curve.unfinished(ctx)
}

// A pathSearch is a path over a fitting. At every λ it takes a step, however loose the tolerance.
type pathSearch struct {
	opt     *Options
	fitting *Fitting
	fold    int
	folds   int       // of a cross-validation
	grid    []float64 // descending
	tol     float64
	limit   time.Duration
	start   Start
	// over says after every λ that no smaller one is to be tried. nil goes to the end of the grid; where it is not nil, λ that
	// cannot be solved end the search, too.
	over      func() bool
	candidate string // whose path it is, in a race

	points []Point
	best   Start // of the smallest error
	end    Start // of the last λ
	ended  bool  // before the last λ, as the error told
	beaten bool  // in a race

	first, least, last float64 // errors: the first one, the smallest, and the last
	gain, gainBefore   float64 // of the last λ over the smallest error before, and of the one before that
	rose               int     // λ since the error last fell, but for those where it stayed
	firstLoss, loss    float64 // of training: the first one, and the last
	learns             bool    // it fell at the last λ
}

// run takes the path and measures every point.
func (s *pathSearch) run(ctx context.Context) error {
	if len(s.grid) == 0 {
		return nil
	}
	p := s.fitting.Problem
	s.fitting.Penalise(s.grid[0], s.opt.Penalty) // some methods are of a penalty
	_, im := s.opt.Method(p)
	run := s.opt.Run
	run.Tol, run.MinIter, run.MaxTime, run.Improver = s.tol, 1, s.limit, im
	run.Start, run.Intercept = s.start.W, s.start.Intercept
	s.least, s.last = math.Inf(1), math.NaN()
	path := solver.Schedule{Stages: make([]solver.Stage, len(s.grid))}
	for i, lambda := range s.grid {
		path.Stages[i] = solver.Stage{Lambda: lambda, Penalty: s.fitting.Penalty(s.opt.Penalty)(lambda),
			Method: func() solver.Method { m, _ := s.opt.Method(p); return m }}
		if s.fitting.Loss != nil {
			path.Stages[i].Loss = s.fitting.Loss(lambda)
		}
	}
	err := path.Run(ctx, p, run, func(at solver.Stage, r *solver.Result) bool { return s.visit(at.Lambda, r) })
	switch {
	// what was found is kept; the λ left may be too small to solve
	case len(s.points) > 0 && (ctx.Err() != nil || s.over != nil):
		return nil
	case len(s.points) == 0 && ctx.Err() != nil:
		return nothing(ctx, ErrInterrupted)
	}
	return err
}

// extend goes on above the grid of a path that was taken to its end, and below where that is wanted, while the smallest error is
// there.
func (s *pathSearch) extend(ctx context.Context, c timeLimit, below bool) error {
	if len(s.grid) < 2 {
		return nil
	}
	step, limit := s.grid[1]/s.grid[0], 2*s.opt.Points-1
	for below && s.whole() && s.curve().AtEnd() && len(s.grid) < limit && ctx.Err() == nil {
		part := &pathSearch{opt: s.opt, fitting: s.fitting, candidate: s.candidate, tol: s.tol, limit: c.left(1), start: s.end,
			grid: beyond(s.grid[len(s.grid)-1], step, min(max(1, s.opt.Points/4), limit-len(s.grid)))}
		if err := part.run(ctx); err != nil && !errors.Is(err, ErrInterrupted) {
			return nil // the λ left may be too small to solve
		}
		s.grid, s.points, s.end = append(s.grid[:len(s.grid):len(s.grid)], part.grid...), append(s.points, part.points...), part.end
	}
	for reached := s.grid[0] / s.opt.Ratio; s.opt.openTop() && s.curve().AtTop() && s.grid[0] < reached && ctx.Err() == nil; {
		part := &pathSearch{opt: s.opt, fitting: s.fitting, candidate: s.candidate, tol: s.tol, limit: c.left(1),
			grid: above(s.grid[0], step, max(1, s.opt.Points/4))}
		if err := part.run(ctx); err != nil && !errors.Is(err, ErrInterrupted) {
			return err
		}
		if !part.whole() {
			return nil
		}
		s.grid, s.points = append(part.grid, s.grid...), append(part.points, s.points...)
		if part.least < s.least {
			s.least, s.best = part.least, part.best
		}
	}
	return nil
}

// curve is what was found.
func (s *pathSearch) curve() *Curve { return &Curve{Grid: s.grid, Points: s.points} }

// whole says that all of the grid was solved.
func (s *pathSearch) whole() bool { return len(s.curve().Solved()) == len(s.grid) }

// visit keeps the point of a λ, and says whether to go on.
func (s *pathSearch) visit(lambda float64, r *solver.Result) bool {
	if r.Status == solver.Interrupted { // half a point has no bound
		return false
	}
	p := pointOf(s.fitting.Problem.Gauge, lambda, r)
	if p.Largest = largest(r.State.W, s.opt.Largest); p.Largest != nil {
		p.Lines = lines(r.State.W)
	}
	if s.fitting.Measure != nil {
		p.Scores = s.fitting.Measure(r.State).Scores()
		s.note(&p, r.State)
	}
	s.points, s.end = append(s.points, p), Start{W: r.State.W, Intercept: r.State.Intercept}
	e := Event{Fitting: s.fitting, Fold: s.fold, Folds: s.folds, Candidate: s.candidate, Point: p, State: r.State}
	if s.opt.Progress != nil {
		s.opt.Progress(e)
	}
	s.ended = p.Solved() && (s.over != nil && s.over() || s.opt.Stop != nil && s.opt.Stop(e))
	return !s.ended
}
