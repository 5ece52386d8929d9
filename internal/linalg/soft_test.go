package linalg

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestSoft(t *testing.T) {
	for _, c := range [][3]float64{{3, 1, 2}, {-3, 1, -2}, {1, 1, 0}, {-0.5, 1, 0}, {0, 0, 0}, {2, 0, 2},
		{math.Inf(-1), 1, math.Inf(-1)}} {
		if y := Soft(c[0], c[1]); y != c[2] {
			t.Errorf("of %v by %v: %v", c[0], c[1], y)
		}
	}
	if !math.IsNaN(Soft(math.NaN(), 1)) {
		t.Error("NaN is lost")
	}
}

// What soft thresholds leave has the norm r, and nothing is taken off inside the ball.
func TestBallThreshold(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for n := range 40 {
		v := make([]float64, n+1)
		for i := range v {
			v[i] = rng.NormFloat64() * math.Pow(10, float64(rng.IntN(6)))
		}
		if n > 2 {
			v[n/2] = -v[0] // a tie
		}
		size := SumAbs(v)
		for _, part := range []float64{0, 1e-9, 0.1, 0.5, 0.999, 1, 2} {
			r := part * size
			tau := BallThreshold(v, r)
			var left float64
			for _, x := range v {
				left += math.Abs(Soft(x, tau))
			}
			if want := math.Min(r, size); tau < 0 || math.Abs(left-want) > 1e-12*size || part >= 1 && tau != 0 {
				t.Errorf("n = %d, %v of ‖v‖₁: τ = %v leaves %v of %v", n+1, part, tau, left, want)
			}
		}
	}
	if BallThreshold(nil, 1) != 0 || BallThreshold([]float64{0, 0}, 0) != 0 {
		t.Error("of nothing")
	}
}
