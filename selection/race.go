package selection

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver"
)

// raceTol is the relative gap to which a race tries a λ, where the tolerance is not larger. The error of one step at such gaps
// is within three thousandths of that at ChoiceTol on MovieLens, smallest at the same λ, for a quarter of the time.
const raceTol = 0.3

// A Candidate is a problem that was entered in a race, by its name.
type Candidate struct {
	Name   string
	Lambda float64 // of the smallest error, for the whole data; 1 where every λ gives W = 0
	Scores Scores  // there, on the validation part
	Curve  Curve   // what was tried: every other λ of the usual grid, and of the winner those beside its best, too
	// Beaten says that its path was ended where it could no longer come near the best so far.
	Beaten bool
	Time   time.Duration
}

// A Race chooses one of several problems of the same data, together with λ: those that predict the same held-out part, such as
// ratings after different centres and with different weights. It is begun by the first Enter. Candidates may depend on who won
// before, and those that are the most likely to come first.
type Race struct {
	Options    Options
	Candidates []Candidate // that were entered, in turn

	clock  clock
	winner int
	start  Start
	grid   []float64 // of the winner: all of its usual grid and beyond
}

// Enter takes a path over the candidate: on every other λ of the usual grid, to gaps of raceTol, until its error rises or it is
// beaten. All of them have at most half of Options.Run.MaxTime together. It returns the best so far. Where time is over or ctx
// has ended nothing is tried any more; an error is ErrInterrupted where nothing was, or of the solver at the first λ.
func (r *Race) Enter(ctx context.Context, name string, f *Fitting) (best string, err error) {
	if r.Candidates == nil {
		r.Options = r.Options.filled()
		r.clock = clock{r.Options.Run.MaxTime, time.Now()}
	}
	if r.over(ctx) && r.Candidates != nil {
		return r.Candidates[r.winner].Name, nil
	}
	began := time.Now()
	grid, err := Grid(ctx, f.Problem, r.Options.Penalty, r.Options.Ratio*r.Options.Ratio, 2*r.Options.Points-1)
	if err != nil {
		return "", err
	}
	s := r.search(f, name, everyOther(grid))
	s.over = r.ends(s)
	if grid == nil {
		err = s.atZero()
	} else {
		err = s.run(ctx)
	}
	if err != nil {
		return "", err
	}
	r.Candidates = append(r.Candidates, Candidate{Name: name, Beaten: s.beaten, Curve: Curve{Grid: s.grid, Points: s.points},
		Time: time.Since(began)})
	r.settle(len(r.Candidates)-1, f, s.best, grid)
	return r.Candidates[r.winner].Name, nil
}

// over says that there is no time left, or nobody to wait.
func (r *Race) over(ctx context.Context) bool {
	return ctx.Err() != nil || r.clock.limit > 0 && time.Since(r.clock.began) > r.clock.limit/2
}

// search is a path of a candidate.
func (r *Race) search(f *Fitting, name string, grid []float64) *pathSearch {
	limit := time.Duration(0)
	if r.clock.limit > 0 {
		limit = max(r.clock.limit/2-time.Since(r.clock.began), 1)
	}
	return &pathSearch{opt: &r.Options, fitting: f, candidate: name, grid: grid, tol: math.Max(r.Options.Run.Tol, raceTol),
		limit: limit}
}

// everyOther is the first of a grid, the third, and so on.
func everyOther(grid []float64) (coarse []float64) {
	for i := 0; i < len(grid); i += 2 {
		coarse = append(coarse, grid[i])
	}
	return coarse
}

// settle notes the best point of a candidate, and whether it wins: one that was entered before has to be beaten by what is
// worthwhile, as differences below that are chance. Where time was over before any λ was solved the largest stands for it.
func (r *Race) settle(at int, f *Fitting, start Start, grid []float64) {
	c := &r.Candidates[at]
	points := c.Curve.Solved()
	if len(points) == 0 {
		points = c.Curve.Points
	}
	best := &points[Min.Select(points)]
	c.Lambda, c.Scores = best.Lambda/f.share(), best.Scores
	least := r.Candidates[r.winner].Scores.First()
	if at == r.winner || c.Scores.First() < least-worthwhile*math.Abs(least) {
		r.winner, r.start, r.grid = at, start, grid
	}
}

// Choice is the winner with its λ, after a path over the λ of its usual grid beside the best one. The fitting is the winner's,
// which Enter has not kept.
func (r *Race) Choice(ctx context.Context, f *Fitting) (*Choice, error) {
	if r.Candidates == nil {
		return nil, errors.New("selection: a race without candidates")
	}
	c := &r.Candidates[r.winner]
	began := time.Now()
	if between := beside(r.grid, c.Lambda*f.share()); len(between) > 0 && !r.over(ctx) {
		s := r.search(f, c.Name, between)
		s.start, s.over = r.start, func() bool { return false }
		if err := s.run(ctx); err != nil && !errors.Is(err, ErrInterrupted) {
			return nil, err
		}
		best := c.Scores.First()
		c.Curve.Points = append(c.Curve.Points, (&Curve{Points: s.points}).Solved()...)
		slices.SortStableFunc(c.Curve.Points, func(a, b Point) int {
			if a.Lambda > b.Lambda {
				return -1
			}
			return 1
		})
		start := r.start
		if s.best.W != nil && s.least < best {
			start = s.best
		}
		r.settle(r.winner, f, start, r.grid)
		c.Time += time.Since(began)
	}
	choice := &Choice{Lambda: c.Lambda, Start: r.start, Fitting: f, Curve: c.Curve, Candidates: r.Candidates}
	choice.Curve.Grid = r.grid
	switch {
	case ctx.Err() != nil:
		choice.Curve.CutShort = solver.Interrupted
	case r.over(ctx):
		choice.Curve.CutShort = solver.MaxTime
	}
	choice.Expected = (r.Options.Points + 1) / 2
	return choice, nil
}

// beside are the λ of a grid on both sides of one of its own.
func beside(grid []float64, lambda float64) (between []float64) {
	for i, x := range grid {
		if math.Abs(x-lambda) > sameLambda*lambda {
			continue
		}
		if i > 0 {
			between = append(between, grid[i-1])
		}
		if i+1 < len(grid) {
			between = append(between, grid[i+1])
		}
	}
	return between
}

// worthwhile is the part of the error that a candidate must be better by than those before it.
const worthwhile = 0.001

// sameLambda is what dividing by a share and multiplying by it may change a λ by.
const sameLambda = 1e-9

// atZero measures W = 0, which is the solution whatever λ is.
func (s *pathSearch) atZero() error {
	s.grid = []float64{s.fitting.share()}
	p := *s.fitting.Problem
	p.Penalty = s.opt.Penalty(s.grid[0])
	at, err := gcg.NewState(&p, nil)
	if err != nil {
		return err
	}
	s.least, s.last = math.Inf(1), math.NaN()
	s.visit(s.grid[0], &solver.Result{State: at, Status: solver.Converged})
	return nil
}
