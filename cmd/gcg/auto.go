package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/solver"
)

// A pathPoint is one λ of a path.
type pathPoint struct {
	Lambda      float64  `json:"lambda"`
	Objective   float64  `json:"objective"`
	LowerBound  float64  `json:"lower_bound"`
	RelativeGap float64  `json:"relative_gap"`
	Gauge       float64  `json:"gauge"`
	Rank        int      `json:"rank"`
	Iterations  int      `json:"iterations"`
	Seconds     float64  `json:"seconds"`
	Status      string   `json:"status"`
	RMSE        *float64 `json:"rmse,omitempty"`
	StdErr      *float64 `json:"standard_error,omitempty"`
}

var errInterrupted = errors.New("interrupted before anything was found")

// pathOn runs a path on some ratings and measures every point on others (nil for none). It stops early when the error has
// risen for three points, if patient is false.
func (c *completion) pathOn(ctx context.Context, train *dataset.Sparse, held *dataset.Ratings, lambdas []float64, tol float64, patient bool,
	progress func(pathPoint)) ([]pathPoint, error) {
	s, err := c.setup(train)
	if err != nil {
		return nil, err
	}
	if lambdas == nil {
		if lambdas, err = c.grid(ctx, s); err != nil || lambdas == nil {
			return nil, err
		}
	}
	var points []pathPoint
	_, im := c.f.methodOf()
	opt := c.options(im)
	opt.Tol = tol
	rose, best := 0, math.Inf(1)
	err = solver.Path(ctx, s.problem, func() solver.Method { m, _ := c.f.methodOf(); return m }, opt, lambdas, c.f.penaltyOf,
		func(lambda float64, r *solver.Result) bool {
			if r.Status == solver.Interrupted { // half a point has no bound
				return false
			}
			cert := r.State.Cert
			p := pathPoint{Lambda: lambda, Objective: cert.Objective, LowerBound: cert.LowerBound, RelativeGap: cert.Relative,
				Gauge: r.State.Rho, Rank: r.State.W.Rank(), Iterations: r.Iter, Seconds: r.Elapsed.Seconds(), Status: string(r.Status)}
			if held != nil {
				e := evaluate(c.model(s, r.State.W), held, s.lo, s.hi).RMSE
				p.RMSE = &e
				if rose++; e < best {
					rose, best = 0, e
					c.found = r.State.W
				}
			}
			points = append(points, p)
			progress(p)
			return patient || rose < 3
		})
	if errors.Is(err, context.Canceled) && len(points) > 0 { // what was found is kept
		err = nil
	}
	return points, err
}

// grid is λ₀ = κ°(-∇ℓ(0)) downwards; nil where every λ gives W = 0.
func (c *completion) grid(ctx context.Context, s *setup) ([]float64, error) {
	p := *s.problem
	p.Penalty = c.f.penaltyOf(1)
	top, err := solver.MaxLambda(ctx, &p)
	if err != nil || top == 0 {
		return nil, err
	}
	points, ratio := c.f.points, c.f.ratio
	if points == 0 {
		points, ratio = 20, 0.01
	}
	if c.f.penalty == "square" { // λρ takes the place of λ: the grid only has to cover the range
		top /= math.Max(1, math.Sqrt(float64(s.data.M)*float64(s.data.N)))
	}
	return solver.Grid(top, ratio, points)
}

// validationFraction of the training ratings chooses λ where no validation file is given.
const validationFraction = 0.1

// chooseLambda is the λ of the smallest validation error, scaled to the full training ratings where the loss is a sum.
func (c *completion) chooseLambda(ctx context.Context, say func(string)) (float64, error) {
	train, held, scale := c.data, c.valid, 1.0
	if held == nil {
		fit, rest, err := dataset.Split{Fraction: 1 - validationFraction, Seed: c.f.seed}.Parts(c.train)
		if err != nil {
			return 0, fmt.Errorf("%s: has too few ratings to choose λ by validation; give one with --lambda", c.train.Name)
		}
		held = c.train.Subset(rest)
		if train, err = c.train.Subset(fit).Compress(c.f.duplicatesRule()); err != nil {
			return 0, err
		}
		if c.f.normalize == "sum" {
			scale = float64(len(c.data.Values)) / float64(len(train.Values))
		}
	}
	points, err := c.pathOn(ctx, train, held, nil, math.Max(c.f.tol, 1e-2), false, func(p pathPoint) {
		say(fmt.Sprintf("λ %.4g  rank %d  validation RMSE %.4f", p.Lambda, p.Rank, *p.RMSE))
	})
	if err != nil {
		return 0, err
	}
	if len(points) == 0 && ctx.Err() != nil {
		return 0, errInterrupted
	}
	if len(points) == 0 { // all ratings are at the centre
		return 1, nil
	}
	best := points[0]
	for _, p := range points {
		if *p.RMSE < *best.RMSE {
			best = p
		}
	}
	return best.Lambda * scale, nil
}
