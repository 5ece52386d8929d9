package model

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// observedCurvature is the curvature of c times the squared loss, by two passes of the operator.
func observedCurvature[T gcg.Real](op hessian.DiagonalOperator, c float64, w *weights,
	to func(gu, gv, u, v, du, dv *gcg.FactorOf[T]), normal func(gx, x, v *gcg.FactorOf[T])) Curvature[T] {
	return Curvature[T]{To: to, Normal: normal,
		Diagonals: observedDiagonals(op, c),
		Sampled:   true,
		Weights:   func() (rows, columns *gcg.Factor) { return w.of(op, c) },
	}
}

// observedSquares are the diagonals of the second derivatives of c times the squared loss, for U and for V: sums of the
// observed squares of the other factor.
func observedSquares(op hessian.DiagonalOperator, u2, v2 *gcg.Factor, c float64) (du, dv *gcg.Factor) {
	du, dv = factor.Blank(u2), factor.Blank(v2)
	op.DiagonalTo(du, dv, u2, v2)
	if c != 1 {
		du.Scale(c)
		dv.Scale(c)
	}
	return du, dv
}

// observedDiagonals are these for factors P and Q of orthonormal columns.
func observedDiagonals(op hessian.DiagonalOperator, c float64) func(p, q *gcg.Factor) (da, db *gcg.Factor) {
	return func(p, q *gcg.Factor) (da, db *gcg.Factor) {
		u2, v2 := factor.SquaredEntries(p), factor.SquaredEntries(q)
		defer gcg.Repay(u2, v2)
		return observedSquares(op, u2, v2, c)
	}
}
