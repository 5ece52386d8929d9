package memory

import (
	"fmt"
	"math"
)

// Gigabytes is a size in memory, in words.
func Gigabytes(bytes float64) string {
	if bytes < 1e9 {
		return fmt.Sprintf("%.2f GB", bytes/1e9)
	}
	return fmt.Sprintf("%.1f GB", bytes/1e9)
}

// Grant is nil, or an error where so many bytes are more than the process may have: the system would end it with a stack trace,
// or without a word. All memory whose size follows from numbers in a file or in the options, and not from the size of the file,
// is asked for here first. what takes it is the beginning of the error.
func Grant(what string, bytes float64) error {
	have := Available()
	if have == 0 {
		have = anyMachine
	}
	if bytes <= have && !math.IsNaN(bytes) {
		return nil
	}
	return fmt.Errorf("%s take %s, and there are %s: take fewer rows or columns, or more memory", what, Gigabytes(bytes),
		Gigabytes(have))
}

// anyMachine is what is granted where nothing says what there is.
const anyMachine = 1e14

// GrantMatrix is Grant of dense matrices of float64, so many of this shape.
func GrantMatrix(name string, many, rows, cols int) error {
	of := "its entries, all written out,"
	if many > 1 {
		of = fmt.Sprintf("%d matrices of this size", many)
	}
	return Grant(fmt.Sprintf("%s: is %d × %d; %s", name, rows, cols, of), 8*float64(many)*float64(rows)*float64(cols))
}
