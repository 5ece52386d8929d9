package linalg

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// randomSystem is A = BᵀB + I by rows, its diagonal, and a right side.
func randomSystem(rng *rand.Rand, n int) (a, diagonal, r []float64) {
	b := make([]float64, n*n)
	for e := range b {
		b[e] = rng.NormFloat64()
	}
	a, diagonal, r = make([]float64, n*n), make([]float64, n), make([]float64, n)
	for i := range n {
		for j := range n {
			for l := range n {
				a[i*n+j] += b[l*n+i] * b[l*n+j]
			}
		}
		a[i*n+i]++
		diagonal[i], r[i] = a[i*n+i], rng.NormFloat64()
	}
	return a, diagonal, r
}

func system(a, diagonal []float64) *ConjugateGradients {
	n := len(diagonal)
	return &ConjugateGradients{Limit: 3 * n, Accuracy: 1e-12,
		Multiply: func(aq, q, _ []float64) {
			for i := range aq {
				aq[i] = kernel.Dot(a[i*n:(i+1)*n], q)
			}
		},
		Precondition: func(z, r []float64) {
			for i, x := range r {
				z[i] = x / diagonal[i]
			}
		}}
}

// Solutions leave the residual that they say they do, again and again in the same work space, and P q is that.
func TestConjugateGradientsSolve(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for _, n := range []int{1, 2, 7, 30} {
		a, diagonal, r := randomSystem(rng, n)
		c := system(a, diagonal)
		multiply := c.Multiply
		c.Multiply = func(aq, q, pq []float64) {
			for i := range q {
				if want := diagonal[i] * q[i]; math.Abs(pq[i]-want) > 1e-8*(1+math.Abs(want)) {
					t.Fatalf("n=%d: P q is %g at %d, want %g", n, pq[i], i, want)
				}
			}
			multiply(aq, q, pq)
		}
		for range 2 {
			x, rest, ax := make([]float64, n), append([]float64(nil), r...), make([]float64, n)
			x[0] = math.NaN() // is overwritten
			if _, ok := c.Solve(x, rest); !ok {
				t.Fatalf("n=%d: not positive definite", n)
			}
			multiply(ax, x, nil)
			for i := range ax {
				if math.Abs(r[i]-ax[i]-rest[i]) > 1e-9 || math.Abs(rest[i]) > 1e-8 {
					t.Errorf("n=%d: the residual %d is %g, said to be %g", n, i, r[i]-ax[i], rest[i])
				}
			}
		}
	}
}

func TestConjugateGradientsEnd(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	const n = 12
	a, diagonal, r := randomSystem(rng, n)
	solve := func(c *ConjugateGradients) (steps int, ok bool, x []float64) {
		x = make([]float64, n)
		steps, ok = c.Solve(x, append([]float64(nil), r...))
		return steps, ok, x
	}
	c := system(a, diagonal)
	c.Limit = 3
	if steps, ok, _ := solve(c); steps != 3 || !ok {
		t.Errorf("%d steps of at most 3, ok %v", steps, ok)
	}
	c, asked := system(a, diagonal), 0
	c.Stop = func([]float64) bool { asked++; return asked == 3 }
	if steps, ok, _ := solve(c); steps != 2 || !ok {
		t.Errorf("%d steps where it is told to stop after 2, ok %v", steps, ok)
	}
	c = system(a, diagonal)
	c.Flat = 1e9
	if steps, ok, x := solve(c); steps != 0 || ok || kernel.SumSq(x) != 0 {
		t.Errorf("a flat matrix: %d steps, ok %v, x = %v", steps, ok, x)
	}
	for e := range a {
		a[e] = -a[e]
	}
	if _, ok, _ := solve(system(a, diagonal)); ok {
		t.Error("a negative matrix is ok")
	}
	clear(r)
	if steps, ok, _ := solve(system(a, diagonal)); steps != 0 || !ok {
		t.Errorf("%d steps for r = 0, ok %v", steps, ok)
	}
}
