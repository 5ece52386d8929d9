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

// Groups that overlap, in rounds of primal-dual steps on few entries. With fifty of all of x in a step it took 42.
func TestManyOverlapping(t *testing.T) {
	op, y := manyRows(t, 200, 20_000, 400)
	g := &structured.Groups{P: 20_000}
	for i := 0; i+10 <= g.P; i += 5 {
		members := make([]int32, 10)
		for k := range members {
			members[k] = int32(i + k)
		}
		g.Member, g.Weight = append(g.Member, members), append(g.Weight, 2)
	}
	solved(t, op, y, g, 1e-3)
}

// manyRows are rows of so many entries, and targets.
func manyRows(t *testing.T, rows, p, each int) (op *operator.Design, y []float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	ptr, index, values := []int64{0}, []int32{}, []float64{}
	y = make([]float64, rows)
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
	if op, err = operator.NewDesign(x, 1); err != nil {
		t.Fatal(err)
	}
	return op, y
}

// manyFeatures solves with disjoint groups, and with the fused penalty.
func manyFeatures(t *testing.T, rows, p, each int) {
	op, y := manyRows(t, rows, p, each)
	groups := &structured.Groups{P: p}
	for i := 0; i < p; i += 10 {
		members := make([]int32, 10)
		for k := range members {
			members[k] = int32(i + k)
		}
		groups.Member, groups.Weight = append(groups.Member, members), append(groups.Weight, 2)
	}
	for _, g := range []structured.Penalty{groups, &structured.Differences{P: p, Order: 1, Weight: 10}} {
		solved(t, op, y, g, 1e-6)
	}
}

// solved solves in a ball of a sixth of the ℓ1 norm of what made y.
func solved(t *testing.T, op *operator.Design, y []float64, g structured.Penalty, tol float64) {
	t.Helper()
	q, err := structured.Problem(op, &loss.Squared{Y: y}, g)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := g.Size()
	q.Gauge, q.Penalty = gauge.L1{}, gcg.Penalty(gauge.Ball{Zeta: 0.003 * float64(p)})
	r, err := solver.Run(context.Background(), q, &structured.Method{}, solver.Options{Tol: tol, MaxIter: 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %s, gap %.2g after %d steps, %.1f s of CPU, %d of x are not 0", g.Name(), r.Status,
		r.State.Cert.Relative, r.Iter, r.CPU.Seconds(), r.State.W.Nonzeros())
	if r.Status != solver.Converged {
		t.Errorf("%s: %s with a gap of %v", g.Name(), r.Status, r.State.Cert.Relative)
	}
}
