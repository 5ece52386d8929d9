package model

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// weights are Σⱼ ∇²L_ij of rows and Σᵢ ∇²L_ij of columns for c times the squared loss, a column each. They are computed
// once.
type weights struct{ rows, columns *gcg.Factor }

// of is the weights of rows (m×1) and of columns (n×1).
func (w *weights) of(op hessian.DiagonalOperator, c float64) (rows, columns *gcg.Factor) {
	if w.rows == nil {
		m, n, _ := op.Dims()
		w.rows, w.columns = observedSquares(op, factor.Ones(m), factor.Ones(n), c)
	}
	return w.rows, w.columns
}
