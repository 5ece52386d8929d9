package support_test

import (
	"context"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/solver"
)

// Groups of many entries under ℓ∞: descent over the blocks and Newton steps on their faces close the gap in few iterations.
func TestWideBlocks(t *testing.T) {
	op, y, signs, _ := testproblem.Regression(t, 120, 60, 4)
	index := make([][]int32, 7)
	at := 0
	for g, size := range []int{1, 2, 3, 5, 8, 13, 20} { // features, of four entries each
		for range size * 4 {
			index[g] = append(index[g], int32(at))
			at++
		}
	}
	for _, l := range []gcg.Loss{&loss.Squared{Y: y}, &loss.Logistic{Y: signs, Group: 4}} {
		for _, pen := range []gcg.Penalty{gauge.Linear{Lambda: 20}, gauge.Ball{Zeta: 4}} {
			p := &gcg.Problem{Operator: op, Loss: l, Gauge: gauge.Group{Inner: gauge.LInf, Index: index}, Penalty: pen, Intercept: true}
			r, err := solver.Run(context.Background(), p, &solver.GCG{},
				solver.Options{Tol: 1e-6, Improver: &solver.Corrective{}, MaxIter: 12})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != solver.Converged {
				t.Errorf("%T, %T: %s after %d iterations at a gap of %g", l, pen, r.Status, r.Iter, r.State.Cert.Relative)
			}
		}
	}
}

// Outputs that share no observations have second derivatives of their own: there may be more entries in all than one matrix
// would have room for.
func TestManySeparateOutputs(t *testing.T) {
	const outputs = 420
	op, _, signs, _ := testproblem.Regression(t, 12, 50, outputs)
	p := &gcg.Problem{Operator: op, Loss: &loss.SquaredHinge{Y: signs, Group: outputs}, Gauge: gauge.Group{ByColumns: true},
		Penalty: gauge.Linear{Lambda: 0.3}}
	r, err := solver.Run(context.Background(), p, &solver.GCG{},
		solver.Options{Tol: 1e-3, Improver: &solver.Corrective{}, MaxIter: 20})
	if err != nil {
		t.Fatal(err)
	}
	entries := 0
	for _, term := range r.State.W.Terms {
		entries += len(term.Atom.Vals)
	}
	if r.Status != solver.Converged || entries <= 20000 {
		t.Errorf("%s after %d iterations at a gap of %g, with %d entries", r.Status, r.Iter, r.State.Cert.Relative, entries)
	}
}
