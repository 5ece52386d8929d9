package support_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
)

// Where atoms are not pairs of unit columns, as signs are not, the corrective step charges what the gauge does: the
// certificate closes, and the bound of the gauge is that of the returned atoms.
func TestCorrectiveChargesTheGauge(t *testing.T) {
	inf := math.Inf(1)
	for _, k := range []gauge.Factor{{C: inf, R: 2}, {C: 2, R: inf}, {C: inf, R: inf}} {
		t.Run(fmt.Sprint(k.C, k.R), func(t *testing.T) {
			p, _ := testproblem.Full(t, 7, 5, 1, 6)
			p.Gauge, p.Penalty = k, gauge.Linear{Lambda: 0.5}
			top, err := solver.MaxLambda(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			p.Penalty = gauge.Linear{Lambda: 0.3 * top}
			r, err := solver.Run(context.Background(), p, &conditional.GCG{},
				solver.Options{Tol: 1e-6, Improver: &solver.Corrective{}, MaxIter: 200, Plateau: 50})
			if err != nil {
				t.Fatal(err)
			}
			s := r.State
			if r.Status != solver.Converged || s.Cert.Kind != gcg.Proven {
				t.Errorf("%s after %d iterations with gap %.2g (%s)", r.Status, r.Iter, s.Cert.Relative, s.Cert.Kind)
			}
			if rho := k.Compress(s.W); math.Abs(rho-s.Rho) > 1e-9*rho {
				t.Errorf("ρ is %.12g, the atoms cost %.12g", s.Rho, rho)
			}
		})
	}
}
