package solver

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
)

// Where conjugate gradients lead nowhere, here for want of room, second derivatives are formed though products have not cost as much; and where
// steps by these lead nowhere, here for want of a metric, conjugate gradients go on.
func TestStepsOfTheOtherKind(t *testing.T) {
	for _, formed := range []bool{false, true} {
		p, s := shrinkProblem(t, 100, 9, 7, 2, false)
		n := newNewton(p, s)
		n.basis = &basis{}
		n.formation.of(p)
		if formed {
			n.formation.now()
			n.formation.columns, n.formation.gram = wholeColumns(p), features(p)
			n.formation.gram.Data[0] = math.NaN()
		} else {
			n.radii = [kinds]float64{}
		}
		n.linearise()
		f := n.f
		if !n.step(context.Background(), 10) || !(n.f < f) {
			t.Errorf("formed %v: F went from %v to %v", formed, f, n.f)
		}
		if n.formation.columns == nil || formed && n.products == 0 {
			t.Errorf("formed %v: nothing else was tried, of %d products", formed, n.products)
		}
	}
}

// A start from which F would have far to come down serves less than none: classes are certain there, and wrong, and second derivatives vanish.
func TestStartsAboveZeroAreLeft(t *testing.T) {
	p, _ := shrinkProblem(t, 100, 9, 7, 2, false)
	p.Penalty = gauge.Linear{Lambda: 1e-3}
	rng := rand.New(rand.NewPCG(1, 1))
	u, v := gcg.NewFactor(9, 5), gcg.NewFactor(7, 5)
	for _, f := range []*gcg.Factor{u, v} {
		for i := range f.Rows {
			for c := range f.K {
				f.Row(i)[c] = 100 * rng.NormFloat64()
			}
		}
	}
	first := math.NaN()
	r, err := Run(context.Background(), p, &GCG{}, Options{Tol: 1e-6, Improver: &Local{}, MaxIter: 5, Start: &gcg.Iterate{M: 9, N: 7, U: u, V: v},
		Event: func(e Event) {
			if math.IsNaN(first) {
				first = e.State.Cert.Objective
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != Converged || math.Abs(first-math.Log(7)) > 1e-12 {
		t.Errorf("%s at a gap of %g after %d iterations from F = %v", r.Status, r.State.Cert.Relative, r.Iter, first)
	}
}
