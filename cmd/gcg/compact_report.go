package main

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/solver"
)

// answer is that of ratings that only the problem knows: the training error is that of predictions without clipping.
func (c *compact) answer(_ *trial, r *solver.Result, res *result) *model.Model {
	s, q := c.setup, c.q
	m := c.model(s, r.State.W)
	c.complete(m, s, res.lambda(), r)
	res.N = q.Entries()
	c.describe(res)
	if floor := q.Floor(); c.f.tol < floor {
		res.warn(fmt.Sprintf("ratings in float32 allow no certified gap far below %.1g; --tol %v asks for it", floor, c.f.tol))
	}
	if c.test != nil {
		t := evaluate(m, c.test, s.lo, s.hi)
		res.Test = t
		t.note(res)
		return m
	}
	rr, _ := q.Sums()
	rmse := math.Sqrt(rr / q.Scale() / float64(q.Entries()))
	res.TrainRMSE = &rmse
	res.note("training", "RMSE %.4f", rmse)
	return m
}
