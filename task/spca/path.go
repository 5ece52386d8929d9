package spca

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/solver"
)

// A Point is the components at one λ of a path.
type Point struct {
	Lambda     float64
	Components []Component
	// Explained is the part of the variance that the refitted loadings explain: of C in a path, and of rows that were held out in
	// a cross-validation, where StdErr is its standard error over the folds.
	Explained, StdErr float64
	Held              int // folds that Explained is the mean of, 0 in a path
}

// A Grid is the λ of a path, from the largest C_ii downwards.
type Grid struct {
	Points int     // 0 means 20
	Ratio  float64 // of the last λ to the first; 0 means 0.02
}

const (
	usualPoints = 20
	usualRatio  = 0.02
)

// lambdas are the λ of a grid, below the largest C_ii, at which one variable is left, by equal quotients.
func (p *Prepared) lambdas(g Grid) ([]float64, error) {
	if g.Points == 0 {
		g.Points = usualPoints
	}
	if g.Ratio == 0 {
		g.Ratio = usualRatio
	}
	if g.Points < 1 || !(g.Ratio > 0 && g.Ratio < 1) {
		return nil, errors.New("spca: a path has one point or more, and a ratio between 0 and 1")
	}
	if err := p.checkVaries(); err != nil {
		return nil, err
	}
	top := slices.Max(p.c.diagonal())
	last := math.Max(g.Ratio, leastLambda(p.c)/top)
	all := make([]float64, g.Points)
	for i := range all {
		all[i] = top * math.Pow(last, float64(i+1)/float64(g.Points))
	}
	return all, nil
}

// Path solves for each λ of a grid, from the X of the one before; tell, which may be nil, hears of each. Where ctx ends it
// returns the points so far, and an error that wraps ctx.Err(); none is nil.
func (p *Prepared) Path(ctx context.Context, g Grid, tell func(*Point)) ([]Point, error) {
	lambdas, err := p.lambdas(g)
	if err != nil {
		return nil, err
	}
	return p.along(ctx, lambdas, tell)
}

// along solves for each of some λ.
func (p *Prepared) along(ctx context.Context, lambdas []float64, tell func(*Point)) (all []Point, err error) {
	total := sum(p.c.diagonal())
	var near []Component
	for _, lambda := range lambdas {
		at := Point{Lambda: lambda}
		left := p.c
		for k := range max(p.task.Components, 1) {
			if k > 0 {
				left = deflate(left, at.Components[k-1].Loading)
			}
			if slices.Max(left.diagonal()) <= negligibleVariance*total {
				break
			}
			var from *Component
			if k < len(near) {
				from = &near[k]
			}
			x, err := p.solve(ctx, left, lambda, from, p.quiet())
			if err != nil && ctx.Err() != nil && len(all) > 0 {
				return all, p.cutPath(ctx, all, len(lambdas))
			}
			if err != nil {
				return nil, err
			}
			at.Components = append(at.Components, *x)
		}
		p.explain(at.Components)
		for _, x := range at.Components {
			at.Explained += x.Adjusted / total
		}
		near = at.Components
		if all = append(all, at); tell != nil {
			tell(&at)
		}
		if ctx.Err() != nil {
			return all, p.cutPath(ctx, all, len(lambdas))
		}
	}
	return all, nil
}

// cutPath is the error beside the points of a path before ctx ended, or nil where that was all of it.
func (p *Prepared) cutPath(ctx context.Context, all []Point, points int) error {
	last := all[len(all)-1].Components
	if len(all) == points && last[len(last)-1].Result.Status != solver.Interrupted {
		return nil
	}
	return fmt.Errorf("%s: interrupted at λ %d of %d: %w", p.task.Name, len(all), points, ctx.Err())
}

// heldOut is the part of the squares of rows, less the means that the task was fitted with, that a basis of loadings explains.
func (f *featured) heldOut(x *dataset.Matrix, basis [][]float64) float64 {
	var explained, total float64
	row := make([]float64, x.Cols)
	other := &featured{x: x}
	for i := range x.Rows {
		for j := range row {
			row[j] = -f.mean[j] / f.scale[j]
		}
		other.inRow(i, func(j int, v float64) { row[j] += v / f.scale[j] })
		total += kernel.SumSq(row)
		for _, q := range basis {
			s := kernel.Dot(q, row)
			explained += s * s
		}
	}
	if total == 0 {
		return 0
	}
	return explained / total
}
