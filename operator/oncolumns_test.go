package operator_test

import (
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/operator"
)

// An operator on some columns conforms, sees nothing of the others, and refuses those that W has not.
func TestOnColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	x := make([]float64, 9*4)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	features, err := operator.DenseFeatures(9, 4, x)
	if err != nil {
		t.Fatal(err)
	}
	design, err := operator.NewDesign(features, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []int{0, 2, 4} {
		op, err := operator.OnColumns(design, from, 7)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range conform.Operator(op, rng) {
			if !c.OK() {
				t.Errorf("from %d: %v", from, c)
			}
		}
		stack, err := operator.Stack(op, op)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range conform.Operator(stack, rng) {
			if !c.OK() {
				t.Errorf("stack from %d: %v", from, c)
			}
		}
	}
	for _, from := range []int{-1, 5} {
		if _, err := operator.OnColumns(design, from, 7); err == nil {
			t.Errorf("three of seven columns from %d on are taken", from)
		}
	}
}
