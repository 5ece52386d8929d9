package hessian

import (
	"github.com/seed-b18ef778/gcg"
)

// A DiagonalOperator sums squares over the observations.
type DiagonalOperator interface {
	gcg.Operator
	DiagonalTo(du, dv, u2, v2 *gcg.Factor)
}
