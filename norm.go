package gcg

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// Norm is ‖x‖₂, safe from overflow and underflow.
func Norm(x []float64) float64 {
	var s float64
	for _, v := range x {
		s += v * v
	}
	if linalg.SquareInRange(s) {
		return math.Sqrt(s)
	}
	scale := linalg.MaxAbs(x)
	if scale == 0 || math.IsInf(scale, 0) {
		return scale
	}
	s = 0
	for _, v := range x {
		s += (v / scale) * (v / scale)
	}
	return scale * math.Sqrt(s)
}
