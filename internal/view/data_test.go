package view_test

import (
	"testing"

	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// Values with slices are the same while the slices are the same memory.
func TestSame(t *testing.T) {
	w, index := []float64{1, 2}, [][]int32{{0}, {1}}
	for _, c := range []struct {
		a, b any
		same bool
	}{
		{gauge.L1{}, gauge.L1{}, true},
		{gauge.L1{Weights: w}, gauge.L1{Weights: w}, true},
		{gauge.L1{Weights: w}, gauge.L1{Weights: []float64{1, 2}}, false},
		{gauge.L1{Weights: w}, gauge.L1{Weights: w[:1]}, false},
		{gauge.L1{}, gauge.PositiveL1{}, false},
		{gauge.Group{Index: index}, gauge.Group{Index: index}, true},
		{gauge.Group{Index: index}, gauge.Group{Index: index, BySize: true}, false},
		{&gauge.L1{}, &gauge.L1{Weights: w}, false},
		{func() {}, func() {}, false},
		{nil, nil, true},
		{nil, gauge.L1{}, false},
	} {
		if got := view.Same(c.a, c.b); got != c.same {
			t.Errorf("%#v and %#v: %v", c.a, c.b, got)
		}
	}
}
