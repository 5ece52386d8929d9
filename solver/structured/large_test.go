package structured_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/structured"
)

var large = flag.Bool("large", false, "solve with a million features, which takes half a minute")

// Q = DᵀD is never formed: a million features of a sparse design, 500 for each row, with each penalty.
func TestMillionFeatures(t *testing.T) {
	if !*large {
		t.Skip("half a minute long: -large runs it")
	}
	manyFeatures(t, 2000, 1_000_000, 1000)
}

// The same, smaller. Ten proximal steps of all of x in a step took 137 and 22 steps.
func TestManyFeatures(t *testing.T) { manyFeatures(t, 200, 40_000, 400) }

// manyFeatures solves with rows of so many entries, in a ball of a sixth of the ℓ1 norm of what made y.
func manyFeatures(t *testing.T, rows, p, each int) {
	rng := rand.New(rand.NewPCG(1, 1))
	ptr, index, values, y := []int64{0}, []int32{}, []float64{}, make([]float64, rows)
	for i := range rows {
		at := 0
		for range each {
			at += 1 + rng.IntN(2*p/each-1)
			if at >= p {
				break
			}
			v := rng.NormFloat64()
			index, values = append(index, int32(at)), append(values, v)
			if at >= p/2 && at < p/2+p/50 {
				y[i] += v
			}
		}
		y[i] += 0.1 * rng.NormFloat64()
		ptr = append(ptr, int64(len(values)))
	}
	x, err := operator.SparseFeatures(rows, p, ptr, index, values)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewDesign(x, 1)
	if err != nil {
		t.Fatal(err)
	}
	groups := &structured.Groups{P: p}
	for i := 0; i < p; i += 10 {
		members := make([]int32, 10)
		for k := range members {
			members[k] = int32(i + k)
		}
		groups.Member, groups.Weight = append(groups.Member, members), append(groups.Weight, 2)
	}
	for _, g := range []structured.Penalty{groups, &structured.Differences{P: p, Order: 1, Weight: 10}} {
		q, err := structured.Problem(op, &loss.Squared{Y: y}, g)
		if err != nil {
			t.Fatal(err)
		}
		q.Gauge, q.Penalty = gauge.L1{}, gcg.Penalty(gauge.Ball{Zeta: 0.003 * float64(p)})
		r, err := solver.Run(context.Background(), q, &structured.Method{}, solver.Options{Tol: 1e-6, MaxIter: 20})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %s, gap %.2g after %d steps, %.1f s of CPU, %d of x are not 0", g.Name(), r.Status,
			r.State.Cert.Relative, r.Iter, r.CPU.Seconds(), r.State.W.Nonzeros())
		if r.Status != solver.Converged {
			t.Errorf("%s: %s with a gap of %v", g.Name(), r.Status, r.State.Cert.Relative)
		}
	}
}
