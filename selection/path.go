package selection

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver"
)

// Path solves a problem over a grid of λ, from the smallest one with W = 0 downwards, and measures every solution. Where time is
// over or ctx ends it is cut short, and what was found is kept. Errors are ErrNothing, ErrInterrupted before the first
// λ was solved, and those of the solver.
func Path(ctx context.Context, f *Fitting, opt Options) (*Curve, error) {
	opt = opt.filled()
	c := clock{opt.Run.MaxTime, time.Now()}
	grid, err := opt.grid(ctx, f.Problem)
	if err != nil {
		return nil, err
	}
	s := &pathSearch{opt: &opt, fitting: f, grid: grid, tol: opt.Run.Tol, limit: c.left(1)}
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	curve := &Curve{Grid: grid, Points: s.points}
	switch {
	case ctx.Err() != nil:
		curve.CutShort = solver.Interrupted
	case len(s.points) > len(curve.Solved()):
		curve.CutShort = solver.MaxTime
	}
	return curve, nil
}

// A pathSearch is a path over a fitting. At every λ it takes a step, however loose the tolerance.
type pathSearch struct {
	opt     *Options
	fitting *Fitting
	fold    int
	grid    []float64 // descending
	tol     float64
	limit   time.Duration
	usual   int // λ of the usual grid, where the search ends by itself: see over. 0 goes to the end

	points []Point
	best   Start // of the smallest error
	ended  bool  // before the last λ, as the error told

	first, least, last float64 // errors: the first one, the smallest, and the last
	rose               int     // λ since the error last fell, but for those where it stayed
}

// run takes the path and measures every point.
func (s *pathSearch) run(ctx context.Context) error {
	p := s.fitting.Problem
	if len(s.grid) > 0 { // some methods are of a penalty
		p.Penalty = s.opt.Penalty(s.grid[0])
	}
	_, im := s.opt.Method(p)
	run := s.opt.Run
	run.Tol, run.MinIter, run.MaxTime, run.Improver = s.tol, 1, s.limit, im
	s.least, s.last = math.Inf(1), math.NaN()
	err := solver.Path(ctx, p, func() solver.Method { m, _ := s.opt.Method(p); return m }, run, s.grid, s.opt.Penalty, s.visit)
	switch {
	// what was found is kept; the λ left may be too small to solve
	case len(s.points) > 0 && (errors.Is(err, context.Canceled) || s.usual > 0):
		return nil
	case len(s.points) == 0 && ctx.Err() != nil:
		return ErrInterrupted
	}
	return err
}

// visit keeps the point of a λ, and says whether to go on.
func (s *pathSearch) visit(lambda float64, r *solver.Result) bool {
	if r.Status == solver.Interrupted { // half a point has no bound
		return false
	}
	p := pointOf(s.fitting.Problem.Gauge, lambda, r)
	fell := false
	if s.fitting.Measure != nil {
		p.Scores = s.fitting.Measure(r.State).Scores()
		fell = s.note(&p, r.State)
	}
	s.points = append(s.points, p)
	e := Event{Fitting: s.fitting, Fold: s.fold, Point: p, State: r.State}
	if s.opt.Progress != nil {
		s.opt.Progress(e)
	}
	s.ended = p.Solved() && (s.over(fell) || s.opt.Stop != nil && s.opt.Stop(e))
	return !s.ended
}

// worthwhile is the part that a λ beyond the usual grid must lower the error by, for the next one to be tried: of the error, and
// of that of the largest λ, as the errors of classes that are told apart go to 0 for ever. What falls by hardly more than
// nothing of that has risen.
const (
	worthwhile = 0.001
	hardly     = 0.0001
)

// note keeps the best point, and says whether the error fell by what is worthwhile.
func (s *pathSearch) note(p *Point, at *gcg.State) (fell bool) {
	x := p.Scores.First()
	if len(s.points) == 0 {
		s.first = math.Abs(x)
	}
	fell = x < s.least-worthwhile*math.Max(math.Abs(s.least), s.first)
	switch {
	case x < s.least-hardly*s.first:
		s.rose = 0
	case x != s.last: // where it stays, to the last digit, it says nothing: all predictions may be clipped
		s.rose++
	}
	s.last = x
	if x < s.least && (p.Solved() || len(s.points) == 0) {
		s.least, s.best = x, Start{at.W, at.Intercept}
	}
	return fell
}

// over says that no smaller λ is to be tried: three of the usual grid had no smaller error, or one beyond it.
func (s *pathSearch) over(fell bool) bool {
	return s.usual > 0 && !fell && (len(s.points) >= s.usual || s.rose >= 3)
}
