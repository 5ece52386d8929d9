package support

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
)

// A W of far more atoms than singular pairs is rewritten by these, which raises neither ρ nor F and leaves W as it is.
func TestManyAtomsMerge(t *testing.T) {
	p := testproblem.Classification(t, 50, 12, 7, 0, false)
	s, err := gcg.NewState(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 3))
	for count, merged := range map[int]bool{fewAtoms: false, fewAtoms + 1: true} {
		a := &AtomDescent{}
		for range count {
			u, v := direction(rng, 12), direction(rng, 7)
			u.Scale(1 / math.Sqrt(u.Dot(u)))
			v.Scale(1 / math.Sqrt(v.Dot(v)))
			a.terms = append(a.terms, gcg.Term{Atom: gcg.Atom{U: u, V: v}, Weight: rng.Float64()})
		}
		s.W, s.Rho = gcg.Join(12, 7, a.terms), 0
		for _, term := range a.terms {
			s.Rho += term.Weight
		}
		s.Refresh(p)
		before, rho, w := s.Objective(p), s.Rho, s.W
		a.merge(view.Of(p), s)
		if (len(a.terms) <= 7) != merged {
			t.Errorf("of %d atoms %d are left", count, len(a.terms))
		}
		if f := s.Objective(p); !(s.Rho <= rho) || !(f <= before*(1+1e-12)) {
			t.Errorf("merging %d atoms raised ρ from %v to %v, or F from %v to %v", count, rho, s.Rho, before, f)
		}
		again := gcg.Mul(s.W.U, factor.Transposed(s.W.V, 7))
		again.AddScaled(-1, gcg.Mul(w.U, factor.Transposed(w.V, 7)))
		if off := math.Sqrt(again.Dot(again)); !(off <= 1e-9*rho) {
			t.Errorf("merging %d atoms changed W by %v", count, off)
		}
	}
}

// direction is a random column.
func direction(rng *rand.Rand, rows int) *gcg.Factor {
	f := gcg.NewFactor(rows, 1)
	for i := range rows {
		f.Row(i)[0] = rng.NormFloat64()
	}
	return f
}
