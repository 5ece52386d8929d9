package linalg

import "math"

// TautString finds the shortest string from 0 to the sum of y that stays within c of the partial sums of y. Its slopes are
// argmin over x of ½‖x-y‖² + c Σ|x_{i+1} - x_i| [Davies, Kovac 2001]. It calls piece for each straight piece, on from ≤ i < to:
// start and end say where the partial sum of y less the string is there, in units of c: -1, 0 or 1. With width, which may be
// nil, entry i stands for width[i] equal ones: the square is ½Σ width_i(x_i - y_i)². From where it is held, the string's slope is
// known to lie between lo and hi; where the tube leaves this cone, the string is held at the last place that bounds it. It takes
// O(n) steps where pieces are short beside what is looked ahead, and O(n²) at worst.
func TautString(y, width []float64, c float64, piece func(from, to int, slope, start, end float64)) {
	n := len(y)
	for from, start := 0, 0.0; from < n; {
		lo, hi := math.Inf(-1), math.Inf(1)
		atLo, atHi, next := from, from, 0.0
		sum, steps := c*start, 0.0 // of y from there on, less the height of the string
		to, end, slope := n, 0.0, 0.0
		for i := from; i < n; i++ {
			if width == nil {
				sum, steps = sum+y[i], float64(i+1-from)
			} else {
				sum, steps = sum+width[i]*y[i], steps+width[i]
			}
			below, above := sum-c, sum+c
			if i == n-1 {
				below, above = sum, sum
			}
			if below/steps > hi {
				to, end, slope = atHi, -1, hi
				break
			}
			if above/steps < lo {
				to, end, slope = atLo, 1, lo
				break
			}
			if x := below / steps; x >= lo {
				lo, atLo = x, i+1
			}
			if x := above / steps; x <= hi {
				hi, atHi = x, i+1
			}
			next = sum / steps
		}
		if to == n {
			slope = next
		}
		piece(from, to, slope, start, end)
		from, start = to, end
	}
}
