package solver_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/convex"
)

// distanceFrom is ℓ(x) = ½‖x - b‖².
func distanceFrom(b []float64) func(grad, x []float64) float64 {
	return func(grad, x []float64) float64 {
		var f float64
		for i := range x {
			grad[i] = x[i] - b[i]
			f += grad[i] * grad[i] / 2
		}
		return f
	}
}

// simplex writes the best vertex e_i.
func simplex(d, y []float64) {
	top := 0
	for i := range y {
		if y[i] > y[top] {
			top = i
		}
	}
	clear(d)
	d[top] = 1
}

// onSimplex is the distance of b from the simplex, from its closed form max(b - τ, 0).
func onSimplex(b []float64) float64 {
	s := append([]float64(nil), b...)
	sort.Sort(sort.Reverse(sort.Float64Slice(s)))
	var sum, tau float64
	for k, x := range s {
		sum += x
		if t := (sum - 1) / float64(k+1); t < x {
			tau = t
		}
	}
	var f float64
	for _, x := range b {
		f += math.Pow(math.Max(x-tau, 0)-x, 2) / 2
	}
	return f
}

// solveConvex runs a convex from a start.
func solveConvex(c *convex.Method, start []float64, tol float64, steps int) (x []float64, r *solver.Result, err error) {
	p, err := c.Problem(start)
	if err != nil {
		return nil, nil, err
	}
	if r, err = solver.Run(context.Background(), p, c, solver.Options{Tol: tol, MaxIter: steps,
		Improver: c.Improver()}); err != nil {
		return nil, nil, err
	}
	return c.PointAt(r.State), r, nil
}

func TestConvexOnTheSimplex(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 5, 30} {
		b := make([]float64, n)
		for i := range b {
			b[i] = rng.NormFloat64()
		}
		want := onSimplex(b)
		start := make([]float64, n)
		start[0] = 1
		for _, open := range []bool{false, true} {
			at, r, err := solveConvex(&convex.Method{Smooth: distanceFrom(b), SubgradientTo: simplex, OpenLoop: open}, start,
				1e-3, 0)
			if err != nil {
				t.Fatal(err)
			}
			if k := r.State.Cert; k.LowerBound > want+1e-12 || k.Objective < want-1e-12 || r.Status != solver.Converged ||
				k.Gap > 1e-3*k.Objective {
				t.Errorf("n = %d, open loop %v: %s, optimum %v not in [%v, %v]", n, open, r.Status, want, k.LowerBound,
					k.Objective)
			}
			var sum float64
			for _, x := range at {
				if sum += x; x < 0 {
					t.Errorf("n = %d: x has %v", n, x)
				}
			}
			if math.Abs(sum-1) > 1e-12 || start[0] != 1 {
				t.Errorf("n = %d: x sums to %v; the start is %v", n, sum, start)
			}
		}
	}
}

// f(x) = Σ xᵢ log xᵢ on the simplex is no indicator: f* is the log-sum-exp, its gradient the softmax. With a linear ℓ = ⟨c, x⟩
// one step gives F* = -lse(-c); with ½‖x - b‖² the optimum is where its own derivative says so.
func TestConvexEntropy(t *testing.T) {
	entropy := func(x []float64) float64 {
		var f float64
		for _, v := range x {
			if v > 0 {
				f += v * math.Log(v)
			}
		}
		return f
	}
	softmax := func(d, y []float64) {
		top := math.Inf(-1)
		for _, v := range y {
			top = math.Max(top, v)
		}
		var sum float64
		for i, v := range y {
			d[i] = math.Exp(v - top)
			sum += d[i]
		}
		for i := range d {
			d[i] /= sum
		}
	}
	c := []float64{0.3, -1, 2, 0.1}
	var z float64
	for _, v := range c {
		z += math.Exp(-v)
	}
	start := []float64{1, 0, 0, 0}
	linear := func(grad, x []float64) (f float64) {
		copy(grad, c)
		for i := range x {
			f += c[i] * x[i]
		}
		return f
	}
	_, r, err := solveConvex(&convex.Method{Smooth: linear, Value: entropy, SubgradientTo: softmax}, start, 1e-12, 10)
	if err != nil || math.Abs(r.State.Cert.Objective+math.Log(z)) > 1e-12 || r.Status != solver.Converged || r.Iter != 1 {
		t.Errorf("a linear ℓ: %+v, %v, want %v", r, err, -math.Log(z))
	}
	at, r, err := solveConvex(&convex.Method{Smooth: distanceFrom(c), Value: entropy, SubgradientTo: softmax}, start, 1e-10, 0)
	if err != nil || r.Status != solver.Converged {
		t.Fatal(r, err)
	}
	for i, x := range at { // stationarity: x - c + log x + 1 is the same for all entries
		if d := x - c[i] + math.Log(x) - (at[0] - c[0] + math.Log(at[0])); math.Abs(d) > 1e-3 {
			t.Errorf("entry %d is off by %v", i, d)
		}
	}
}

