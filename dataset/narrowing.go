package dataset

import "math"

// A narrowing makes values float32, and measures what that costs: the mean square of the rounding beside the variance of the values.
type narrowing struct {
	n, first        float64 // how many, and the first of them
	sum, squares    float64 // of the distances from it
	errors, largest float64
}

// of is x in float32.
func (t *narrowing) of(x float64) float32 {
	if t.n == 0 {
		t.first = x
	}
	t.n++
	d := x - t.first
	t.sum += d
	t.squares += d * d
	t.largest = math.Max(t.largest, math.Abs(x))
	narrow := float32(x)
	lost := x - float64(narrow)
	t.errors += lost * lost
	return narrow
}

// finest is half of the last place of the smallest numbers of float32, which differences of exact values are rounded by, too.
const finest = 0x1p-150

// relative is the root mean square of the rounding over the standard deviation of the values; where all are equal, over their size.
func (t *narrowing) relative() float64 {
	if t.largest == 0 {
		return 0
	}
	mean := t.sum / t.n
	spread := math.Sqrt(math.Max(0, t.squares/t.n-mean*mean))
	if spread == 0 {
		spread = t.largest
	}
	return (math.Sqrt(t.errors/t.n) + finest) / spread
}
