package support_test

import (
	"context"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/support"
)

// Supports that are too wide for a matrix reach a certified gap, under every gauge of blocks, penalties and bounds.
func TestWideSupports(t *testing.T) {
	products := 0
	for _, sparse := range []bool{false, true} {
		p := testproblem.Classes(t, 60, 80, 5, sparse)
		p.Intercept = true
		for _, k := range []gcg.Gauge{gauge.L1{}, gauge.Group{}, gauge.Group{ByColumns: true}, gauge.Group{Inner: gauge.LInf}} {
			p.Gauge = k
			for _, pen := range []gcg.Penalty{gauge.Linear{Lambda: 0.005}, gauge.Ball{Zeta: 8}, gauge.Square{Lambda: 0.001}} {
				p.Penalty = pen
				r, err := solver.Run(context.Background(), p, &conditional.GCG{},
					solver.Options{Tol: 1e-6, Improver: &support.Corrective{}, MaxIter: 40})
				if err != nil {
					t.Fatal(err)
				}
				if r.Status != solver.Converged {
					t.Errorf("%s, %T, sparse %v: %s after %d iterations at a gap of %g", k.Name(), pen, sparse, r.Status, r.Iter,
						r.State.Cert.Relative)
				}
				products += r.State.Count.Products
			}
		}
	}
	if products == 0 {
		t.Error("no support was wide")
	}
}

// Columns of many more entries than there are rows are neither formed nor factored: 120 rows of 4,000 features in 4 classes
// took 10 s, or did not close.
func TestColumnsOfManyEntries(t *testing.T) {
	const rows, features, outputs = 40, 1500, 2
	p := testproblem.Classes(t, rows, features, outputs, false)
	y := make([]float64, rows*outputs)
	for i, label := range p.Loss.(*loss.Softmax).Labels {
		for c := range outputs {
			y[i*outputs+c] = -1
		}
		y[i*outputs+int(label)] = 1
	}
	p.Gauge = gauge.Group{ByColumns: true}
	for name, l := range map[string]gcg.Loss{"softmax": p.Loss,
		"squared hinge": &loss.SquaredHinge{Y: y, Mean: true, Group: outputs}, "squared": &loss.Squared{Y: y, Mean: true}} {
		p.Loss, p.Penalty = l, gauge.Linear{Lambda: 0.02}
		im := &support.Corrective{}
		r, err := solver.Run(context.Background(), p, &conditional.GCG{}, solver.Options{Tol: 1e-6, Improver: im, MaxIter: 20})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != solver.Converged || im.Formed() > 0 {
			t.Errorf("%s: %s after %d iterations at a gap of %g; %d entries of H were formed", name, r.Status, r.Iter,
				r.State.Cert.Relative, im.Formed())
		}
	}
}
