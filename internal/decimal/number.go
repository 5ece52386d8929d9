package decimal

import (
	"math"
	"strconv"
)

// Number is a prediction in text: with six decimals at most, and of what is below 1 with six digits.
func Number(x float64) string {
	if x == 0 {
		return "0" // and not -0
	}
	if math.Abs(x) >= 1 {
		return strconv.FormatFloat(math.Round(x*1e6)/1e6, 'g', -1, 64)
	}
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 5, 64), 64)
	return strconv.FormatFloat(y, 'g', -1, 64)
}
