package support_test

import (
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testrun"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
	"github.com/seed-b18ef778/gcg/solver/support"
)

// counts is the Poisson loss Σ exp(z) - yz, whose curvature nothing bounds; of a type that Go does not compare.
type counts struct{ y []float64 }

func (l counts) Len() int           { return len(l.y) }
func (l counts) Stride() int        { return 1 }
func (l counts) Separable() bool    { return true }
func (l counts) Curvature() float64 { return math.Inf(1) }

func (l counts) Eval(lo int, z, r []float64) (sum float64) {
	for i := range z {
		e := math.Exp(z[i])
		sum += e - l.y[lo+i]*z[i]
		if r != nil {
			r[i] = l.y[lo+i] - e
		}
	}
	return sum
}

func (l counts) HessTo(dst []float64, _ int, z, e []float64) {
	for i := range e {
		dst[i] = math.Exp(z[i]) * e[i]
	}
}

func (l counts) Conjugate(lo int, r []float64, s float64) (sum float64) {
	for i := range r {
		if q := l.y[lo+i] - s*r[i]; q > 0 {
			sum += q*math.Log(q) - q
		} else if q < 0 {
			return math.Inf(1)
		}
	}
	return sum
}

// A loss of one's own without a bound of its curvature is as good as another, for every method and with an intercept.
func TestCurvatureWithoutBound(t *testing.T) {
	const n, features = 80, 35
	op, x, y := fewDirections(t, n, features, 20, 0)
	for i := range y {
		y[i] = math.Round(math.Exp((x[i*features] - x[i*features+1]) / 4))
	}
	for name, c := range map[string]struct {
		gauge    gcg.Gauge
		method   solver.Method
		improver solver.Improver
	}{
		"blocks": {gauge.L1{}, &conditional.GCG{}, &solver.Corrective{}}, "groups": {gauge.Group{}, &conditional.GCG{},
			&solver.Corrective{}},
		"local":           {gauge.Trace{}, &conditional.GCG{OutsideW: true}, &fixedrank.Local{}},
		"atom descent":    {gauge.L1{}, &support.AtomDescent{}, nil},
		"curvature steps": {gauge.L1{}, &support.AtomDescent{CurvatureStep: true}, nil},
		"quadratic bound": {gauge.L1{}, &conditional.GCG{Rule: conditional.QuadraticBound}, &solver.Corrective{}},
	} {
		for _, intercept := range []bool{false, true} {
			p := &gcg.Problem{Operator: op, Loss: counts{y}, Gauge: c.gauge, Penalty: gauge.Linear{Lambda: 5},
				Intercept: intercept}
			r := testrun.Must(t, p, c.method, solver.Options{Tol: 1e-5, MaxIter: 500, Improver: c.improver})
			if cert := r.State.Cert; r.Status != solver.Converged || !(cert.LowerBound <= cert.Objective) {
				t.Errorf("%s, intercept %v: %s, F = %.8g ≥ %.8g", name, intercept, r.Status, cert.Objective, cert.LowerBound)
			}
		}
	}
}
