package loss_test

import (
	"math"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/loss"
)

// Counts and amounts have every property of a loss; each is half the textbook deviance, 0 where the mean is the target.
func TestDeviances(t *testing.T) {
	rng := testRand(21)
	const n = 60
	counts, amounts, z := make([]float64, n), make([]float64, n), normals(rng, n, 1)
	for i := range counts {
		counts[i], amounts[i] = float64(rng.IntN(5)), 0.1+3*rng.Float64()
	}
	for _, omega := range [][]float64{nil, weights(rng, n)} {
		for _, mean := range []bool{false, true} {
			testLoss(t, &loss.Poisson{Y: counts, Omega: omega, Mean: mean, Group: 3}, 4)
			testLoss(t, &loss.Gamma{Y: amounts, Omega: omega, Mean: mean}, 5)
		}
	}
	var poisson, gamma float64
	for i, x := range z {
		mean := math.Exp(x)
		if y := counts[i]; y > 0 {
			poisson += y * math.Log(y/mean)
		}
		poisson += mean - counts[i]
		gamma += math.Log(mean/amounts[i]) + amounts[i]/mean - 1
	}
	near(t, "Poisson", (&loss.Poisson{Y: counts}).Eval(0, z, nil), poisson, 1e-12)
	near(t, "Gamma", (&loss.Gamma{Y: amounts}).Eval(0, z, nil), gamma, 1e-12)
	for i, y := range amounts {
		z[i] = math.Log(y)
	}
	near(t, "Gamma of its targets", (&loss.Gamma{Y: amounts}).Eval(0, z, nil), 0, 1e-12)
	near(t, "Poisson of its targets", (&loss.Poisson{Y: amounts}).Eval(0, z, nil), 0, 1e-12)
}

// A target out of range is named, unless it has no weight.
func TestDeviancesCheck(t *testing.T) {
	if err := (&loss.Poisson{Y: []float64{0, -1}}).Check(); err == nil || !strings.Contains(err.Error(), "observation 2 is -1") {
		t.Errorf("counts below 0: %v", err)
	}
	if err := (&loss.Gamma{Y: []float64{0, 1}}).Check(); err == nil || !strings.Contains(err.Error(), "observation 1 is 0") {
		t.Errorf("an amount of 0: %v", err)
	}
	if err := (&loss.Gamma{Y: []float64{0, 1}, Omega: []float64{0, 1}}).Check(); err != nil {
		t.Errorf("an amount of 0 without weight: %v", err)
	}
}
