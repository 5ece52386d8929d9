package selection

import (
	"cmp"
	"context"
	"errors"
	"math"

	"github.com/seed-b18ef778/gcg/internal/clock"
	"github.com/seed-b18ef778/gcg/solver"
)

// ChoiceTol is the relative gap to which Choose tries a λ, where the tolerance is not larger: the error of predictions at a gap
// of 0.05 is within a thousandth of that at 0.001 on MovieLens, letter, mfeat and school, for a quarter to a half of the time
// of 0.01 on MovieLens-1M.
const ChoiceTol = 0.05

// A Choice is the λ of the smallest validation error.
type Choice struct {
	// Lambda is for the whole data: the best one that was tried, divided by the fitting's share. It is 1 where every λ gives
	// W = 0, and the largest one where time was over before any was solved.
	Lambda  float64
	Start   Start // the iterate of that error; W is nil where there is none
	Fitting *Fitting
	Curve   Curve // what was tried: as a path, to loose gaps
	// Candidates are those of the race that the choice was of, whose winner Curve and Fitting belong to; nil where there was
	// none.
	Candidates []Candidate
	// Expected is how many λ there were to try, at least, where the curve is cut short.
	Expected int
}

// Best is the point of the smallest error, or nil where none was solved.
func (c *Choice) Best() *Point {
	points := c.Curve.Solved()
	if len(points) == 0 {
		return nil
	}
	return &points[smallest(points)]
}

// Falling says that the error still fell at the last λ that was solved.
func (c *Choice) Falling() bool {
	points := c.Curve.Solved()
	return len(points) > 0 && smallest(points) == len(points)-1
}

// Choose takes a path on a part of the data, to loose gaps and in at most half of the time. It ends where the error rises by
// more than chance explains. Where the error still falls at an end of the usual grid, it goes on there: down to the square of
// its ratio. A fitting with Folds is chosen for by cross-validation. Where ctx ends there is an error beside the choice so
// far, which wraps ctx.Err(); the choice is nil before the first λ was solved, and the error ErrInterrupted, too. Others are
// those of the source, and of the solver at the first λ.
func Choose(ctx context.Context, src Source, opt Options) (*Choice, error) {
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	c := timeLimit{opt.Run.MaxTime, clock.Begin(ctx)}
	f, err := src.Validation()
	if err != nil {
		return nil, err
	}
	switch {
	case f.Folds > 1:
		return chooseByFolds(ctx, src, f, opt)
	case f.Coarse:
		return chooseCoarsely(ctx, f, opt)
	}
	grid, err := Grid(ctx, f.Problem, f.Penalty(opt.Penalty), opt.Ratio*opt.Ratio, 2*opt.Points-1)
	if err != nil {
		return nil, err
	}
	tol := math.Max(opt.Run.Tol, cmp.Or(f.Loose, ChoiceTol))
	s := &pathSearch{opt: &opt, fitting: f, grid: grid, tol: tol, limit: c.left(0.5)}
	if s.over = s.usually(opt.Points); f.Through {
		s.over = s.through(opt.Points)
	}
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	if err := s.extend(ctx, c, false); err != nil {
		return nil, err
	}
	grid = s.grid
	choice := &Choice{Lambda: 1, Start: s.best, Fitting: f, Curve: Curve{Grid: grid, Points: s.points}}
	if len(s.points) == 0 { // W = 0 whatever λ is
		return choice, nil
	}
	choice.cutShort(ctx, s, opt.Points)
	best := choice.Best()
	if best == nil {
		best = &s.points[0]
	}
	choice.Lambda = best.Lambda / f.share()
	return choice, choice.Curve.unfinished(ctx)
}

// foldsTol is the relative gap to which Choose solves folds all through, where the tolerance is not larger: it costs little
// there.
const foldsTol = 1e-3

// chooseByFolds is Choose by cross-validation, which takes the grid by quarters, or all through. Where time was over before
// every fold had solved for one λ it is the largest.
func chooseByFolds(ctx context.Context, src Source, f *Fitting, opt Options) (*Choice, error) {
	loose, part := cmp.Or(f.Loose, ChoiceTol), max(1, (opt.Points+3)/4)
	if f.Through {
		loose, part = foldsTol, opt.Points
	}
	opt.Folds, opt.Run.Tol = f.Folds, math.Max(opt.Run.Tol, loose)
	if opt.Run.MaxTime > 0 {
		opt.Run.MaxTime = max(opt.Run.MaxTime/2, 1)
	}
	v := &validation{src: src, opt: &opt, limit: timeLimit{opt.Run.MaxTime, clock.Begin(ctx)}, through: f.Through,
		part: part}
	whole, err := src.Whole()
	if err != nil {
		return nil, err
	}
	choice := &Choice{Lambda: 1, Fitting: whole, Expected: opt.Points}
	curve, err := v.curve(ctx, whole)
	switch {
	case errors.Is(err, ErrNothing): // W = 0 whatever λ is
		return choice, nil
	case errors.Is(err, ErrFewFolds):
		return nil, nothing(ctx, ErrInterrupted)
	case errors.Is(err, ErrNoTime):
		choice.Lambda, choice.Curve = curve.Grid[0], Curve{Grid: curve.Grid, CutShort: solver.MaxTime}
		return choice, nil
	case err != nil:
		return nil, err
	}
	choice.Curve = *curve
	choice.Lambda = choice.Best().Lambda
	return choice, curve.unfinished(ctx)
}

// chooseCoarsely is Choose as a race of one candidate.
func chooseCoarsely(ctx context.Context, f *Fitting, opt Options) (*Choice, error) {
	r := &Race{Options: opt}
	if _, err := r.Enter(ctx, "", func(int) (*Fitting, error) { return f, nil }); err != nil {
		return nil, err
	}
	c, err := r.Choice(ctx)
	if c != nil {
		c.Candidates = nil // there was nothing to choose from but λ
	}
	return c, err
}

// cutShort notes what ended a choice before it was done.
func (c *Choice) cutShort(ctx context.Context, s *pathSearch, usual int) {
	solved := len(c.Curve.Solved())
	switch {
	case s.ended || solved == len(s.grid):
		return
	case len(s.points) > solved:
		c.Curve.CutShort = solver.MaxTime
	case ctx.Err() != nil:
		c.Curve.CutShort = solver.Interrupted
	default: // the λ left could not be solved
		return
	}
	c.Expected = usual
	if solved >= usual {
		c.Expected = len(s.grid)
	}
}
