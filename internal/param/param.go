// Package param is for errors of the library that name a field of the caller's. A program in Go reads the name of the field, and
// the command puts its flag in the place of it.
package param

import (
	"errors"
	"fmt"
	"strings"
)

// A Name is a field of Go that errors name.
type Name string

// The fields that errors name: of readers, of tasks and their options, and of the runs of a solver.
const (
	Columns     Name = "Columns"
	Decimal     Name = "Decimal"
	Narrow      Name = "Narrow"
	Query       Name = "query"
	Target      Name = "target"
	Rows        Name = "Rows"
	UnitNorm    Name = "UnitNorm"
	Lambda      Name = "Lambda"
	LambdaRatio Name = "LambdaRatio"
	Warm        Name = "Warm"
	Resume      Name = "Resume"
)

// Names are all of them.
var Names = []Name{Columns, Decimal, Narrow, Query, Target, Rows, UnitNorm, Lambda, LambdaRatio, Warm, Resume}

// named is an error whose arguments have Names among them.
type named struct {
	error
	place, format string
	args          []any
}

func (e *named) Unwrap() error { return e.error }

// Errorf is fmt.Errorf of arguments some of which are Names.
func Errorf(format string, args ...any) error {
	return &named{fmt.Errorf(format, args...), "", format, args}
}

// At is Errorf behind a place, as "file:3: ".
func At(place, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &named{fmt.Errorf("%s%w", place, err), place, format, args}
}

// in is the error with its names as call has them.
func (e *named) in(call func(Name) string) string {
	args := make([]any, len(e.args))
	for i, arg := range e.args {
		if name, is := arg.(Name); is {
			arg = call(name)
		}
		args[i] = arg
	}
	return e.place + fmt.Errorf(e.format, args...).Error()
}

// Text is an error, and what it wraps, with all names as call has them.
func Text(err error, call func(Name) string) string {
	text := err.Error()
	each(err, func(e *named) { text = strings.Replace(text, e.Error(), e.in(call), 1) })
	return text
}

// each visits the errors with names in a tree of errors.
func each(err error, visit func(*named)) {
	if e, is := err.(*named); is {
		visit(e)
	}
	switch e := err.(type) {
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			each(one, visit)
		}
	default:
		if one := errors.Unwrap(err); one != nil {
			each(one, visit)
		}
	}
}
