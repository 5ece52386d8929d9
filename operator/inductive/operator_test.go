package inductive_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/operator/inductive"
	"github.com/seed-b18ef778/gcg/solver"
)

var _ view.FramedOperator = (*inductive.Operator)(nil)

// side is one of n rows with p features each, of which about half are 0, and its matrix.
func side(rng *rand.Rand, n, p int, scaled bool) (*inductive.Side, conform.Matrix) {
	s, a := &inductive.Side{N: n, P: p, Ptr: make([]int64, n+1)}, conform.Matrix{M: n, N: n + p, Data: make([]float64, n*(n+p))}
	for i := range n {
		a.Data[i*a.N+i] = 1
		if scaled {
			s.Scale = append(s.Scale, 0.5+rng.Float64())
			a.Data[i*a.N+i] = s.Scale[i]
		}
		for f := range p {
			if rng.IntN(2) == 0 {
				x := rng.NormFloat64()
				s.Index, s.Values, a.Data[i*a.N+n+f] = append(s.Index, int32(f)), append(s.Values, x), x
			}
		}
		s.Ptr[i+1] = int64(len(s.Index))
	}
	return s, a
}

// entries are about half of those of an m×n matrix, none of them in the last row or column.
func entries(t *testing.T, rng *rand.Rand, m, n int) (op *operator.Sampling, at [][2]int) {
	t.Helper()
	ptr, cols := make([]int64, m+1), []int32{}
	for i := range m {
		for j := range n - 1 {
			if i < m-1 && rng.IntN(2) == 0 {
				cols, at = append(cols, int32(j)), append(at, [2]int{i, j})
			}
		}
		ptr[i+1] = int64(len(cols))
	}
	op, err := operator.NewSampling(m, n, ptr, cols)
	if err != nil {
		t.Fatal(err)
	}
	return op, at
}

// random is an operator, the matrices L and R, and the places of its observations.
func random(t *testing.T, rng *rand.Rand, m, n, p, q int, scaled bool) (*inductive.Operator, [2]conform.Matrix, [][2]int) {
	t.Helper()
	e, at := entries(t, rng, m, n)
	left, l := side(rng, m, p, scaled)
	right, r := side(rng, n, q, scaled)
	op, err := inductive.New(e, left, right)
	if err != nil {
		t.Fatal(err)
	}
	return op, [2]conform.Matrix{l, r}, at
}

func TestConforms(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 1))
		op, _, _ := random(t, rng, 30, 40, 3, int(seed), seed%2 == 1)
		for _, c := range conform.Operator(op, rng) {
			if !c.OK() {
				t.Errorf("seed %d: %v", seed, c)
			}
		}
	}
}

// naive is z = (L W Rᵀ) at the observations, from matrices.
func naive(sides [2]conform.Matrix, at [][2]int, w conform.Matrix) []float64 {
	z, lw := make([]float64, len(at)), make([]float64, w.N)
	for e, ij := range at {
		w.TMulTo(lw, sides[0].Data[ij[0]*w.M:(ij[0]+1)*w.M])
		for b, x := range sides[1].Data[ij[1]*w.N : (ij[1]+1)*w.N] {
			z[e] += x * lw[b]
		}
	}
	return z
}

// The predictions are those of the matrices L, W and R multiplied out.
func TestPredictionsEqualProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	op, sides, at := random(t, rng, 12, 9, 4, 2, true)
	m, n, nobs := op.Dims()
	u, v := gcg.NewFactor(m, 3), gcg.NewFactor(n, 3)
	for _, f := range []*gcg.Factor{u, v} {
		for i := range f.Rows {
			for c := range f.K {
				f.Row(i)[c] = rng.NormFloat64()
			}
		}
	}
	w := conform.Matrix{M: m, N: n, Data: make([]float64, m*n)}
	gcg.DenseTo(w.Data, gcg.LowRank(u, v))
	want, z := naive(sides, at, w), make([]float64, nobs)
	op.FactoredTo(z, 0, u, v)
	y, r := make([]float64, nobs), make([]float64, nobs)
	op.ResidualTo(r, y, u, v)
	for e := range want {
		if math.Abs(z[e]-want[e]) > 1e-12*gcg.Norm(want) || math.Abs(r[e]+want[e]) > 1e-12*gcg.Norm(want) {
			t.Fatalf("observation %d: z %v and -r %v, not %v", e, z[e], -r[e], want[e])
		}
	}
}

