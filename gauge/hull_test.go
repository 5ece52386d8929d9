package gauge_test

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
)

// permutahedron writes the permutation of c that maximises its product with g: large where g is.
func permutahedron(c []float64) func(vertex, g []float64) {
	c = slices.Sorted(slices.Values(c))
	return func(vertex, g []float64) {
		order := make([]int, len(g))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(g[a], g[b]) })
		for k, i := range order {
			vertex[i] = c[k]
		}
	}
}

// projection is the nearest point of the permutahedron of c to y: with y sorted, y - v for the v of an isotonic regression of
// y - c, both falling.
func projection(y, c []float64) []float64 {
	n := len(y)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(y[b], y[a]) })
	c = slices.Sorted(slices.Values(c))
	slices.Reverse(c)
	type pool struct {
		sum   float64
		count int
	}
	var pools []pool
	for k, i := range order {
		pools = append(pools, pool{y[i] - c[k], 1})
		for l := len(pools); l > 1 && rises(pools[l-2].sum, pools[l-1].sum, pools[l-2].count, pools[l-1].count); l = len(pools) {
			pools[l-2] = pool{pools[l-2].sum + pools[l-1].sum, pools[l-2].count + pools[l-1].count}
			pools = pools[:l-1]
		}
	}
	x, k := make([]float64, n), 0
	for _, p := range pools {
		for range p.count {
			x[order[k]] = y[order[k]] - p.sum/float64(p.count)
			k++
		}
	}
	return x
}

// rises says that the mean of a first pool is below that of the second.
func rises(first, second float64, count, next int) bool {
	return first*float64(next) < second*float64(count)
}

// The nearest point of a permutahedron is known by an isotonic regression, and closes in a few steps of re-optimised vertices.
// Below a gap of the square root of rounding a further vertex lowers F by less than F shows, and no run is held to that.
func TestHullOfPermutations(t *testing.T) {
	const n = 20
	rng := rand.New(rand.NewPCG(4, 2))
	c, y := make([]float64, n), make([]float64, n)
	for i := range c {
		c[i], y[i] = float64(i+1), 10+8*rng.NormFloat64()
	}
	op, err := operator.NewIdentity(1, n)
	if err != nil {
		t.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.Hull{Oracle: permutahedron(c)},
		Penalty: gauge.Equal{Zeta: 1}}
	m, im, _ := solver.For(p)
	r, err := solver.Run(context.Background(), p, m, solver.Options{Improver: im, Tol: 1e-7, MaxIter: 200})
	if err != nil {
		t.Fatal(err)
	}
	x := r.State.W.Dense()
	var want, off float64
	for i, at := range projection(y, c) {
		want += (at - y[i]) * (at - y[i]) / 2
		off = math.Max(off, math.Abs(at-x[i]))
	}
	if r.Status != solver.Converged || off > 1e-6 {
		t.Errorf("%s after %d steps: entries off by %v", r.Status, r.State.Iter, off)
	}
	if cert := r.State.Cert; cert.LowerBound > want*(1+1e-12) || cert.Objective < want*(1-1e-12) {
		t.Errorf("the optimum %v is not within [%v, %v]", want, cert.LowerBound, cert.Objective)
	}
}

// A hull refuses what is no vertex.
func TestHullRefuses(t *testing.T) {
	g := gcg.LowRank(gcg.NewFactor(2, 1), gcg.NewFactor(3, 1))
	if _, err := (gauge.Hull{}).Polar(context.Background(), g, gcg.Ask{}); err == nil {
		t.Error("no oracle is taken")
	}
	bad := gauge.Hull{Oracle: func(v, _ []float64) { v[4] = math.NaN() }}
	if _, err := bad.Polar(context.Background(), g, gcg.Ask{}); err == nil {
		t.Error("a vertex of NaN is taken")
	}
}
