package selection

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/clock"
	"github.com/seed-b18ef778/gcg/solver"
)

// raceTol is the relative gap to which a race tries a λ, where the tolerance is not larger. The error of one step at such gaps
// is within three thousandths of that at ChoiceTol on MovieLens, smallest at the same λ, for a quarter of the time.
const raceTol = 0.3

// A Candidate is a problem that was entered in a race, by its name.
type Candidate struct {
	Name   string
	Lambda float64 // of the smallest error, for the whole data; 1 where every λ gives W = 0
	Scores Scores  // there: means over Parts validation parts
	Parts  int
	Curve  Curve // what was tried on the first part: every other λ of the usual grid; of candidates near the best more
	// Beaten says that its path was ended where it could no longer come near the best so far.
	Beaten bool
	Time   time.Duration
}

// A Race chooses one of several problems of the same data, together with λ: those that predict the same held-out parts, such as
// ratings after different centres and with different weights. It is begun by the first Enter. Candidates may depend on who won
// before, and those that are the most likely to come first.
type Race struct {
	Options Options
	// Parts is how many validation parts there are: the first judges all candidates, the others those that it cannot tell apart.
	// 0 is 1.
	Parts      int
	Candidates []Candidate // that were entered, in turn

	limit    timeLimit
	winner   int
	entrants []*entrant // of the candidates
}

// An entrant is what a race keeps of a candidate.
type entrant struct {
	part  Part
	held  int       // observations in a validation part
	share float64   // of the fitting
	grid  []float64 // all of the usual grid and beyond
	late  bool      // see Fitting
	start Start     // of the smallest error; dropped where the candidate is not near the best
}

// A Part is the problem of a candidate without validation part k, from 0, measured on that part.
type Part func(k int) (*Fitting, error)

// Enter takes a path over the candidate without the first validation part: on every other λ of the usual grid, to gaps of
// raceTol, until its error rises or it is beaten. All of them have at most half of Options.Run.MaxTime together. It returns the
// best so far. Where time is over or ctx has ended nothing is tried any more, which Choice says; an error is ErrInterrupted where
// nothing was, with one that wraps ctx.Err(), of part, or of the solver at the first λ.
func (r *Race) Enter(ctx context.Context, name string, part Part) (best string, err error) {
	if r.Candidates == nil {
		if r.Options, err = r.Options.filled(); err != nil {
			return "", err
		}
		r.limit = timeLimit{r.Options.Run.MaxTime, clock.Begin(ctx)}
	}
	if r.over(ctx) && r.Candidates != nil {
		return r.Candidates[r.winner].Name, nil
	}
	if err := r.enter(ctx, name, part); err != nil && (r.Candidates == nil || ctx.Err() == nil) {
		return "", err
	}
	return r.Candidates[r.winner].Name, nil
}

// enter takes the path of a candidate.
func (r *Race) enter(ctx context.Context, name string, part Part) error {
	began := time.Now()
	f, err := part(0)
	if err != nil {
		return err
	}
	grid, err := Grid(ctx, f.Problem, f.Penalty(r.Options.Penalty), r.Options.Ratio*r.Options.Ratio, 2*r.Options.Points-1)
	if err != nil {
		return err
	}
	skipped := 0
	for skipped+1 < len(grid) && grid[skipped+1] >= f.Begin*grid[0] && f.Begin > 0 {
		skipped++
	}
	s := r.search(f, name, everyOther(grid[skipped:]))
	s.over = r.ends(s)
	if grid == nil {
		err = s.atZero()
	} else {
		err = s.run(ctx)
	}
	if err != nil {
		return err
	}
	if err := r.before(ctx, s, grid[:skipped]); err != nil {
		return err
	}
	r.Candidates = append(r.Candidates, Candidate{Name: name, Beaten: s.beaten, Curve: Curve{Grid: s.grid, Points: s.points},
		Parts: 1, Time: time.Since(began)})
	r.entrants = append(r.entrants, &entrant{part: part, held: f.Held, share: f.share(), grid: grid, late: f.Late, start: s.best})
	r.settle(len(r.Candidates) - 1)
	return nil
}

// over says that there is no time left, or nobody to wait.
func (r *Race) over(ctx context.Context) bool {
	return ctx.Err() != nil || r.limit.total > 0 && r.limit.began.Elapsed() > r.limit.total/2
}

