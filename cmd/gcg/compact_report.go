package main

import (
	"fmt"
	"io"
	"math"

	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
)

// reportCompact is report for ratings that only the problem knows: the training error is that of predictions without clipping.
func (c *completion) reportCompact(out io.Writer, s *setup, q *operator.Squares[float32], r *solver.Result, lambda float64) error {
	m := c.model(s, r.State.W)
	c.complete(m, s, lambda, r)
	res := newResult(c, s, r, lambda, false)
	if floor := q.Floor(); c.f.tol < floor {
		res.Warnings = append(res.Warnings, fmt.Sprintf("ratings in float32 allow no certified gap far below %.1g; --tol %v asks for it", floor, c.f.tol))
	}
	if c.test != nil {
		res.Test = evaluate(m, c.test, s.lo, s.hi)
	} else {
		rr, _ := q.Sums()
		rmse := math.Sqrt(rr / q.Scale() / float64(q.Entries()))
		res.TrainRMSE = &rmse
	}
	if c.f.model != "" {
		if err := saveModel(c.f.model, m); err != nil {
			return err
		}
	}
	res.finishMemory()
	if c.f.json {
		return res.printJSON(out)
	}
	res.print(out)
	if c.f.model != "" {
		fmt.Fprintf(out, "model        %s\n", c.f.model)
	}
	return c.traceErr
}
