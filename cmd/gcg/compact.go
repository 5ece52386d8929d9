package main

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/selection"
)

// A compact is a completion with --float32: the ratings are kept in 12 bytes each, and everything else is factors.
type compact struct {
	*completion
	ratings *dataset.Compact
	q       *operator.Squares[float32]

	rounding float64 // of the ratings, over their standard deviation
}

// compact keeps the ratings in float32, and gives back what reading them took.
func (c *completion) compact() (study, error) {
	ratings, err := c.train.Compact(c.f.duplicatesRule())
	if err != nil {
		return nil, err
	}
	if ratings.Rounding > tooCoarse {
		return nil, fmt.Errorf("%s: --float32 rounds its ratings by %.2g of their standard deviation: fit without it, or shift and scale them to about -10 to 10",
			c.train.Name, ratings.Rounding)
	}
	c.data = &dataset.Sparse{M: ratings.M, N: ratings.N}
	thrifty(5)
	return &compact{completion: c, ratings: ratings, rounding: ratings.Rounding}, nil
}

// Ratings that float32 rounds by tooCoarse of their standard deviation make another problem; by coarse, one that is told of, as by the relative gap
// that is asked for: the optimum of the ratings themselves may be outside of such a bracket.
const (
	tooCoarse = 0.01
	coarse    = 1e-4
)

func (c *compact) release() {}

// whole may be asked for once: the ratings belong to the problem from then on.
func (c *compact) Whole() (*selection.Fitting, error) {
	c.base = compactBaselinesOn(c.ratings, c.test)
	s, q, err := c.compactSetup(c.ratings)
	if err != nil {
		return nil, err
	}
	c.setup, c.q, c.ratings = s, q, nil
	return c.trialOn(s, c.test, 1), nil
}

// compactSetup builds the problem; the ratings belong to it from then on.
func (c *completion) compactSetup(data *dataset.Compact) (*setup, *operator.Squares[float32], error) {
	s := &setup{data: c.data, centre: data.Centre(c.f.center), f: c.f, lo: math.Inf(1), hi: math.Inf(-1)}
	for _, x := range data.Values {
		s.lo, s.hi = math.Min(s.lo, float64(x)), math.Max(s.hi, float64(x))
	}
	data.SubtractInPlace(s.centre)
	q, err := operator.NewSquares(data.M, data.N, data.Ptr, data.Cols, data.Values, c.f.normalize == "mean")
	if err != nil {
		return nil, nil, err
	}
	if kind, alpha, _ := c.f.weighting(); kind != "none" {
		rows, cols := q.Counts()
		s.rowScale, s.colScale = weightScales(rows, kind, alpha, q.Entries()), weightScales(cols, kind, alpha, q.Entries())
		if q, err = q.Scaled(s.rowScale, s.colScale); err != nil {
			return nil, nil, err
		}
	}
	s.problem = &gcg.Problem{Operator: q, Loss: q, Gauge: gauge.Trace{}}
	return s, q, nil
}
