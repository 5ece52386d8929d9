package loss_test

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg/loss"
)

// Least absolute deviations, smoothed: what the smooth loss says, and what it can be wrong by.
func ExampleSmoothed() {
	l := &loss.Smoothed{Loss: &loss.Absolute{Y: []float64{1, 2, 10}}, Mu: 0.1, Mean: true}
	z := []float64{1, 2.05, 3}
	fmt.Printf("%.4f smoothed, %.4f itself, at most %.4f apart\n", l.Eval(0, z, nil), l.Unsmoothed().Eval(0, z, nil),
		l.SmoothingError())
	// Output: 2.3208 smoothed, 2.3500 itself, at most 0.0500 apart
}

// What is wrong with the data is said in one line, with observations counted from 1.
func ExampleSoftmax_Check() {
	fmt.Println((&loss.Softmax{Labels: []int32{0, 2, 3}, Classes: 3}).Check())
	fmt.Println((&loss.Huber{Y: []float64{1, math.NaN()}, Mu: 1}).Check())
	// Output:
	// loss: the label of observation 3 is 3; it must be in 0 … 2
	// loss: the target of observation 2 is NaN; it must be a finite number
}
