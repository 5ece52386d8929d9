package selection

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/seed-b18ef778/gcg/internal/clock"
	"github.com/seed-b18ef778/gcg/solver"
)

// CrossValidate averages the errors of folds on one grid of λ, that of the whole problem; where the loss is a sum, each fold's
// λ is scaled by its share of the observations. While the smallest error is at an end of the grid it goes on there, a quarter
// of the points at a time, at most to the square of the ratio. Every fold has the same part of the time. The curve has the λ
// that all folds solved; it is cut short by an interrupt after two folds at least, and by time after one λ at least. Where ctx
// ends there is an error beside the curve, which wraps ctx.Err(); the curve is nil before two folds were done, and the error
// ErrInterrupted or ErrFewFolds, too. Others are ErrNothing, ErrNoTime, those of the source and of the solver.
func CrossValidate(ctx context.Context, src Source, opt Options) (*Curve, error) {
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	v := &validation{src: src, opt: &opt, limit: timeLimit{opt.Run.MaxTime, clock.Begin(ctx)}, through: true, part: opt.Points}
	whole, err := src.Whole()
	if err != nil {
		return nil, err
	}
	c, err := v.curve(ctx, whole)
	if err != nil {
		return nil, err
	}
	return c, c.unfinished(ctx)
}

// A validation is a cross-validation over one part of the grid after another.
type validation struct {
	src     Source
	opt     *Options
	limit   timeLimit
	part    int     // λ of the usual grid that all folds take before they go on
	through bool    // takes all of the usual grid, whatever the error does
	starts  []Start // of each fold, for the next part
}

// curve is the cross-validation of a problem. Where time was over before the first λ it has the grid alone.
func (v *validation) curve(ctx context.Context, whole *Fitting) (*Curve, error) {
	grid, err := v.opt.grid(ctx, whole)
	if err != nil {
		return nil, err
	}
	v.starts = make([]Start, v.opt.Folds)
	a, err := v.average(ctx, grid[:min(v.part, len(grid))])
	if err != nil {
		return &Curve{Grid: grid}, err
	}
	if a.folds < 2 {
		return nil, nothing(ctx, ErrFewFolds)
	}
	curve := &Curve{Grid: grid, Points: a.mean(), Folds: a.folds}
	switch {
	case a.folds < v.opt.Folds:
		curve.CutShort = solver.Interrupted
	case a.late:
		curve.CutShort = solver.MaxTime
	case len(curve.Points) == len(a.grid): // nothing told it to stop
		v.goOn(ctx, curve)
	}
	return curve, nil
}

// goOn takes the rest of the usual grid, unless the error did not fall over a part of it, and what is beyond its ends while the
// smallest error is there.
func (v *validation) goOn(ctx context.Context, c *Curve) {
	for usual := c.Grid; len(c.Points) < len(usual); {
		if !v.through && c.ended(min(v.part, len(c.Points))) {
			return
		}
		n := len(c.Points)
		if !v.add(ctx, c, usual[n:min(n+v.part, len(usual))], false) {
			return
		}
	}
	limit := 2*len(c.Grid) - 1
	step := math.Pow(v.opt.Ratio, 1/math.Max(1, float64(v.opt.Points-1)))
	quarter := func() int { return min(max(1, v.opt.Points/4), limit-len(c.Grid)) }
	for c.AtEnd() && len(c.Grid) < limit {
		part := beyond(c.Grid[len(c.Grid)-1], step, quarter())
		c.Grid = append(slices.Clone(c.Grid), part...)
		if !v.add(ctx, c, part, false) {
			c.Grid = c.Grid[:len(c.Points)]
			return
		}
	}
	for v.opt.openTop() && c.AtTop() && len(c.Grid) < limit {
		part := above(c.Grid[0], step, quarter())
		clear(v.starts)
		if !v.add(ctx, c, part, true) {
			return
		}
		c.Grid = append(part, c.Grid...)
	}
}

