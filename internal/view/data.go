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

// Same reports whether two interfaces hold the same value. Slices are the same where they are the same memory, also as fields of
// a struct: what is kept of a gauge with weights serves while these are not replaced.
func Same(a, b any) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	if !x.IsValid() || !y.IsValid() {
		return x.IsValid() == y.IsValid()
	}
	return x.Type() == y.Type() && same(x, y)
}

// same is Same for two values of one type.
func same(x, y reflect.Value) bool {
	switch x.Kind() {
	case reflect.Slice:
		return x.Len() == y.Len() && x.UnsafePointer() == y.UnsafePointer()
	case reflect.Struct:
		for i := range x.NumField() {
			if !same(x.Field(i), y.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Interface:
		if x.IsNil() || y.IsNil() {
			return x.IsNil() == y.IsNil()
		}
		return x.Elem().Type() == y.Elem().Type() && same(x.Elem(), y.Elem())
	}
	return x.Comparable() && y.Comparable() && x.Equal(y)
}
