package solver_test

import (
	"context"
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/solver"
)

// Along a path each λ ends where a run by itself ends.
func TestPathEndsWhereRunsEnd(t *testing.T) {
	for name, g := range map[string]gcg.Gauge{"trace": gauge.Trace{}, "l1": gauge.L1{}, "group": gauge.Group{}} {
		for _, intercept := range []bool{false, true} {
			for tol, points := range map[float64]int{0.05: 20, 1e-7: 6} {
				p := testproblem.Classification(t, 400, 12, 5, 1, intercept)
				p.Gauge = g
				method, improver := &solver.GCG{}, solver.Improver(&solver.Corrective{})
				if name == "trace" {
					method.OutsideW, improver = true, &solver.Local{}
				}
				lambdas, err := solver.Grid(0.1, 1e-3, points)
				if err != nil {
					t.Fatal(err)
				}
				with := func(lambda float64) gcg.Penalty { return gauge.Linear{Lambda: lambda} }
				err = solver.Path(context.Background(), p, func() solver.Method { m := *method; return &m },
					solver.Options{Tol: tol, MinIter: 1, Improver: improver, MaxIter: 60}, lambdas, with,
					func(lambda float64, r *solver.Result) bool {
						if r.Status != solver.Converged {
							t.Errorf("%s, intercept %v, λ = %.2g: %s, relative gap %.1e of %g", name, intercept, lambda, r.Status,
								r.State.Cert.Relative, tol)
						}
						if lambda != lambdas[points-1] {
							return true
						}
						q, m := *p, *method
						q.Penalty = with(lambda)
						own := solver.Improver(&solver.Corrective{})
						if name == "trace" {
							own = &solver.Local{}
						}
						alone, err := solver.Run(context.Background(), &q, &m, solver.Options{Tol: 1e-8, Improver: own, MaxIter: 100})
						if err != nil {
							t.Fatal(err)
						}
						least, f := alone.State.Cert.Objective, r.State.Cert.Objective
						if f < least*(1-1e-8)-1e-12 || f > least*(1+tol)+1e-12 || r.State.Cert.LowerBound > least+1e-12 || math.IsNaN(f) {
							t.Errorf("%s, intercept %v, λ = %.2g: F is %v with a bound of %v, and %v of a run by itself", name, intercept, lambda, f,
								r.State.Cert.LowerBound, least)
						}
						return true
					})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
