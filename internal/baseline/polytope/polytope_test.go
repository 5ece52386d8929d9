package polytope_test

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/baseline/polytope"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/testrun"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
)

// permutations is the oracle of all orders of 1 … n.
func permutations(vertex, g []float64) {
	order := make([]int, len(g))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(g[a], g[b]) })
	for k, i := range order {
		vertex[i] = float64(k + 1)
	}
}

// methods are both, and plain steps of the same search beside them.
func methods() []solver.Method {
	return []solver.Method{&polytope.Method{}, &polytope.Method{Pairwise: true}, &conditional.GCG{}}
}

// The nearest points of an ℓ1 ball and of a simplex to y are known in closed form; both methods come to them in a number of steps
// that plain ones do not.
func TestNearestPoints(t *testing.T) {
	const n = 30
	rng := rand.New(rand.NewPCG(3, 1))
	y := make([]float64, n)
	for i := range y {
		y[i] = rng.NormFloat64()
	}
	op, err := operator.NewIdentity(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	distance := func(x func(v float64) float64) (f float64) {
		for _, v := range y {
			f += (v - x(v)) * (v - x(v)) / 2
		}
		return f
	}
	sizes := make([]float64, n)
	for i, v := range y {
		sizes[i] = math.Abs(v)
	}
	slices.Sort(sizes)
	slices.Reverse(sizes)
	theta := linalg.BallThreshold(sizes, 3)
	lo, hi := -10.0, 10.0
	for range 100 { // Σ max(y - τ, 0) = 1
		mid, sum := (lo+hi)/2, 0.0
		for _, v := range y {
			sum += math.Max(v-mid, 0)
		}
		if sum > 1 {
			lo = mid
		} else {
			hi = mid
		}
	}
	for _, c := range []struct {
		gauge   gcg.Gauge
		penalty gcg.Penalty
		want    float64
	}{
		{gauge.L1{}, gauge.Ball{Zeta: 3}, distance(func(v float64) float64 { return linalg.Soft(v, theta) })},
		{gauge.Simplex{}, gauge.Equal{Zeta: 1}, distance(func(v float64) float64 { return math.Max(v-hi, 0) })},
	} {
		p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: c.gauge, Penalty: c.penalty}
		for _, m := range methods() {
			r := testrun.Must(t, p, m, solver.Options{Tol: 1e-9, MaxIter: 300})
			testrun.Bracket(t, r, c.want, math.Inf(1))
			near := math.Abs(r.State.Cert.Objective-c.want) <= 1e-9*c.want && r.Status == solver.Converged
			if near != (m.Name() != "gcg") {
				t.Errorf("%s, %s: %v, want %v; %s after %d steps", c.gauge.Name(), m.Name(), r.State.Cert.Objective, c.want,
					r.Status,
					r.Iter)
			}
		}
	}
}

// The nearest point of a permutahedron is that of Corrective, which re-optimises all weights.
func TestPermutahedron(t *testing.T) {
	const n = 20
	rng := rand.New(rand.NewPCG(4, 2))
	y := make([]float64, n)
	for i := range y {
		y[i] = 10 + 8*rng.NormFloat64()
	}
	op, err := operator.NewIdentity(1, n)
	if err != nil {
		t.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.Hull{Oracle: permutations},
		Penalty: gauge.Equal{Zeta: 1}}
	known := testrun.Must(t, p, &conditional.GCG{}, solver.Options{Tol: 1e-10, MaxIter: 200,
		Improver: &solver.Corrective{}}).State.Cert
	for _, m := range methods()[:2] {
		r := testrun.Must(t, p, m, solver.Options{Tol: 1e-6, MaxIter: 2000})
		testrun.Bracket(t, r, known.Objective, 1e-6)
		if r.Status != solver.Converged {
			t.Errorf("%s: %s after %d steps, %+v", m.Name(), r.Status, r.Iter, r.State.Cert)
		}
		t.Logf("%s: %d steps", m.Name(), r.Iter)
	}
}

// A logistic loss, whose line searches have no closed form, and a start from elsewhere lead to the optimum of corrective steps.
func TestLogistic(t *testing.T) {
	op, _, signs, _ := testproblem.Regression(t, 40, 15, 1)
	p := &gcg.Problem{Operator: op, Loss: &loss.Logistic{Y: signs}, Gauge: gauge.L1{}, Penalty: gauge.Ball{Zeta: 2}}
	known := testrun.Must(t, p, &conditional.GCG{}, solver.Options{Tol: 1e-9, Improver: &solver.Corrective{}}).State
	for _, m := range methods()[:2] {
		for _, start := range []*gcg.Iterate{nil, known.W} {
			r := testrun.Must(t, p, m, solver.Options{Tol: 1e-6, MaxIter: 2000, Start: start})
			testrun.Bracket(t, r, known.Cert.Objective, 1e-6)
			if r.Status != solver.Converged {
				t.Errorf("%s: %s after %d steps, %+v", m.Name(), r.Status, r.Iter, r.State.Cert)
			}
		}
	}
}

// What has no vertices, no bound or an intercept is refused by name.
func TestRefused(t *testing.T) {
	op, y, _, _ := testproblem.Regression(t, 20, 6, 1)
	for _, p := range []*gcg.Problem{
		{Gauge: gauge.L1{}, Penalty: gauge.Linear{Lambda: 1}},
		{Gauge: gauge.Trace{}, Penalty: gauge.Ball{Zeta: 1}},
		{Gauge: gauge.Group{}, Penalty: gauge.Ball{Zeta: 1}},
		{Gauge: gauge.L1{}, Penalty: gauge.Ball{Zeta: 1}, Intercept: true},
	} {
		p.Operator, p.Loss = op, &loss.Squared{Y: y}
		for _, m := range methods()[:2] {
			_, err := solver.Run(context.Background(), p, m, solver.Options{})
			if err == nil || !strings.Contains(err.Error(), m.Name()) || !strings.Contains(err.Error(), p.Gauge.Name()) {
				t.Errorf("%s, %s: %v", m.Name(), p.Gauge.Name(), err)
			}
		}
	}
}