// Improve is kept only where it helps, and bad values are errors.
func TestConvexImproveAndErrors(t *testing.T) {
	b := []float64{0.5, 0.4, 0.3, -1}
	start := []float64{1, 0, 0, 0}
	optimum := []float64{0.5 - 0.2/3, 0.4 - 0.2/3, 0.3 - 0.2/3, 0}
	good := func(x []float64) { copy(x, optimum) }
	bad := func(x []float64) { copy(x, start) }
	c := &convex.Method{Smooth: distanceFrom(b), SubgradientTo: simplex, Improve: good}
	if _, r, err := solveConvex(c, start, 1e-9, 0); err != nil || r.Iter != 1 || r.Status != solver.Converged {
		t.Errorf("with the optimum offered: %+v, %v", r, err)
	}
	c.Improve = bad
	if _, r, err := solveConvex(c, start, 1e-3, 0); err != nil || r.Status != solver.Converged {
		t.Errorf("with a bad improvement: %+v, %v", r, err)
	}
	c.Smooth = func(grad, x []float64) float64 { clear(grad); return math.NaN() }
	if _, _, err := solveConvex(c, start, 1e-3, 0); err == nil {
		t.Error("a NaN passes")
	}
	if _, err := new(convex.Method).Problem(start); err == nil {
		t.Error("no function passes")
	}
	other, err := (&convex.Method{Smooth: distanceFrom(b), SubgradientTo: simplex}).Problem(start)
	check(t, err)
	if _, err := solver.Run(context.Background(), other, c, solver.Options{}); err == nil {
		t.Error("the problem of another passes")
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	c.Smooth = distanceFrom(b)
	p, err := c.Problem(start)
	check(t, err)
	if r, err := solver.Run(cancelled, p, c, solver.Options{Tol: 1e-9}); r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %+v, %v", r, err)
	}
}

// The point of a polytope, given by its vertices, that is nearest to b: the subgradient of the conjugate of its indicator is
// the vertex that reaches furthest along y.
func ExampleRun_ofASubgradient() {
	vertices := [][]float64{{0, 0}, {4, 0}, {4, 1}, {1, 4}, {0, 4}}
	b := []float64{4, 4}
	c := &convex.Method{
		Smooth: func(grad, x []float64) float64 {
			grad[0], grad[1] = x[0]-b[0], x[1]-b[1]
			return (grad[0]*grad[0] + grad[1]*grad[1]) / 2
		},
		SubgradientTo: func(d, y []float64) {
			best := math.Inf(-1)
			for _, v := range vertices {
				if reach := v[0]*y[0] + v[1]*y[1]; reach > best {
					best = reach
					copy(d, v)
				}
			}
		},
	}
	p, err := c.Problem(vertices[0])
	if err != nil {
		log.Fatal(err)
	}
	r, err := solver.Run(context.Background(), p, c, solver.Options{Tol: 1e-6})
	if err != nil {
		log.Fatal(err)
	}
	x, k := c.PointAt(r.State), r.State.Cert
	fmt.Printf("%s: nearest point (%.3f, %.3f), %.3f ≤ F* ≤ %.3f\n", r.Status, x[0], x[1], k.LowerBound, k.Objective)
	// Output: converged: nearest point (2.500, 2.500), 2.250 ≤ F* ≤ 2.250
}

// The search steps to the minimum of a quadratic though the derivative at the secant's root is positive by rounding.
func TestConvexStepsToTheRoot(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 6))
		n := 1 + rng.IntN(6)
		c, w := make([]float64, n), make([]float64, n)
		for i := range c {
			c[i], w[i] = 3*rng.NormFloat64(), rng.ExpFloat64()
		}
		box := &convex.Method{ // ½Σw(x-c)² on [-1, 1]ⁿ
			Smooth: func(grad, x []float64) (f float64) {
				for i := range x {
					grad[i] = w[i] * (x[i] - c[i])
					f += grad[i] * (x[i] - c[i]) / 2
				}
				return f
			},
			SubgradientTo: func(d, y []float64) {
				for i := range d {
					d[i] = math.Copysign(1, y[i])
				}
			},
		}
		_, r, err := solveConvex(box, make([]float64, n), 1e-6, 300)
		if err != nil {
			t.Fatal(err)
		}
		var want float64
		for i := range c {
			d := math.Max(math.Abs(c[i])-1, 0)
			want += w[i] * d * d / 2
		}
		if k := r.State.Cert; k.LowerBound > want*(1+1e-12)+1e-12 || k.Objective < want*(1-1e-12) ||
			r.Status == solver.Stalled && k.Gap > 1e-3*want+1e-9 {
			t.Errorf("seed %d: %s after %d iterations, the optimum %v in [%v, %v]", seed, r.Status, r.Iter, want,
				k.LowerBound, k.Objective)
		}
	}
}
