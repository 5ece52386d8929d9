package support_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testrun"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
)

// Entries that must not be negative, on features that five directions nearly span: steps that put some of them to 0 go on from
// where they end. On the simplex κ = 20 is more than least squares want for some targets, and its multiplier is negative.
func TestPositiveEntries(t *testing.T) {
	const n, features = 60, 80
	start := &gcg.Iterate{M: features, N: 1}
	start.Add([]gcg.Atom{{Key: 1, Rows: []int32{0}, Cols: []int32{0}, Vals: []float64{1}}}, []float64{20})
	for seed := range uint64(40) {
		op, _, y := fewDirections(t, n, features, 5, seed)
		for _, c := range []struct {
			gauge   gcg.Gauge
			penalty gcg.Penalty
			start   *gcg.Iterate
		}{{gauge.PositiveL1{}, gauge.Linear{Lambda: 0.1}, nil}, {gauge.PositiveL1{}, gauge.Square{Lambda: 0.01}, nil},
			{gauge.PositiveL1{}, gauge.Ball{Zeta: 20}, nil}, {gauge.Simplex{}, gauge.Equal{Zeta: 20}, start}} {
			p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: c.gauge, Penalty: c.penalty}
			r := testrun.Must(t, p, &conditional.GCG{}, solver.Options{Tol: 1e-7, MaxIter: 25,
				Improver: &solver.Corrective{}, Start: c.start})
			if r.Status != solver.Converged {
				t.Errorf("%d, %T, %T: %s, relative gap %.1e", seed, c.gauge, c.penalty, r.Status, r.State.Cert.Relative)
			}
		}
	}
}

// fewDirections are normal features that k directions span but for a tenth, of one sign for odd seeds, and targets that some of
// them add up to.
func fewDirections(t testing.TB, n, features, k int, seed uint64) (op *operator.Design, x, y []float64) {
	rng := rand.New(rand.NewPCG(seed, 3))
	normals := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		return v
	}
	left, right, w := normals(n*k), normals(k*features), normals(features)
	x, y = normals(n*features), normals(n)
	for i := range n {
		y[i] /= 2
		for j := range features {
			e := &x[i*features+j]
			*e /= 10
			for a := range k {
				*e += left[i*k+a] * right[a*features+j]
			}
			if seed%2 == 1 {
				*e = math.Abs(*e)
			}
			y[i] += *e * math.Max(w[j], 0)
		}
	}
	f, err := operator.DenseFeatures(n, features, x)
	if err != nil {
		t.Fatal(err)
	}
	if op, err = operator.NewDesign(f, 1); err != nil {
		t.Fatal(err)
	}
	return op, x, y
}
