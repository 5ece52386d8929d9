package linalg

import "slices"

// Median is the number in the middle, the mean of two where there are two, 0 of none. x is left as it is.
func Median(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	s := slices.Clone(x)
	slices.Sort(s)
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// UpperMedian is the number in the middle, the upper one of two, which is one of x; 0 of none. x is left as it is.
func UpperMedian(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	s := slices.Clone(x)
	slices.Sort(s)
	return s[len(s)/2]
}
