package view

import "github.com/seed-b18ef778/gcg"

// A CellOperator observes entries of W, each of one: see operator.Sampling.Cells.
type CellOperator interface {
	gcg.Operator
	// Cells says which, by rows: those of row i are ptr[i] … ptr[i+1]-1, at the given columns; nil slices are all entries. It
	// reports false where they are scaled.
	Cells() (ptr []int64, cols []int32, ok bool)
}

// CellsOf asks an operator for it.
func CellsOf(op gcg.Operator) (CellOperator, bool) {
	c, ok := op.(CellOperator)
	return c, ok
}
