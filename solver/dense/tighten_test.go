package dense_test

import (
	"context"
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/dense"
)

// Steps whose atoms are whole matrices close the gap once ρ is κ(W), and leave no more columns than W has rank.
func TestTighten(t *testing.T) {
	op, y, _, _ := testproblem.Regression(t, 60, 12, 3)
	for i, pen := range []gcg.Penalty{gauge.Linear{Lambda: 20}, gauge.Square{Lambda: 2}, gauge.Ball{Zeta: 1},
		gauge.Linear{Lambda: 20}, gauge.Ball{Zeta: 1}} {
		p := &gcg.Problem{Operator: op, Loss: &loss.Huber{Y: y, Mu: 0.2, Group: 3}, Gauge: gauge.SchattenP{P: 1.5}, Penalty: pen,
			Intercept: true}
		if i > 2 {
			p.Gauge = gauge.Lp{P: 1.5}
		}
		r, err := solver.Run(context.Background(), p, &conditional.GCG{},
			solver.Options{Tol: 1e-6, Improver: dense.Tighten{}, MaxIter: 2000, Event: func(e solver.Event) {
				if w := e.State.W; e.Iter > 0 && (w.Rank() > 3 || len(w.Terms) > 1) {
					t.Fatalf("%s: rank %d and %d atoms for a 12×3 matrix", p.Gauge.Name(), w.Rank(), len(w.Terms))
				}
			}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != solver.Converged {
			t.Errorf("%T: %s after %d iterations at a gap of %g", pen, r.Status, r.Iter, r.State.Cert.Relative)
		}
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.L1{}, Penalty: gauge.Linear{Lambda: 20}}
	if _, err := solver.Run(context.Background(), p, &conditional.GCG{}, solver.Options{Improver: dense.Tighten{}}); err == nil {
		t.Error("a gauge that cannot be evaluated was not refused")
	}
}

// Without an improver atoms of one group pile up; the objective is that of κ(W) all the same.
func TestObjectiveIsOfTheGauge(t *testing.T) {
	op, y, _, _ := testproblem.Regression(t, 60, 12, 3)
	for _, k := range []gauge.Evaluator{gauge.Group{}, gauge.Group{ByColumns: true, Inner: gauge.LInf}, gauge.L1{}} {
		for _, pen := range []gcg.Penalty{gauge.Linear{Lambda: 20}, gauge.Square{Lambda: 2}, gauge.Ball{Zeta: 1}} {
			p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y, Group: 3}, Gauge: k, Penalty: pen}
			r, err := solver.Run(context.Background(), p, &conditional.GCG{Rule: conditional.OpenLoop},
				solver.Options{Tol: 1e-9, MaxIter: 20})
			if err != nil {
				t.Fatal(err)
			}
			w := make([]float64, 12*3)
			for _, term := range r.State.W.Terms {
				for e, v := range term.Atom.Vals {
					w[term.Atom.Rows[e]*3+term.Atom.Cols[e]] += term.Weight * v
				}
			}
			kappa := k.Of(w, 12, 3)
			if want := r.State.Loss + pen.Value(kappa); math.Abs(r.State.Cert.Objective-want) > 1e-12*want ||
				math.Abs(r.State.Rho-kappa) > 1e-12*kappa {
				t.Errorf("%s, %T: F = %v with κ = %v; want %v and %v", k.Name(), pen, r.State.Cert.Objective, r.State.Rho,
					want, kappa)
			}
		}
	}
}
