package solver_test

import (
	"context"
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
)

// What Newton steps leave in the state is that of W: predictions, loss, and the products that the next polar begins with, for a
// sum and for a mean of losses. Once W moves by scalars it is so no more.
func TestSettledStateIsThatOfW(t *testing.T) {
	for _, mean := range []bool{false, true} {
		p, s := testproblem.Completion(t, 1)
		lambda := 0.5 // at which a rank of 4 is not too much
		if y := p.Loss.(*loss.Squared); mean {
			y.Mean = true
			lambda /= float64(len(y.Y))
		}
		p.Penalty = gauge.Linear{Lambda: lambda}
		s.Exact = false // as after a step
		s.Evaluate(p)
		if s.Exact {
			t.Error("predictions that were not computed from W are said to be")
		}
		local := new(fixedrank.Local)
		err := local.Init(p, gcg.Settings{Tol: 1e-2})
		if err != nil {
			t.Fatal(err)
		}
		var did gcg.Moved
		for _, gap := range []float64{1, 0} { // far away sweeps come first
			s.Cert.Relative = gap
			if did, err = local.Improve(context.Background(), p, s, gcg.Moved{}); err != nil {
				t.Fatal(err)
			}
		}
		if !s.Exact || did.Projections == nil {
			t.Fatalf("mean %v: exact %v, sides %v", mean, s.Exact, did.Projections)
		}
		gq, gp := gcg.Both(s.Gradient(p), did.Projections.P, did.Projections.Q)
		gq.AddScaled(-1, did.Projections.GQ)
		gp.AddScaled(-1, did.Projections.GP)
		if d := math.Max(gq.SpectralNorm(), gp.SpectralNorm()); d > 1e-12 {
			t.Errorf("mean %v: the sides' products are off by %v", mean, d)
		}
		u := s.W.U.Clone()
		u.Project(did.Projections.P)
		if d := u.SpectralNorm(); d > 1e-12*s.W.U.SpectralNorm() {
			t.Errorf("mean %v: W is %v outside of its sides", mean, d)
		}
		was := s.Loss
		if s.Refresh(p); math.Abs(s.Loss-was) > 1e-12*was || !s.Exact {
			t.Errorf("mean %v: the loss of W is %v, not %v", mean, s.Loss, was)
		}
	}
}
