package metric

import (
	"math"
	"strconv"
)

// Decimals is a score for people: with four decimals; what is below a thousandth has four digits, and so has what is from 10⁹ on.
func Decimals(x float64) string { return Fixed(x, 4) }

// Fixed has so many decimals, but four digits of what is below a thousandth or not below 10⁹.
func Fixed(x float64, places int) string {
	if size := math.Abs(x); size >= 0.001 && size < 1e9 || x == 0 {
		return strconv.FormatFloat(x, 'f', places, 64)
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}
