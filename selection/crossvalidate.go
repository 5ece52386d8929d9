package selection

import (
	"context"
	"math"
	"time"

	"github.com/seed-b18ef778/gcg/solver"
)

// CrossValidate averages the errors of folds on one grid of λ, that of the whole problem; where the loss is a sum, each fold's λ
// is scaled by its share of the observations. Every fold has the same part of the time. The curve has the λ that all folds
// solved; it is cut short by an interrupt after two folds at least, and by time after one λ at least. Errors are ErrNothing,
// ErrInterrupted, ErrFewFolds, ErrNoTime, those of the source and of the solver.
func CrossValidate(ctx context.Context, src Source, opt Options) (*Curve, error) {
	opt = opt.filled()
	c := clock{opt.Run.MaxTime, time.Now()}
	whole, err := src.Whole()
	if err != nil {
		return nil, err
	}
	grid, err := opt.grid(ctx, whole.Problem)
	if err != nil {
		return nil, err
	}
	a := &average{grid: grid, points: make([]Point, len(grid))}
	for k := 0; k < opt.Folds && ctx.Err() == nil; k++ {
		if err := a.fold(ctx, src, k, &opt, c.left(1/float64(opt.Folds-k))); err != nil {
			return nil, err
		}
	}
	if a.folds < 2 {
		return nil, ErrFewFolds
	}
	curve := &Curve{Grid: grid, Points: a.mean(), Folds: a.folds}
	switch {
	case a.folds < opt.Folds:
		curve.CutShort = solver.Interrupted
	case a.late:
		curve.CutShort = solver.MaxTime
	}
	return curve, nil
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
func (a *average) fold(ctx context.Context, src Source, k int, opt *Options, limit time.Duration) error {
	f, err := src.Fold(k, opt.Folds)
	if err != nil {
		return err
	}
	s := &pathSearch{opt: opt, fitting: f, fold: k, grid: scaled(a.grid, f.share()), tol: opt.Run.Tol, limit: limit}
	switch err := s.run(ctx); {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return err
	}
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
