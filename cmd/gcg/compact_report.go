package main

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
)

// answer is that of ratings that only the problem knows.
func (c *compact) answer(_ *selection.Fitting, r *solver.Result, res *result) *model.Model {
	s, q := c.setup, c.q
	m := c.model(s, r.State.W)
	c.complete(m, s, res.lambda(), r)
	res.N = q.Entries()
	c.describe(res)
	if c.rounding > math.Min(coarse, c.f.tol) {
		res.warn(fmt.Sprintf("--float32 rounds the ratings by %.2g of their standard deviation, and the objective and its bound are of the rounded ones; without it they are exact", c.rounding))
	}
	if floor := q.Floor(); c.f.tol < floor {
		res.warn(fmt.Sprintf("ratings in float32 allow no certified gap far below %.1g; --tol %v asks for it", floor, c.f.tol))
	}
	if c.test != nil {
		t := evaluate(m, c.test, s.lo, s.hi)
		res.Test = t
		t.note(res)
		c.compare(res, s, t.RMSE)
		return m
	}
	rmse := c.trainingError(m)
	res.TrainRMSE = &rmse
	res.note("training", "RMSE %s", decimals(rmse))
	c.compare(res, s, rmse)
	return m
}

// trainingError is that of completion, at the residual of the problem.
func (c *compact) trainingError(m *model.Model) float64 {
	var e metric.Errors
	c.q.Residuals(func(i, j int, y, r float64) {
		centre := c.setup.centre.At(i, j)
		predicted := y - r + centre
		if m.Clip {
			predicted = math.Max(m.Lo, math.Min(m.Hi, predicted))
		}
		e.Add(predicted, y+centre)
	})
	return e.RMSE()
}
