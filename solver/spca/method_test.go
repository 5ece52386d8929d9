package spca_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/spca"
	"gonum.org/v1/gonum/mat"
)

// paper is C = UUᵀ + 10vvᵀ with U uniform on [0, 1] and v so too in a tenth of its entries [Argyriou14 §6.2].
func paper(n int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	u, v := make([]float64, n*n), make([]float64, n)
	for i := range u {
		u[i] = rng.Float64()
	}
	for i := range v {
		if rng.Float64() < 0.1 {
			v[i] = rng.Float64()
		}
	}
	c := make([]float64, n*n)
	kernel.GemmNT(c, u, u, n, n, n)
	for i := range n {
		for j := range n {
			c[i*n+j] += 10 * v[i] * v[j]
		}
	}
	return c
}

// sampled is the covariance of m normal rows of n variables, with a spike.
func sampled(n, m int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 2))
	x := make([]float64, m*n)
	for i := range m {
		spike := 2 * rng.NormFloat64()
		for j := range n {
			x[i*n+j] = rng.NormFloat64()
			if j < n/4 {
				x[i*n+j] += spike
			}
		}
	}
	c := make([]float64, n*n)
	kernel.GemmTN(c, x, x, n, n, m)
	kernel.Scale(1/float64(m), c)
	return c
}

// blocks is two equal spiked blocks: the optimum may mix them, with rank two.
func blocks(n int) []float64 {
	c := make([]float64, n*n)
	for i := range n {
		for j := range n {
			if (i < n/2) == (j < n/2) {
				c[i*n+j] = 1
			} else if (i+j)%2 == 0 {
				c[i*n+j] = 0.4
			} else {
				c[i*n+j] = -0.4
			}
		}
		c[i*n+i] = 2
	}
	return c
}

// solve runs the method and checks its bracket by hand.
func solve(t *testing.T, c []float64, n int, lambda, tol float64) *solver.Result {
	t.Helper()
	m, err := spca.New(c, n, lambda)
	if err != nil {
		t.Fatal(err)
	}
	p := m.Problem()
	r, err := solver.Run(context.Background(), p, m, solver.Options{Tol: tol, Start: m.Start(), Plateau: 1000, MaxIter: 3000})
	if err != nil {
		t.Fatal(err)
	}
	x, f := r.State.W.Dense(), 0.0
	var trace float64
	for i := range n {
		trace += x[i*n+i]
		for j := range n {
			f += lambda*math.Abs(x[i*n+j]) - c[i*n+j]*x[i*n+j]
			if math.Abs(x[i*n+j]-x[j*n+i]) > 1e-12 {
				t.Fatalf("X is not symmetric at (%d, %d)", i, j)
			}
		}
	}
	if smallest := eigenvalues(x, n)[0]; math.Abs(trace-1) > 1e-10 || smallest < -1e-12 {
		t.Errorf("X has the trace %v and the eigenvalue %v", trace, smallest)
	}
	if cert := r.State.Cert; math.Abs(f-cert.Objective) > 1e-9*math.Abs(f) {
		t.Errorf("the objective is %v, by hand %v", cert.Objective, f)
	}
	return r
}

// eigenvalues are those of a symmetric row-major matrix, ascending.
func eigenvalues(x []float64, n int) []float64 {
	var e mat.EigenSym
	if !e.Factorize(mat.NewSymDense(n, append([]float64(nil), x...)), false) {
		panic("no eigenvalues")
	}
	return e.Values(nil)
}

// naive is the optimum by alternating directions on whole matrices, with all eigenvalues in every step: no components, no
// shortcut, no relaxation, and steps until nothing moves.
func naive(t *testing.T, c []float64, n int, lambda, rho float64) float64 {
	t.Helper()
	y, u := make([]float64, n*n), make([]float64, n*n)
	var best float64
	for step := range 30000 {
		a := mat.NewSymDense(n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				at := i*n + j
				a.SetSym(i, j, y[at]+(c[at]-u[at])/rho)
			}
		}
		var e mat.EigenSym
		if !e.Factorize(a, true) {
			t.Fatal("no eigenvalues")
		}
		values, q := e.Values(nil), mat.Dense{}
		e.VectorsTo(&q)
		lo, hi := values[0]-1, values[n-1]
		for range 200 { // the level at which the trace is 1
			level := (lo + hi) / 2
			sum := 0.0
			for _, v := range values {
				sum += math.Max(v-level, 0)
			}
			if sum > 1 {
				lo = level
			} else {
				hi = level
			}
		}
		for i, v := range values {
			values[i] = math.Max(v-hi, 0)
		}
		var x, left mat.Dense
		left.Mul(&q, mat.NewDiagDense(n, values))
		x.Mul(&left, q.T())
		var moved, f float64
		for i := range n {
			for j := range n {
				at := i*n + j
				f += c[at]*x.At(i, j) - lambda*math.Abs(x.At(i, j))
				b := x.At(i, j) + u[at]/rho
				next := math.Copysign(math.Max(math.Abs(b)-lambda/rho, 0), b)
				moved = math.Max(moved, math.Max(math.Abs(next-y[at]), math.Abs(x.At(i, j)-next)))
				y[at], u[at] = next, rho*(b-next)
			}
		}
		if best = f; step > 10 && moved < 1e-9 {
			break
		}
	}
	return -best
}