// add adds a part of the grid to the curve, below its points or above. It says whether all folds took all of it: what is left of
// one that was interrupted, or had no time for all folds, is dropped, and λ that cannot be solved end it.
func (v *validation) add(ctx context.Context, c *Curve, part []float64, onTop bool) bool {
	a, err := v.average(ctx, part)
	switch {
	case err == nil && a.folds < c.Folds:
		c.CutShort = solver.Interrupted
		return false
	case errors.Is(err, ErrNoTime) || err == nil && a.late:
		c.CutShort = solver.MaxTime
	}
	if err != nil {
		return false
	}
	points, all := a.mean(), len(a.points) == len(part)
	switch {
	case !onTop:
		c.Points = append(c.Points, points...)
	case all:
		c.Points = append(points, c.Points...)
	}
	return all && c.CutShort == ""
}

// beyond are n λ below one, by a ratio; above are those above, descending.
func beyond(lambda, ratio float64, n int) []float64 {
	part := make([]float64, n)
	for i := range part {
		lambda *= ratio
		part[i] = lambda
	}
	return part
}

func above(lambda, ratio float64, n int) []float64 {
	part := beyond(lambda, 1/ratio, n)
	slices.Reverse(part)
	return part
}

// ended says that the error did not fall over the last n λ, by more than hardly anything of the first one.
func (c *Curve) ended(n int) bool {
	before, last := c.Points[:len(c.Points)-n], c.Points[len(c.Points)-n:]
	return len(before) > 0 && last[smallest(last)].Scores.First() >=
		before[smallest(before)].Scores.First()-hardly*math.Abs(c.Points[0].Scores.First())
}

// average takes all folds over a part of the grid, or those before an interrupt.
func (v *validation) average(ctx context.Context, grid []float64) (*average, error) {
	a := &average{grid: grid, points: make([]Point, len(grid))}
	for k := 0; k < v.opt.Folds && ctx.Err() == nil; k++ {
		if err := a.fold(ctx, v, k, v.limit.left(1/float64(v.opt.Folds-k))); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// scaled is x times a number.
func scaled(x []float64, by float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = v * by
	}
	return y
}

// An average is sums over folds, for each λ that all of them reached: of every score, and of the square of the first.
type average struct {
	grid    []float64
	points  []Point // of the last fold, or of the one that is furthest from being solved
	sums    [][]float64
	squares []float64
	folds   int
	late    bool // time was over in a fold
}

// fold solves fold k and adds it; not if that is interrupted, since part of a fold would cut the grid of the others.
func (a *average) fold(ctx context.Context, v *validation, k int, limit time.Duration) error {
	opt := v.opt
	f, err := v.src.Fold(k, opt.Folds)
	if err != nil {
		return err
	}
	s := &pathSearch{opt: opt, fitting: f, fold: k, folds: opt.Folds, grid: scaled(a.grid, f.share()), tol: opt.Run.Tol,
		limit: limit, start: v.starts[k]}
	switch err := s.run(ctx); {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return err
	}
	v.starts[k] = s.end
	solved := (&Curve{Points: s.points}).Solved()
	a.late = a.late || len(solved) < len(s.points)
	return a.add(solved)
}

// add adds the points of a fold.
func (a *average) add(points []Point) error {
	if len(points) == 0 {
		return ErrNoTime
	}
	a.folds++
	a.points = a.points[:min(len(a.points), len(points))]
	if a.sums == nil {
		a.sums, a.squares = make([][]float64, len(a.grid)), make([]float64, len(a.grid))
	}
	for i, p := range points[:len(a.points)] {
		first := a.sums[i] == nil
		if first {
			a.sums[i] = make([]float64, len(p.Scores))
		}
		for k, s := range p.Scores {
			a.sums[i][k] += s.Value
		}
		a.squares[i] += p.Scores.First() * p.Scores.First()
		kept := &a.points[i]
		iterations, spent := kept.Iterations+p.Iterations, kept.Time+p.Time
		if first || kept.Status == solver.Converged || p.Status != solver.Converged && p.Gap() > kept.Gap() {
			p.Lambda = a.grid[i]
			*kept = p
		}
		kept.Iterations, kept.Time = iterations, spent
	}
	return nil
}

// mean is these points with the mean scores, and the standard error of the first.
func (a *average) mean() []Point {
	n := float64(a.folds)
	for i := range a.points {
		p := &a.points[i]
		means := make(Scores, len(p.Scores))
		for k, s := range p.Scores {
			means[k] = Score{s.Name, a.sums[i][k] / n}
		}
		p.Scores = means
		p.StdErr = math.Sqrt(math.Max(0, a.squares[i]/n-means[0].Value*means[0].Value) / (n - 1))
	}
	return a.points
}
