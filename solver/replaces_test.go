package solver_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
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
			s.Cert.Relative, s.Cert.Gap = gap, gap*s.Objective(p)
			before, u, v, f := s.W.Clone(), s.W.U, s.W.V, s.Objective(p)
			local := new(fixedrank.Local)
			check(t, local.Init(p, gcg.Settings{Tol: 1e-4}))
			_, err = local.Improve(context.Background(), p, s, gcg.Moved{})
			check(t, err)
			if s.W.U == u || !slices.Equal(u.Data, before.U.Data) || !slices.Equal(v.Data, before.V.Data) {
				t.Errorf("%T, gap %v: the factors were overwritten", p.Operator, gap)
			}
			if !(s.Objective(p) < f) {
				t.Errorf("%T, gap %v: F rose from %v to %v", p.Operator, gap, f, s.Objective(p))
			}
		}
	}
}

// relabelled only puts other headers on the memory of factors.
type relabelled struct{ fixedrank.Local }

func (r *relabelled) Improve(_ context.Context, _ *gcg.Problem, s *gcg.State, did gcg.Moved) (gcg.Moved, error) {
	if s.W.Rank() > 0 {
		u, v := *s.W.U, *s.W.V
		s.W.U, s.W.V = &u, &v
	}
	return did, nil
}

// What W still holds is not ended, be it behind another header: predictions stay those of W.
func TestSharedFactorsLive(t *testing.T) {
	plain, _, _, _ := storages(t, 3, false, false)
	off := 0.0
	r, err := solver.Run(context.Background(), plain, &conditional.GCG{OutsideW: true},
		solver.Options{Tol: 1e-6, Improver: &relabelled{}, MaxIter: 12, Event: func(e solver.Event) {
			z := make([]float64, len(e.State.Z))
			plain.Apply(z, e.State.W)
			for i, x := range z {
				off = max(off, math.Abs(x-e.State.Z[i]))
			}
		}})
	check(t, err)
	if off > 1e-9 || r.Drift > 1e-9 {
		t.Errorf("predictions are off by %g, %g in the end", off, r.Drift)
	}
}
