package linalg

// SquareInRange reports whether a sum of squares has lost nothing: none of the squares left the range of float64. Then a Gram
// matrix, whose entries are products of two such numbers, has lost nothing either. It is false for NaN.
func SquareInRange(sum float64) bool { return sum > 1e-280 && sum < 1e280 }
