package linalg

// SquareInRange says that a sum of squares has lost nothing: none of them left the range of float64, in which a Gram matrix, whose entries are
// products of two such numbers, stays too. It is false of NaN.
func SquareInRange(sum float64) bool { return sum > 1e-280 && sum < 1e280 }
