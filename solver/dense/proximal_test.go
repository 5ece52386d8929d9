package dense_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/dense"
)

// proximalProblem is of rows of features and a square W.
func proximalProblem(t *testing.T, l string, intercept bool) *gcg.Problem {
	t.Helper()
	const rows, side = 40, 6
	rng := rand.New(rand.NewPCG(11, 2))
	x, y := make([]float64, rows*side), make([]float64, rows*side)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	for i := range y {
		y[i] = x[i] + 0.5*x[(i+7)%len(x)] + 0.3*rng.NormFloat64()
	}
	f, err := operator.DenseFeatures(rows, side, x)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewDesign(f, side)
	if err != nil {
		t.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Intercept: intercept}
	if l == "logistic" {
		for i := range y {
			y[i] = math.Copysign(1, y[i])
		}
		p.Loss = &loss.Logistic{Y: y}
	}
	return p
}

// Gauges with a proximity operator close to 1e-8 under every penalty, where conditional gradient steps take thousands; κ(W) is
// what the state says, and at no step does F rise.
func TestProximalCloses(t *testing.T) {
	type evaluator interface {
		Of(w []float64, m, n int) float64
	}
	spectrum := &gcg.Iterate{M: 6, N: 6, U: gcg.NewFactor(6, 1), V: gcg.NewFactor(6, 1)}
	spectrum.U.Row(0)[0], spectrum.V.Row(0)[0] = math.Sqrt(3), math.Sqrt(3)
	gauges := []gcg.Gauge{gauge.Lp{P: 1}, gauge.Lp{P: 1.5}, gauge.Lp{}, gauge.Lp{P: 4}, gauge.Lp{P: math.Inf(1)},
		gauge.SchattenP{P: 1},
		gauge.SchattenP{P: 1.5}, gauge.SchattenP{P: 4}, gauge.SchattenP{P: math.Inf(1)}, gauge.Trace{}, gauge.PSDTrace{},
		gauge.Spectrahedron{}}
	for _, k := range gauges {
		penalties := []gcg.Penalty{gauge.Linear{Lambda: 2}, gauge.Square{Lambda: 2}, gauge.Ball{Zeta: 1}}
		var start *gcg.Iterate
		if _, fixed := k.(gauge.Spectrahedron); fixed {
			penalties, start = []gcg.Penalty{gauge.Equal{Zeta: 3}}, spectrum
		}
		for _, h := range penalties {
			for _, l := range []string{"squared", "logistic"} {
				for _, intercept := range []bool{false, true} {
					p := proximalProblem(t, l, intercept)
					p.Gauge, p.Penalty = k, h
					last := math.Inf(1)
					r, err := solver.Run(context.Background(), p, &conditional.GCG{},
						solver.Options{Tol: 1e-8, MaxIter: 60, Improver: &dense.Proximal{}, Start: start,
							Event: func(e solver.Event) {
								if f := e.State.Cert.Objective; f > last+1e-12*math.Abs(f) {
									t.Errorf("%s, %T, %s: F rose from %v to %v", k.Name(), h, l, last, f)
								} else {
									last = f
								}
							}})
					if err != nil {
						t.Fatal(err)
					}
					s := r.State
					if r.Status != solver.Converged {
						t.Errorf("%s, %T, %s, intercept %v: %s at a gap of %.2g", k.Name(), h, l, intercept, r.Status,
							s.Cert.Relative)
					}
					if rho := k.(evaluator).Of(s.W.Dense(), 6, 6); math.Abs(rho-s.Rho) > 1e-9*rho {
						t.Errorf("%s, %T, %s: κ is %v, the state says %v", k.Name(), h, l, rho, s.Rho)
					}
				}
			}
		}
	}
}

// Without a proximity operator, or with blocks, it says what to take; a W that is too large for a matrix is tightened.
func TestProximalRefuses(t *testing.T) {
	for _, k := range []gcg.Gauge{gauge.Factor{C: 1, R: 2}, gauge.L1{}} {
		p := proximalProblem(t, "squared", false)
		p.Gauge, p.Penalty = k, gauge.Linear{Lambda: 1}
		if _, err := solver.Run(context.Background(), p, &conditional.GCG{},
			solver.Options{Improver: &dense.Proximal{}}); err == nil {
			t.Errorf("%s was taken", k.Name())
		}
	}
}

// On the simplex with more entries than observations, which W nearly interpolates, proximal steps take the place of a model
// whose second derivatives are singular.
func TestSimplexNearInterpolation(t *testing.T) {
	const rows, features, zeta = 30, 150, 10
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 8))
		op, x := testproblem.NormalDesign(t, rng, rows, features)
		y := make([]float64, rows)
		for i := range y {
			for j := range 20 {
				y[i] += x[i*features+j] * zeta / 20
			}
			y[i] += 0.3 * rng.NormFloat64()
		}
		start := &gcg.Iterate{M: features, N: 1}
		start.Add([]gcg.Atom{{Key: 1, Rows: []int32{0}, Cols: []int32{0}, Vals: []float64{1}}}, []float64{zeta})
		p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.Simplex{}, Penalty: gauge.Equal{Zeta: zeta}}
		r, err := solver.Run(context.Background(), p, &conditional.GCG{},
			solver.Options{Tol: 1e-6, MaxIter: 40, Improver: &solver.Corrective{}, Start: start})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != solver.Converged || math.Abs(r.State.W.Weights()-zeta) > 1e-12*zeta {
			t.Errorf("seed %d: %s at a gap of %.2g after %d iterations, κ = %v", seed, r.Status, r.State.Cert.Relative, r.Iter,
				r.State.W.Weights())
		}
	}
}
