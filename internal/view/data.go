package view

import (
	"reflect"

	"github.com/seed-b18ef778/gcg"
)

// DataKey is what of a problem stays along a path of penalties. What an improver keeps from one call to the next serves while
// it is the same. It is copied out of the problem, which its owner may change.
type DataKey struct {
	operator  gcg.Operator
	loss      gcg.Loss
	intercept bool
}

// KeyOf is the data of a problem.
func KeyOf(p *gcg.Problem) DataKey { return DataKey{p.Operator, p.Loss, p.Intercept} }

// Of says that they are the problem's.
func (d DataKey) Of(p *gcg.Problem) bool {
	return Same(d.operator, p.Operator) && Same(d.loss, p.Loss) && d.intercept == p.Intercept
}

// Same reports whether two interfaces hold the same value. Values of a type that Go does not compare, such as a loss that is
// a struct with a slice, never are.
func Same(a, b any) bool {
	return reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.ValueOf(a).Comparable() && a == b
}
