package support_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
)

// No lower bound of one run is above the objective of another, where features are so far from 0 that the last digit of the
// intercept counts: but for the rounding of predictions, which grow with the distance.
func TestBoundsOfFarFeatures(t *testing.T) {
	for _, distance := range []float64{1e3, 1e5, 1e6, 1e7} {
		for seed := range uint64(30) {
			p := farFeatures(t, distance, seed)
			low, high := math.Inf(-1), math.Inf(1)
			for _, tol := range []float64{1e-3, 1e-6, 1e-9} {
				r, err := solver.Run(context.Background(), p, &conditional.GCG{},
					solver.Options{Tol: tol, MaxIter: 200, Improver: &solver.Corrective{}})
				if err != nil {
					t.Fatal(err)
				}
				low, high = math.Max(low, r.State.Cert.LowerBound), math.Min(high, r.State.Cert.Objective)
			}
			if excess := (low - high) / high; !(excess < 1e-15*distance) || math.IsInf(low, -1) {
				t.Errorf("features at %g, data %d: a bound is above an objective by %g of it", distance, seed, excess)
			}
		}
	}
}

// farFeatures is a lasso with an intercept on features at a distance from 0, the first of which tells the targets.
func farFeatures(t *testing.T, distance float64, seed uint64) *gcg.Problem {
	t.Helper()
	const n = 8
	rng := rand.New(rand.NewPCG(seed, 5))
	p := 1 + int(seed%3)
	x, y := make([]float64, n*p), make([]float64, n)
	for i := range n {
		for j := range p {
			x[i*p+j] = distance + rng.NormFloat64()
		}
		y[i] = 2*(x[i*p]-distance) + rng.NormFloat64()
	}
	f, err := operator.DenseFeatures(n, p, x)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewDesign(f, 1)
	if err != nil {
		t.Fatal(err)
	}
	return &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.L1{}, Penalty: gauge.Linear{Lambda: 2},
		Intercept: true}
}
