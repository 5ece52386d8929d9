package selection

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"
)

// chance, over the root of the number of observations, is how much of its error a candidate may owe to the part that it was
// measured on: about three standard deviations of the difference of two candidates, which was 0.003 of the error on parts of
// 8,000 ratings of MovieLens-100k.
const chance = 0.8

// chance is how much of the error chance may move between two solutions, 0 where it is not known what the error is a mean over.
func (f *Fitting) chance() float64 {
	if f.Held == 0 {
		return 0
	}
	return chance / math.Sqrt(float64(f.Held))
}

// level says that a candidate is as good as another, for all that the validation parts can tell on which both were measured.
func (r *Race) level(a, than int) bool {
	x, y := &r.Candidates[a], &r.Candidates[than]
	held := float64(r.entrants[than].held * y.Parts)
	if x.Parts < y.Parts || held == 0 {
		return a == than
	}
	least := y.Scores.First()
	return x.Scores.First() <= least+chance/math.Sqrt(held)*math.Abs(least)
}

// near says that a candidate is level with the winner.
func (r *Race) near(at int) bool { return r.level(at, r.winner) }

// tellApart refines the winner and what is near it, and measures those that still are near on one more validation part after
// another, until one is left or there are no more parts. The winner is that of the smallest mean.
func (r *Race) tellApart(ctx context.Context) error {
	order := []int{r.winner} // first: what it gains leaves fewer that are near
	for i := range r.Candidates {
		if i != r.winner {
			order = append(order, i)
		}
	}
	for _, i := range order {
		if r.near(i) && !r.over(ctx) {
			if err := r.refine(ctx, i); err != nil {
				return err
			}
		}
	}
	sums := map[int][]Point{}
	for k := 1; k < r.Parts; k++ {
		rivals := r.rivals()
		if rivals == nil || r.over(ctx) {
			return nil
		}
		for _, i := range rivals {
			if sums[i] == nil {
				sums[i] = r.around(i)
			}
			if done, err := r.measureOn(ctx, k, i, sums[i]); err != nil || !done {
				return err
			}
		}
		for _, i := range rivals {
			r.settleOn(i, k+1, sums[i])
		}
		if r.winner = rivals[0]; r.better(rivals[1], rivals[0]) {
			r.winner = rivals[1]
		}
	}
	return nil
}

// rivals are the winner and the next best candidate that is near it, in the order in which they were entered; nil where none is
// near. A third one would cost another path on each part, and could win little.
func (r *Race) rivals() []int {
	next := -1
	for i := range r.Candidates {
		if i != r.winner && r.near(i) && (next < 0 || r.Candidates[i].Scores.First() < r.Candidates[next].Scores.First()) {
			next = i
		}
	}
	if next < 0 {
		return nil
	}
	return []int{min(next, r.winner), max(next, r.winner)}
}

// along takes a path of a candidate, without part k, over some λ, which are those of the first part, until over, if it is not
// nil, says that it ends. Where time was over it has fewer points.
func (r *Race) along(ctx context.Context, at, k int, start Start, lambdas []float64,
	over func(*pathSearch) bool) (*pathSearch, error) {
	c, e := &r.Candidates[at], r.entrants[at]
	began := time.Now()
	defer func() { c.Time += time.Since(began) }()
	f, err := e.part(k)
	if err != nil {
		return nil, err
	}
	grid := make([]float64, len(lambdas))
	for i, lambda := range lambdas {
		grid[i] = lambda * f.share() / e.share
	}
	s := r.search(f, c.Name, grid)
	s.fold, s.start, s.over = k, start, func() bool { return over != nil && over(s) }
	if err := s.run(ctx); err != nil && !errors.Is(err, ErrInterrupted) {
		return nil, err
	}
	return s, nil
}

// refine takes a path over the λ of a candidate's usual grid beside its best one. Where the next λ is to be worth its time the
// smaller one is left out once the larger is better: the minimum is above the best one then. Of clicks of MovieLens-1M it took
// three tenths of the choice.
func (r *Race) refine(ctx context.Context, at int) error {
	c, e := &r.Candidates[at], r.entrants[at]
	between := beside(e.grid, c.Lambda*e.share)
	if e.late && len(between) > 1 && c.Curve.AtEnd() { // the path ended where the next λ was not worth its time
		if between = between[:1]; c.Curve.fallsOn() {
			between = beside(e.grid, c.Lambda*e.share)[1:]
		}
	}
	if len(between) == 0 {
		return nil
	}
	least := c.Scores.First()
	passed := func(s *pathSearch) bool { return s.fitting.Worth > 0 && s.least < least }
	s, err := r.along(ctx, at, 0, e.start, between, passed)
	if err != nil {
		return err
	}
	if s.best.W != nil && s.least < c.Scores.First() {
		e.start = s.best
	}
	c.Curve.Points = append(c.Curve.Points, (&Curve{Points: s.points}).Solved()...)
	slices.SortStableFunc(c.Curve.Points, func(a, b Point) int { return cmp.Compare(b.Lambda, a.Lambda) })
	r.settle(at)
	return nil
}

// fallsOn says that the parabola through the last three points, which are two of the grid apart, is least nearer to the λ that
// follows in the grid than to the last one.
func (c *Curve) fallsOn() bool {
	p := c.Solved()
	if len(p) < 3 {
		return false
	}
	p = p[len(p)-3:]
	gain, before := p[1].Scores.First()-p[2].Scores.First(), p[0].Scores.First()-p[1].Scores.First()
	return gain > 0 && (before <= gain || gain/(before-gain)-0.5 > 0.25)
}

// around are the points of a candidate beside its best one, and that: what other parts measure.
func (r *Race) around(at int) []Point {
	points := r.Candidates[at].Curve.Solved()
	best := smallest(points)
	around := slices.Clone(points[max(best-1, 0):min(best+2, len(points))])
	for i := range around {
		around[i].Scores = slices.Clone(around[i].Scores)
	}
	return around
}

// measureOn adds to the scores of points those without part k, on it. The path begins a λ before them: a start from another part
// would have seen what is held out here. It is not done where time was over before the last point.
func (r *Race) measureOn(ctx context.Context, k, at int, sum []Point) (done bool, err error) {
	var lambdas []float64
	for _, p := range sum {
		lambdas = append(lambdas, p.Lambda)
	}
	if len(lambdas) > 1 {
		lambdas = slices.Insert(lambdas, 0, lambdas[0]*lambdas[0]/lambdas[1])
	}
	s, err := r.along(ctx, at, k, Start{}, lambdas, nil)
	if err != nil {
		return false, err
	}
	points := (&Curve{Points: s.points}).Solved()
	if len(points) < len(lambdas) {
		return false, nil
	}
	for i, p := range points[len(points)-len(sum):] {
		for j := range p.Scores {
			sum[i].Scores[j].Value += p.Scores[j].Value
		}
	}
	return true, nil
}

// settleOn notes the λ of the smallest mean over so many parts.
func (r *Race) settleOn(at, parts int, sum []Point) {
	c, best := &r.Candidates[at], &sum[smallest(sum)]
	c.Lambda, c.Parts, c.Scores = best.Lambda/r.entrants[at].share, parts, slices.Clone(best.Scores)
	for j := range c.Scores {
		c.Scores[j].Value /= float64(parts)
	}
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