// The optimum of completion with features is that of a slow proximal method on the matrices.
func TestOptimumOfSlowTwin(t *testing.T) {
	for seed := range uint64(2) {
		rng := rand.New(rand.NewPCG(seed, 3))
		op, sides, at := random(t, rng, 8, 7, 2, 3, seed%2 == 1)
		y := make([]float64, len(at))
		for e := range y {
			y[e] = rng.NormFloat64()
		}
		p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 0.7}}
		method, improver, _ := solver.For(p)
		res, err := solver.Run(context.Background(), p, method, solver.Options{Tol: 1e-8, Improver: improver})
		if err != nil {
			t.Fatal(err)
		}
		want := slow(sides, at, y, 0.7)
		if c := res.State.Cert; c.Objective > want*(1+1e-7) || c.LowerBound > want || c.Objective-c.LowerBound > 1e-7*want {
			t.Errorf("seed %d: optimum in [%v, %v], the slow method has %v", seed, c.LowerBound, c.Objective, want)
		}
	}
}

// slow is the least ½‖y - A(W)‖² + λ‖W‖_* that many accelerated proximal gradient steps on the matrix W find.
func slow(sides [2]conform.Matrix, at [][2]int, y []float64, lambda float64) float64 {
	m, n := sides[0].N, sides[1].N
	square := 0.0 // of the Lipschitz constant: the largest ‖L_i‖²‖R_j‖², times the observations
	for _, ij := range at {
		a, b := gcg.Norm(sides[0].Data[ij[0]*m:(ij[0]+1)*m]), gcg.Norm(sides[1].Data[ij[1]*n:(ij[1]+1)*n])
		square += a * a * b * b
	}
	w := conform.Matrix{M: m, N: n, Data: make([]float64, m*n)}
	last, next, best, momentum := make([]float64, m*n), make([]float64, m*n), math.Inf(1), 1.0
	for range 1500 {
		z := naive(sides, at, w)
		copy(next, w.Data)
		for e, ij := range at {
			for a := range m {
				if x := sides[0].Data[ij[0]*m+a] * (y[e] - z[e]) / square; x != 0 {
					for b := range n {
						next[a*n+b] += x * sides[1].Data[ij[1]*n+b]
					}
				}
			}
		}
		rho := gauge.Trace{}.ProxTo(next, next, m, n, lambda/square)
		value := lambda * rho
		for e, x := range naive(sides, at, conform.Matrix{M: m, N: n, Data: next}) {
			value += (x - y[e]) * (x - y[e]) / 2
		}
		if value > best {
			momentum = 1
		}
		best = math.Min(best, value)
		following := (1 + math.Sqrt(1+4*momentum*momentum)) / 2
		for k := range next {
			w.Data[k] = next[k] + (momentum-1)/following*(next[k]-last[k])
		}
		momentum = following
		copy(last, next)
	}
	return best
}

func TestRefuses(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	e, _ := entries(t, rng, 5, 4)
	good := func(n int) *inductive.Side { s, _ := side(rng, n, 2, true); return s }
	scaled, err := e.Scaled([]float64{1, 1, 1, 1, 1}, []float64{1, 1, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	for want, broken := range map[string]func() (*operator.Sampling, *inductive.Side, *inductive.Side){
		"scales of their own": func() (*operator.Sampling, *inductive.Side, *inductive.Side) { return scaled, good(5), good(4) },
		"6 rows":              func() (*operator.Sampling, *inductive.Side, *inductive.Side) { return e, good(6), good(4) },
		"is NaN": func() (*operator.Sampling, *inductive.Side, *inductive.Side) {
			s := good(4)
			s.Values[0] = math.NaN()
			return e, good(5), s
		},
		"scale of row 1 is 0": func() (*operator.Sampling, *inductive.Side, *inductive.Side) {
			s := good(5)
			s.Scale[0] = 0
			return e, s, good(4)
		},
		"feature 3, of 2": func() (*operator.Sampling, *inductive.Side, *inductive.Side) {
			s := good(5)
			s.Index[0] = 2
			return e, s, good(4)
		},
		"offsets": func() (*operator.Sampling, *inductive.Side, *inductive.Side) {
			s := good(5)
			s.Ptr = s.Ptr[1:]
			return e, s, good(4)
		},
	} {
		if _, err := inductive.New(broken()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not refused as such: %v", want, err)
		}
	}
}