// search is a path of a candidate.
func (r *Race) search(f *Fitting, name string, grid []float64) *pathSearch {
	limit := time.Duration(0)
	if r.limit.total > 0 {
		limit = max(r.limit.total/2-r.limit.began.Elapsed(), 1)
	}
	return &pathSearch{opt: &r.Options, fitting: f, candidate: name, grid: grid, tol: math.Max(r.Options.Run.Tol, raceTol),
		limit: limit}
}

// before takes those λ that a path has skipped where its first one is the best.
func (r *Race) before(ctx context.Context, s *pathSearch, skipped []float64) error {
	if len(skipped) == 0 || len(s.curve().Solved()) == 0 || !s.curve().AtTop() || r.over(ctx) {
		return nil
	}
	top := r.search(s.fitting, s.candidate, everyOther(skipped))
	if err := top.run(ctx); err != nil {
		return err
	}
	s.grid, s.points = append(top.grid, s.grid...), append(top.points, s.points...)
	if top.least < s.least {
		s.least, s.best = top.least, top.best
	}
	return nil
}

// everyOther is the first of a grid, the third, and so on.
func everyOther(grid []float64) (coarse []float64) {
	for i := 0; i < len(grid); i += 2 {
		coarse = append(coarse, grid[i])
	}
	return coarse
}

// settle notes the best point of a candidate on the first part, and whether it wins. Where time was over before any λ was
// solved the largest stands for it.
func (r *Race) settle(at int) {
	c := &r.Candidates[at]
	points := c.Curve.Solved()
	if len(points) == 0 {
		points = c.Curve.Points
	}
	best := &points[smallest(points)]
	c.Lambda, c.Scores = best.Lambda/r.entrants[at].share, best.Scores
	if r.better(at, r.winner) {
		r.winner = at
	}
	for i, e := range r.entrants {
		if !r.near(i) {
			e.start = Start{}
		}
	}
}

// better says that a candidate beats another: one that was entered before by any difference, and one that was entered after by
// what is worthwhile, as differences below that are chance.
func (r *Race) better(a, than int) bool {
	x, y := r.Candidates[a].Scores.First(), r.Candidates[than].Scores.First()
	if a < than {
		return x <= y+worthwhile*math.Abs(y)
	}
	return x < y-worthwhile*math.Abs(y)
}

// Choice is the winner with its λ, after candidates that are near it were told apart, and a path over the λ of its usual grid
// beside its best one. Where ctx ends it is the winner so far, beside an error that wraps ctx.Err().
func (r *Race) Choice(ctx context.Context) (*Choice, error) {
	if r.Candidates == nil {
		return nil, errors.New("selection: a race without candidates")
	}
	if err := r.tellApart(ctx); err != nil {
		return nil, err
	}
	c, e := &r.Candidates[r.winner], r.entrants[r.winner]
	f, err := e.part(0)
	if err != nil {
		return nil, err
	}
	choice := &Choice{Lambda: c.Lambda, Start: e.start, Fitting: f, Curve: c.Curve, Candidates: r.Candidates}
	choice.Curve.Grid = e.grid
	switch {
	case ctx.Err() != nil:
		choice.Curve.CutShort = solver.Interrupted
	case r.over(ctx):
		choice.Curve.CutShort = solver.MaxTime
	}
	choice.Expected = (r.Options.Points + 1) / 2
	return choice, choice.Curve.unfinished(ctx)
}

// Winner is the place in Candidates of the best so far.
func (r *Race) Winner() int { return r.winner }

// worthwhile is the part of the error that a candidate must be better by than those before it.
const worthwhile = 0.001

// sameLambda is what dividing by a share and multiplying by it may change a λ by.
const sameLambda = 1e-9

// atZero measures W = 0, which is the solution whatever λ is.
func (s *pathSearch) atZero() error {
	s.grid = []float64{s.fitting.share()}
	s.fitting.Penalise(s.grid[0], s.opt.Penalty) // a measure may make a model, which has λ
	at, err := gcg.NewState(s.fitting.Problem, nil)
	if err != nil {
		return err
	}
	s.least, s.last = math.Inf(1), math.NaN()
	s.visit(s.grid[0], &solver.Result{State: at, Status: solver.Converged})
	return nil
}
