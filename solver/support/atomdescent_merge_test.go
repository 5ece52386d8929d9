package support

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/factor"
	"github.com/seed-b18ef778/gcg/solver/view"
)

// A W of far more atoms than singular pairs is rewritten by these, which raises neither ρ nor F and leaves W as it is.
func TestManyAtomsMerge(t *testing.T) {
	p, s := fixedrank.shrinkProblem(t, 50, 12, 7, 0, false)
	rng := rand.New(rand.NewPCG(3, 3))
	for count, merged := range map[int]bool{fewAtoms: false, fewAtoms + 1: true} {
		a := &AtomDescent{}
		for range count {
			u, v := model.direction(rng, gcg.NewFactor(12, 1)), model.direction(rng, gcg.NewFactor(7, 1))
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
