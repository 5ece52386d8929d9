package structured_test

import (
	"context"
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/hybrid"
	"github.com/seed-b18ef778/gcg/solver/structured"
)

// smoothed is the problem with g by its envelope.
func smoothed(t *testing.T, x, y []float64, g structured.Penalty, h gcg.Penalty) *gcg.Problem {
	t.Helper()
	features, err := operator.DenseFeatures(len(y), len(x)/len(y), x)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewDesign(features, 1)
	if err != nil {
		t.Fatal(err)
	}
	p, err := structured.Smoothed(op, &loss.Squared{Y: y}, g)
	if err != nil {
		t.Fatal(err)
	}
	p.Gauge, p.Penalty = gauge.L1{}, h
	return p
}

// The hybrid method takes every penalty, in a ball and under λ: its bracket, which is that of g itself, holds the optimum after
// every step, and comes near; Algorithm 2 as printed only in the ball, as its steps are of the size of all that λ leaves open.
func TestHybrid(t *testing.T) {
	x, y := data(20, 12, 5)
	for _, g := range penalties(12) {
		for _, h := range []gcg.Penalty{gauge.Ball{Zeta: 3}, gauge.Linear{Lambda: 2}} {
			exact, err := solver.Run(context.Background(), problem(t, x, y, g, h), &structured.Method{},
				solver.Options{Tol: 1e-8, MaxIter: 500, Plateau: 500})
			if err != nil || exact.Status != solver.Converged {
				t.Fatalf("%s: %v, %v", g.Name(), exact, err)
			}
			optimum := exact.State.Cert.Objective
			for _, m := range []*hybrid.HCGS{{}, {Steps: &conditional.GCG{}, Decay: 1}} {
				r, err := solver.Run(context.Background(), smoothed(t, x, y, g, h), m, solver.Options{Tol: 1e-9, MaxIter: 300,
					Plateau: 300, Event: func(e solver.Event) {
						if c := e.State.Cert; c.LowerBound > optimum*(1+1e-7) || c.Objective < optimum*(1-1e-7) {
							t.Errorf("%s, %s: [%v, %v] after %d steps; the optimum is %v", g.Name(), m.Name(), c.LowerBound,
								c.Objective,
								e.Iter, optimum)
						}
					}})
				if err != nil {
					t.Fatal(err)
				}
				reached := m.Steps != nil || !math.IsInf(h.Max(), 1)
				if c := r.State.Cert; reached && c.Objective > 1.2*optimum {
					t.Errorf("%s, %s: [%v, %v] after %d steps; the optimum is %v", g.Name(), m.Name(), c.LowerBound,
						c.Objective, r.Iter,
						optimum)
				}
			}
		}
	}
}

// The derivative of the projection on dom g* is that of its differences.
func TestSlope(t *testing.T) {
	for _, g := range penalties(12) {
		_, n := g.Size()
		v, e, dst := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range v {
			v[i], e[i] = 3*math.Sin(float64(7*i+1)), math.Cos(float64(5*i))
		}
		g.SlopeTo(dst, v, e)
		const step = 1e-6
		ahead, behind := append([]float64(nil), v...), append([]float64(nil), v...)
		for i := range v {
			ahead[i] += step * e[i]
			behind[i] -= step * e[i]
		}
		g.ProjectTo(ahead)
		g.ProjectTo(behind)
		for i := range v {
			if d := (ahead[i] - behind[i]) / (2 * step); math.Abs(d-dst[i]) > 1e-8 {
				t.Errorf("%s: the slope of entry %d is %v, by differences %v", g.Name(), i, dst[i], d)
			}
		}
		g.ProjectTo(v)
		if g.Polar(v) > 1+1e-12 || math.Sqrt(squares(v)) > g.Radius()*(1+1e-12) {
			t.Errorf("%s: ‖u‖ = %v, and the radius is %v", g.Name(), math.Sqrt(squares(v)), g.Radius())
		}
	}
}

func squares(x []float64) (sum float64) {
	for _, v := range x {
		sum += v * v
	}
	return sum
}
