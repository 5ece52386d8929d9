// Package decimal writes numbers for people to read.
package decimal

import (
	"math"
	"strconv"
)

// Decimals is a score for people to read: four decimals, or four digits where |x| < 0.001 or |x| ≥ 10⁹.
func Decimals(x float64) string { return Fixed(x, 4) }

// Fixed is x with so many decimals, or with four digits where |x| < 0.001 or |x| ≥ 10⁹.
func Fixed(x float64, places int) string {
	if size := math.Abs(x); size >= 0.001 && size < 1e9 || x == 0 {
		return strconv.FormatFloat(x, 'f', places, 64)
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}
