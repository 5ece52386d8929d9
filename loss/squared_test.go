package loss_test

import (
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/loss"
)

func TestSquaredConforms(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	y, w := make([]float64, 50), make([]float64, 50)
	for i := range y {
		y[i], w[i] = rng.NormFloat64(), rng.Float64()
	}
	for _, l := range []*loss.Squared{{Y: y}, {Y: y, Mean: true}, {Y: y, Omega: w}, {Y: y, Omega: w, Mean: true}} {
		for _, c := range conform.Loss(l, rng) {
			if !c.OK() {
				t.Errorf("mean %v, weights %v: %v", l.Mean, l.Omega != nil, c)
			}
		}
	}
}
