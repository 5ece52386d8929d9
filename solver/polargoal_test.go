package solver

import (
	"context"
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
)

// A bound of the polar that is as sharp as polarGoal asks closes the gap to the tolerance, and one much sharper was not asked
// for: at tolerances where the gap is not first order in the bound too.
func TestPolarGoalClosesTheGap(t *testing.T) {
	p, start := testproblem.Completion(t, 1)
	solved, err := Run(context.Background(), p, &conditional.GCG{OutsideW: true}, Options{Tol: 1e-9,
		Improver: &fixedrank.Local{}, Start: start.W})
	if err != nil {
		t.Fatal(err)
	}
	s := solved.State
	for _, tol := range []float64{0.5, 0.1, 0.03} {
		r := &run{p: p, s: s, opt: Options{Tol: tol}}
		s.Polar = &gcg.Polar{Bound: r.polarGoal(), Kind: gcg.Proven}
		s.Cert.LowerBound = math.Inf(-1)
		s.Certify(p)
		if s.Cert.Relative > tol || s.Cert.Relative < 0.9*tol {
			t.Errorf("tolerance %g: the gap is %g", tol, s.Cert.Relative)
		}
	}
}
