package loss_test

import (
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg/loss"
)

// What a loss says of its conjugate at many scales is its conjugate at each of them, up to the end of the domain.
func TestConjugateAlong(t *testing.T) {
	const n = 12
	rng := testRand(77)
	y, omega := normals(rng, n, 1), make([]float64, n)
	for i := range omega {
		omega[i] = float64(i % 3)
	}
	type along interface {
		Conjugate(lo int, r []float64, s float64) float64
		ConjugateAlong(lo int, r []float64) func(s float64) float64
	}
	for name, l := range map[string]along{
		"squared":         &loss.Squared{Y: y, Mean: true},
		"weights":         &loss.Squared{Y: y, Omega: omega},
		"ℓ1":              &loss.Smoothed{Loss: &loss.L1Norm{N: n, Lambda: 0.7}},
		"groups":          &loss.MoreauEnvelope{Penalty: &loss.GroupNorm{N: n, Size: 4, Lambda: 0.7}, Beta: 0.3},
		"largest":         &loss.Smoothed{Loss: &loss.MaxNorm{N: n, Size: 6, Lambda: 0.7}, Mu: 0.1},
		"total variation": &loss.Smoothed{Loss: &loss.TotalVariation{N: n, Size: 6, Lambda: 0.7}},
		"absolute":        &loss.Smoothed{Loss: &loss.Absolute{Y: y}, Mu: 0.5},
		"weighted norm":   &loss.Smoothed{Loss: &loss.L1Norm{N: n, Lambda: 0.7}, Omega: omega},
	} {
		r := normals(rng, n, 0.3)
		for i := range r {
			if i%6 == 5 { // whole sums of 0, as the total variation has them
				r[i] = 0
				for _, x := range r[i-5 : i] {
					r[i] -= x
				}
			}
		}
		if name == "weights" || name == "weighted norm" {
			for i := range r {
				if omega[i] == 0 {
					r[i] = 0
				}
			}
		}
		f := l.ConjugateAlong(0, r)
		finite := 0
		for s := 0.0; s < 4; s += 0.05 {
			got, want := f(s), l.Conjugate(0, r, s)
			if got != want && !(math.Abs(got-want) <= 1e-12*math.Max(1, math.Abs(want))) {
				t.Errorf("%s: L*(-%vr) = %v along r, and %v alone", name, s, got, want)
			}
			if !math.IsInf(want, 1) {
				finite++
			}
		}
		if finite < 2 {
			t.Errorf("%s: the conjugate is finite at 0 alone", name)
		}
	}
}
