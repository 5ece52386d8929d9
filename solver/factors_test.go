package solver_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
)

// factorPairs are all pairs of norms that a Factor gauge has.
func factorPairs() (all []gauge.Factor) {
	for _, c := range []float64{1, 2, math.Inf(1)} {
		for _, r := range []float64{1, 2, math.Inf(1)} {
			all = append(all, gauge.Factor{C: c, R: r})
		}
	}
	return all
}

// signsOnFeatures is ten outputs of fourteen correlated features by a W of two pairs of signs, and λ a fifth of λ_max.
func signsOnFeatures(t *testing.T, k gcg.Gauge, of func(y []float64) gcg.Loss) *gcg.Problem {
	t.Helper()
	const n, features, outputs, rank = 60, 14, 10, 2
	rng := rand.New(rand.NewPCG(5, 6))
	u, v := gcg.NewFactor(features, rank), gcg.NewFactor(outputs, rank)
	for _, f := range []*gcg.Factor{u, v} {
		for i := range f.Rows {
			for c := range rank {
				f.Row(i)[c] = math.Copysign(1, rng.NormFloat64())
			}
		}
	}
	x := make([]float64, n*features)
	for i := range x {
		x[i] = rng.NormFloat64()
		if i%features > 0 {
			x[i] += x[i-1] / 2
		}
	}
	design, err := operator.DenseFeatures(n, features, x)
	check(t, err)
	op, err := operator.NewDesign(design, outputs)
	check(t, err)
	y := make([]float64, n*outputs)
	op.FactoredTo(y, 0, u, v)
	for i := range y {
		y[i] += rng.NormFloat64()
	}
	p := &gcg.Problem{Operator: op, Loss: of(y), Gauge: k, Penalty: gauge.Linear{Lambda: 1}}
	top, err := solver.MaxLambda(context.Background(), p)
	check(t, err)
	p.Penalty = gauge.Linear{Lambda: top / 5}
	return p
}

func squares(y []float64) gcg.Loss { return &loss.Squared{Y: y} }

// The local search in both factors closes a certificate for every pair of norms, in a quarter of the steps that conditional
// gradient alone takes without closing one, and where the polar is NP-hard in fewer than with weights alone. F never rises.
func TestFactorDescentOfEveryPair(t *testing.T) {
	for _, k := range factorPairs() {
		t.Run(k.Name(), func(t *testing.T) {
			p := signsOnFeatures(t, k, squares)
			run := func(im solver.Improver, steps int) *solver.Result {
				last := math.Inf(1)
				r, err := solver.Run(context.Background(), p, &conditional.GCG{}, solver.Options{Tol: 1e-4, MaxIter: steps, Improver: im,
					Event: func(e solver.Event) {
						f := e.State.Cert.Objective
						if f > last*(1+1e-12) {
							t.Errorf("step %d: F rose from %v to %v", e.Iter, last, f)
						}
						last = f
						for _, x := range conform.State(p, e.State) {
							if !x.OK() {
								t.Errorf("step %d: %v", e.Iter, x)
							}
						}
					}})
				check(t, err)
				return r
			}
			const steps = 30
			alone, weights, r := run(nil, 4*steps), run(&solver.Corrective{}, 4*steps), run(&fixedrank.FactorDescent{}, steps)
			if alone.Status == solver.Converged || r.Status != solver.Converged {
				t.Errorf("alone %s after %d steps, with the local search %s after %d, with a gap of %g", alone.Status, alone.Iter, r.Status,
					r.Iter, r.State.Cert.Relative)
			}
			a, b := r.State.Cert, weights.State.Cert
			if a.LowerBound > b.Objective || b.LowerBound > a.Objective {
				t.Errorf("[%v, %v], by weights alone [%v, %v]", a.LowerBound, a.Objective, b.LowerBound, b.Objective)
			}
			if k.Plain() == nil && r.Iter >= weights.Iter {
				t.Errorf("%d steps, %d by weights alone", r.Iter, weights.Iter)
			}
		})
	}
}

// It takes a bent loss with an intercept.
func TestFactorDescentOfABentLoss(t *testing.T) {
	for _, k := range []gauge.Factor{{C: 2, R: 2}, {C: 2, R: math.Inf(1)}} {
		p := signsOnFeatures(t, k, func(y []float64) gcg.Loss { return &loss.Huber{Y: y, Mu: 1} })
		p.Intercept = true
		opt := solver.Options{Tol: 1e-3, MaxIter: 40, Improver: &fixedrank.FactorDescent{}}
		r, err := solver.Run(context.Background(), p, &conditional.GCG{}, opt)
		check(t, err)
		if r.Status != solver.Converged {
			t.Errorf("%s: %s with a gap of %g", k.Name(), r.Status, r.State.Cert.Relative)
		}
	}
}

// What it cannot work on is refused with the names of both sides.
func TestFactorDescentRefuses(t *testing.T) {
	for want, change := range map[string]func(p *gcg.Problem){
		"schatten":   func(p *gcg.Problem) { p.Gauge = gauge.SchattenP{P: 1.5} },
		"gauge.Ball": func(p *gcg.Problem) { p.Penalty = gauge.Ball{Zeta: 1} },
		"rows(l2)":   func(p *gcg.Problem) { p.Gauge, p.Penalty = gauge.Group{BySize: true}, gauge.Linear{Lambda: 1e-3} },
	} {
		p := signsOnFeatures(t, gauge.Factor{}, squares)
		change(p)
		_, err := solver.Run(context.Background(), p, &conditional.GCG{}, solver.Options{Improver: &fixedrank.FactorDescent{}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
