package dataset

import "math"

// A narrowing makes values float32, and measures what that costs: the mean square of the rounding beside the variance of the values.
type narrowing struct {
	n, mean, squares, errors, largest float64
}

// of is x in float32.
func (t *narrowing) of(x float64) float32 {
	t.n++
	d := x - t.mean
	t.mean += d / t.n
	t.squares += d * (x - t.mean)
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
	spread := math.Sqrt(t.squares / t.n)
	if spread == 0 {
		spread = t.largest
	}
	return (math.Sqrt(t.errors/t.n) + finest) / spread
}