// The optimum is that of the naive twin, and the bracket closes on it.
func TestOptimaOfTheNaiveTwin(t *testing.T) {
	for _, n := range []int{10, 16, 25, 40} {
		for k, c := range [][]float64{sampled(n, 2*n, 1), sampled(n, n/2, 2), paper(n, 3), blocks(n)} {
			if testing.Short() && n > 16 {
				continue
			}
			for _, part := range []float64{0.1, 0.3, 0.6} {
				if n == 40 && part != 0.3 { // the twin takes seconds there
					continue
				}
				lambda := part * largest(c, n)
				r := solve(t, c, n, lambda, 1e-7)
				want := naive(t, c, n, lambda, lambda*3)
				if f := r.State.Cert.Objective; r.Status != solver.Converged || math.Abs(f-want) > 1e-5*math.Abs(want) {
					t.Errorf("n = %d, C %d, λ = %.3g: %v with %v after %d steps; the twin has %v", n, k, lambda, r.Status, f, r.Iter,
						want)
				}
			}
		}
	}
}

// largest is the largest C_ii.
func largest(c []float64, n int) float64 {
	top := c[0]
	for i := range n {
		top = math.Max(top, c[i*n+i])
	}
	return top
}

// Where solutions of rank one and two are optimal, one of them is found: nothing of a higher rank.
func TestSolutionOfRankTwo(t *testing.T) {
	c := blocks(20)
	r := solve(t, c, 20, 0.2, 1e-8)
	want := naive(t, c, 20, 0.2, 0.6)
	values := eigenvalues(r.State.W.Dense(), 20)
	if f := r.State.Cert.Objective; r.Status != solver.Converged || math.Abs(f-want) > 1e-5*math.Abs(want) || values[17] > 1e-3 {
		t.Errorf("%v at %v, where the twin has %v, with the leading eigenvalues %v", r.Status, f, want, values[17:])
	}
}

// A variable of C_ii ≤ λ may be in the solution.
func TestSmallVarianceIsNotExcluded(t *testing.T) {
	r := solve(t, []float64{1, 10, 10, 1000}, 2, 2, 1e-9)
	if f := r.State.Cert.Objective; r.Status != solver.Converged || math.Abs(f+998.0644) > 1e-3 {
		t.Errorf("%v with %v; the optimum is -998.064", r.Status, f)
	}
}

// Beyond max C_ii the solution is one variable.
func TestLargeLambda(t *testing.T) {
	c := sampled(30, 60, 4)
	top := largest(c, 30)
	r := solve(t, c, 30, 1.5*top, 1e-9)
	if f := r.State.Cert.Objective; math.Abs(f-0.5*top) > 1e-9 || r.Status != solver.Converged {
		t.Errorf("%v with %v; one variable has %v", r.Status, f, 0.5*top)
	}
}

// Without a penalty the value is λ₁(C).
func TestNoPenalty(t *testing.T) {
	c := sampled(300, 400, 5)
	r := solve(t, c, 300, 0, 1e-8)
	if want := eigenvalues(c, 300)[299]; math.Abs(r.State.Cert.Objective+want) > 1e-7*want {
		t.Errorf("%v with %v; λ₁ is %v", r.Status, r.State.Cert.Objective, want)
	}
}

// Components beyond the size that is decomposed whole, with bounds from searches.
func TestLargeComponents(t *testing.T) {
	n := 300
	for _, c := range [][]float64{paper(n, 1), sampled(n, n/2, 6)} {
		lambda := 0.255 * float64(n)
		if top := largest(c, n); lambda > top {
			lambda = 0.1 * top
		}
		m, err := spca.New(c, n, lambda)
		if err != nil {
			t.Fatal(err)
		}
		p := m.Problem()
		d := make([]float64, n*n)
		r, err := solver.Run(context.Background(), p, m, solver.Options{Tol: 1e-4, Start: m.Start(), Plateau: 100,
			Event: func(e solver.Event) {
				if e.State.Polar == nil {
					return
				}
				gcg.DenseTo(d, e.State.Gradient(p))
				if top := eigenvalues(d, n)[n-1]; top > e.State.Polar.Bound+1e-12*math.Abs(top) {
					t.Errorf("step %d: λ₁(C - U) is %v, and the bound %v", e.Iter, top, e.State.Polar.Bound)
				}
			}})
		if err != nil || r.Status != solver.Converged {
			t.Fatal(err, r)
		}
		for i, x := range d {
			if x != 0 && math.Abs(c[i]-x) > lambda*(1+1e-12) {
				t.Fatalf("|U| is %v at (%d, %d)", math.Abs(c[i]-x), i/n, i%n)
			}
		}
	}
}

// The nouns are what they say.
func TestConformance(t *testing.T) {
	for _, n := range []int{5, 70, 150} {
		m, err := spca.New(sampled(n, 2*n, 7), n, 0.4)
		if err != nil {
			t.Fatal(err)
		}
		p := m.Problem()
		for _, check := range conform.Operator(p.Operator, rand.New(rand.NewPCG(1, 2))) {
			if !check.OK() {
				t.Errorf("n = %d: %v", n, check)
			}
		}
		if _, err := solver.Run(context.Background(), p, m, solver.Options{Start: m.Start(), MaxIter: 5, Event: func(e solver.Event) {
			for _, check := range conform.State(p, e.State) {
				if !check.OK() {
					t.Errorf("n = %d, step %d: %v", n, e.Iter, check)
				}
			}
		}}); err != nil {
			t.Error(err)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, x := range []struct {
		c      []float64
		n      int
		lambda float64
	}{{[]float64{1, 2, 3}, 2, 1}, {[]float64{1}, 1, -1}, {[]float64{math.NaN()}, 1, 1}, {nil, 0, 1}} {
		if _, err := spca.New(x.c, x.n, x.lambda); err == nil {
			t.Errorf("%v is not refused", x)
		}
	}
}
