package solver_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver"
)

// Local leaves the factors that it finds as they are, in sweeps (a wide gap) and in Newton steps: Run goes back to them.
func TestLocalReplaces(t *testing.T) {
	plain, double, single, _ := storages(t, 3, false, false)
	for _, p := range []*gcg.Problem{plain, double, single} {
		for _, gap := range []float64{0.5, 1e-3} {
			rng := rand.New(rand.NewPCG(5, 5))
			m, n, _ := p.Operator.Dims()
			w := &gcg.Iterate{M: m, N: n, U: gcg.NewFactor(m, 3), V: gcg.NewFactor(n, 3)}
			for _, f := range []*gcg.Factor{w.U, w.V} {
				for i := range f.Rows {
					for c := range f.K {
						f.Row(i)[c] = rng.NormFloat64()
					}
				}
			}
			s, err := gcg.NewState(p, w)
			check(t, err)
			s.Tol, s.Cert.Relative, s.Cert.Gap = 1e-4, gap, gap*s.Objective(p)
			before, u, v, f := s.W.Clone(), s.W.U, s.W.V, s.Objective(p)
			check(t, (&solver.Local{}).Improve(context.Background(), p, s))
			if s.W.U == u || !slices.Equal(u.Data, before.U.Data) || !slices.Equal(v.Data, before.V.Data) {
				t.Errorf("%T, gap %v: the factors were overwritten", p.Operator, gap)
			}
			if !(s.Objective(p) < f) {
				t.Errorf("%T, gap %v: F rose from %v to %v", p.Operator, gap, f, s.Objective(p))
			}
		}
	}
}
