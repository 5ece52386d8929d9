package solver

import (
	"reflect"

	"github.com/seed-b18ef778/gcg"
)

// data is what of a problem stays along a path of penalties. What an improver keeps from one call to the next serves while it is the same. It is
// copied out of the problem, which its owner may change.
type data struct {
	operator  gcg.Operator
	loss      gcg.Loss
	intercept bool
}

func dataOf(p *gcg.Problem) data { return data{p.Operator, p.Loss, p.Intercept} }

// of says that they are the problem's.
func (d data) of(p *gcg.Problem) bool {
	return same(d.operator, p.Operator) && same(d.loss, p.Loss) && d.intercept == p.Intercept
}

// same reports whether two interfaces hold the same value. Values of a type that Go does not compare, such as a loss that is
// a struct with a slice, never are.
func same(a, b any) bool {
	return reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.ValueOf(a).Comparable() && a == b
}
