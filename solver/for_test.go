package solver_test

import (
	"cmp"
	"math"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/testrun"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/solver"
)

// straightLoss hides the second derivatives of a loss.
type straightLoss struct{ gcg.ConjugateLoss }

// For every gauge of the module and one of somebody else's, with a penalty and within a ball, what For chooses is what suits it
// and reaches the tolerance; the line says what was chosen and for which gauge. Without an improver in the table it is coordinate
// descent with the penalty λκ, and corrective steps with a bound on κ.
func TestForSuits(t *testing.T) {
	op, y, _, _ := testproblem.Regression(t, 40, 9, 9)
	targets := &loss.Squared{Y: y}
	for _, c := range []struct {
		gauge    gcg.Gauge
		improver string
	}{
		{gauge.Trace{}, "local"}, {gauge.L1{}, ""}, {gauge.PositiveL1{}, ""}, {gauge.Group{}, ""},
		{gauge.Group{ByColumns: true, Inner: gauge.LInf}, "corrective"}, {gauge.SchattenP{P: 2}, "proximal"},
		{gauge.Lp{P: 3}, "proximal"},
		{gauge.Factor{C: math.Inf(1), R: 2}, "corrective"}, {gauge.PSDTrace{}, "proximal"},
		{strange{func(*gcg.Polar) {}}, "corrective"},
	} {
		p, lambda := testrun.AtFraction(t, &gcg.Problem{Operator: op, Loss: targets, Gauge: c.gauge}, 0.3)
		for _, h := range []gcg.Penalty{gauge.Linear{Lambda: lambda}, gauge.Ball{Zeta: 0.5}} {
			p.Penalty = h
			m, im, why := solver.For(p)
			method, improver := "gcg", c.improver
			if improver == "" {
				if method = "coordinate descent"; h == (gauge.Ball{Zeta: 0.5}) {
					method, improver = "gcg", "corrective"
				}
			}
			if m.Name() != method || (im != nil) != (improver != "") || im != nil && im.Name() != improver ||
				!strings.Contains(why, cmp.Or(improver, method)) || !strings.Contains(why, c.gauge.Name()) {
				t.Errorf("%s: %s with %v, %q", c.gauge.Name(), m.Name(), im, why)
			}
			r := testrun.Must(t, p, m, solver.Options{Tol: 1e-3, MaxIter: 400, Improver: im})
			if r.Status != solver.Converged && r.State.Cert.Kind != gcg.Approximate {
				t.Errorf("%s, %T: %s after %d iterations, gap %g", c.gauge.Name(), h, r.Status, r.Iter, r.State.Cert.Relative)
			}
		}
	}
}

// Without second derivatives For chooses what needs none.
func TestForWithoutSecondDerivatives(t *testing.T) {
	op, y, _, _ := testproblem.Regression(t, 40, 9, 3)
	for _, k := range []gcg.Gauge{gauge.Trace{}, gauge.L1{}, gauge.SchattenP{P: 2}} {
		p, lambda := testrun.AtFraction(t, &gcg.Problem{Operator: op, Loss: straightLoss{&loss.Huber{Y: y, Mu: 1}}, Gauge: k}, 0.3)
		for _, h := range []gcg.Penalty{gauge.Linear{Lambda: lambda}, gauge.Ball{Zeta: 0.5}} {
			p.Penalty = h
			m, im, why := solver.For(p)
			r := testrun.Must(t, p, m, solver.Options{Tol: 1e-2, MaxIter: 2000, Improver: im})
			if r.Status != solver.Converged {
				t.Errorf("%s, %T, %s: %s after %d iterations, gap %g", k.Name(), h, why, r.Status, r.Iter, r.State.Cert.Relative)
			}
		}
	}
}
