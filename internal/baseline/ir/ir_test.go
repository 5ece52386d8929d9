package ir

import (
	"math"
	"testing"
)

// tr(WᵀD⁻¹W) + tr D is least at D = (WWᵀ)^½, and 2‖W‖_* there: [Dudik12 eq 8] has λ for λ/2. W and D are diagonal here.
func TestVariationalForm(t *testing.T) {
	w := []float64{3, 1, 0.5}
	value := func(by float64) (sum float64) {
		for _, s := range w {
			d := by * s
			sum += s*s/d + d
		}
		return sum
	}
	norm := w[0] + w[1] + w[2]
	if got := value(1); math.Abs(got-2*norm) > 1e-12 {
		t.Errorf("%v, ‖W‖_* is %v", got, norm)
	}
	for _, by := range []float64{0.5, 0.9, 1.1, 2} {
		if value(by) <= value(1) {
			t.Errorf("less at %v times that D", by)
		}
	}
}
