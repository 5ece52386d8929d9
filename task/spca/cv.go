package spca

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// usualFolds is the number of folds where none is given.
const usualFolds = 5

// CrossValidate is the path of the whole with what its components explain of rows that were held out: the mean over folds of
// ‖(X - mean)Q‖²/‖X - mean‖² for an orthonormal basis Q of the loadings that the other rows have. Points without a row of every
// fold are left out. It needs features. Where ctx ends it returns the points of which every fold is done, and an error that wraps
// ctx.Err(); none is nil.
func (p *Prepared) CrossValidate(ctx context.Context, g Grid, folds int, tell func(fold int, p *Point)) ([]Point, error) {
	t := p.task
	if folds == 0 {
		folds = usualFolds
	}
	switch {
	case t.Features == nil:
		return nil, fmt.Errorf("%s: a covariance has no rows to hold out; give the data as features", t.Name)
	case folds < 2 || folds > t.Features.Rows:
		return nil, fmt.Errorf("%s: has %d rows, which do not make %d folds", t.Name, t.Features.Rows, folds)
	}
	lambdas, err := p.lambdas(g)
	if err != nil {
		return nil, err
	}
	whole, cut := p.along(ctx, lambdas, nil)
	if whole == nil {
		return nil, cut
	}
	sums, squares := make([]float64, len(whole)), make([]float64, len(whole))
	order := rand.New(rand.NewPCG(p.opt.Run.Seed, 0)).Perm(t.Features.Rows)
	for k := range folds {
		points, held, err := p.fold(ctx, order, k, folds, lambdas[:len(whole)], tell)
		if err != nil && ctx.Err() == nil {
			return nil, err
		}
		if cut == nil {
			cut = err
		}
		for i := range points {
			sums[i] += held[i]
			squares[i] += held[i] * held[i]
			whole[i].Held++
		}
	}
	all := scored(whole, sums, squares, folds)
	switch {
	case all == nil && cut != nil:
		return nil, fmt.Errorf("spca: the time was over before every fold had solved for one λ: %w", cut)
	case all == nil:
		return nil, errors.New("spca: no fold has solved for one λ")
	}
	return all, cut
}

// scored keeps the points that every fold has solved for, nil of none.
func scored(whole []Point, sums, squares []float64, folds int) []Point {
	n := 0
	for n < len(whole) && whole[n].Held == folds {
		mean := sums[n] / float64(folds)
		whole[n].Explained = mean
		whole[n].StdErr = math.Sqrt(math.Max(squares[n]/float64(folds)-mean*mean, 0) / float64(folds-1))
		n++
	}
	if n == 0 {
		return nil
	}
	return whole[:n]
}

// fold is the path of all rows but those of a fold, and what its points explain of these.
func (p *Prepared) fold(ctx context.Context, order []int, k, folds int, lambdas []float64,
	tell func(int, *Point)) (points []Point, held []float64, err error) {
	var train, out []int32
	for at, i := range order {
		if at%folds == k {
			out = append(out, int32(i))
		} else {
			train = append(train, int32(i))
		}
	}
	task := *p.task
	task.Features = p.task.Features.Subset(train)
	part, err := task.Prepare(p.opt)
	if err != nil {
		return nil, nil, fmt.Errorf("fold %d of the rows: %w", k+1, err)
	}
	apart := p.task.Features.Subset(out)
	points, err = part.along(ctx, lambdas, func(p *Point) {
		var loadings [][]float64
		for _, x := range p.Components {
			loadings = append(loadings, x.Loading)
		}
		p.Explained = part.c.(*featured).heldOut(apart, orthonormal(loadings))
		held = append(held, p.Explained)
		if tell != nil {
			tell(k, p)
		}
	})
	return points, held, err
}

// Best is the point that explains the most of what was held out.
func Best(points []Point) int {
	best := 0
	for i, p := range points {
		if p.Explained > points[best].Explained {
			best = i
		}
	}
	return best
}

// Sparsest is the first point, of the largest λ, within one standard error of the best.
func Sparsest(points []Point) int {
	best := points[Best(points)]
	for i, p := range points {
		if p.Explained >= best.Explained-best.StdErr {
			return i
		}
	}
	return len(points) - 1
}
