package cli

import (
	"errors"
)

// A Decimal is the decimal mark of a file of ratings; 0 is a point.
type Decimal byte

// Set takes a mark.
func (d *Decimal) Set(mark string) error {
	if mark != "." && mark != "," {
		return errors.New("the decimal mark is . or ,")
	}
	*d = Decimal(mark[0])
	return nil
}

// String is the mark.
func (d *Decimal) String() string {
	if *d == 0 {
		return "."
	}
	return string(rune(*d))
}

// Type is what the help calls it.
func (d *Decimal) Type() string { return "mark" }
