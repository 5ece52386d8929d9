package solver_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/seed-b18ef778/gcg/solver"
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
			c := solver.Convex{Smooth: distanceFrom(b), SubgradientTo: simplex, OpenLoop: open}
			r, err := c.Run(context.Background(), start, 1e-3, 0)
			if err != nil {
				t.Fatal(err)
			}
			if r.LowerBound > want+1e-12 || r.Objective < want-1e-12 || r.Status != solver.Converged || r.Gap > 1e-3*r.Objective {
				t.Errorf("n = %d, open loop %v: %s, optimum %v not in [%v, %v]", n, open, r.Status, want, r.LowerBound, r.Objective)
			}
			var sum float64
			for _, x := range r.X {
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
	r, err := solver.Convex{Smooth: linear, Value: entropy, SubgradientTo: softmax}.Run(context.Background(), start, 1e-12, 10)
	if err != nil || math.Abs(r.Objective+math.Log(z)) > 1e-12 || r.Status != solver.Converged {
		t.Errorf("a linear ℓ: %+v, %v, want %v", r, err, -math.Log(z))
	}
	r, err = solver.Convex{Smooth: distanceFrom(c), Value: entropy, SubgradientTo: softmax}.Run(context.Background(), start, 1e-10, 0)
	if err != nil || r.Status != solver.Converged {
		t.Fatal(r, err)
	}
	for i, x := range r.X { // stationarity: x - c + log x + 1 is the same for all entries
		if d := x - c[i] + math.Log(x) - (r.X[0] - c[0] + math.Log(r.X[0])); math.Abs(d) > 1e-3 {
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
	c := solver.Convex{Smooth: distanceFrom(b), SubgradientTo: simplex, Improve: good}
	if r, err := c.Run(context.Background(), start, 1e-9, 0); err != nil || r.Iter != 1 || r.Status != solver.Converged {
		t.Errorf("with the optimum offered: %+v, %v", r, err)
	}
	c.Improve = bad
	if r, err := c.Run(context.Background(), start, 1e-3, 0); err != nil || r.Status != solver.Converged {
		t.Errorf("with a bad improvement: %+v, %v", r, err)
	}
	c.Smooth = func(grad, x []float64) float64 { clear(grad); return math.NaN() }
	if _, err := c.Run(context.Background(), start, 1e-3, 0); err == nil {
		t.Error("a NaN passes")
	}
	if _, err := (solver.Convex{}).Run(context.Background(), start, 1e-3, 0); err == nil {
		t.Error("no function passes")
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	c.Smooth = distanceFrom(b)
	if r, err := c.Run(cancelled, start, 1e-9, 0); err != nil || r.Status != solver.Interrupted || r.LowerBound > r.Objective {
		t.Errorf("cancelled: %+v, %v", r, err)
	}
}

// The point of a polytope, given by its vertices, that is nearest to b: the subgradient of the conjugate of its indicator is
// the vertex that reaches furthest along y.
func ExampleConvex() {
	vertices := [][]float64{{0, 0}, {4, 0}, {4, 1}, {1, 4}, {0, 4}}
	b := []float64{4, 4}
	c := solver.Convex{
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
	r, err := c.Run(context.Background(), vertices[0], 1e-6, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: nearest point (%.3f, %.3f), %.3f ≤ F* ≤ %.3f\n", r.Status, r.X[0], r.X[1], r.LowerBound, r.Objective)
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
		box := solver.Convex{ // ½Σw(x-c)² on [-1, 1]ⁿ
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
		r, err := box.Run(context.Background(), make([]float64, n), 1e-6, 300)
		if err != nil {
			t.Fatal(err)
		}
		var want float64
		for i := range c {
			d := math.Max(math.Abs(c[i])-1, 0)
			want += w[i] * d * d / 2
		}
		if r.LowerBound > want*(1+1e-12)+1e-12 || r.Objective < want*(1-1e-12) || r.Status == solver.Stalled && r.Gap > 1e-3*want+1e-9 {
			t.Errorf("seed %d: %s after %d iterations, the optimum %v in [%v, %v]", seed, r.Status, r.Iter, want, r.LowerBound, r.Objective)
		}
	}
}
