package spectral

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"gonum.org/v1/gonum/mat"
)

// A tridiagonal is a Lanczos factorization of a symmetric D from a random vector: D Y = Y T + β y eₗᵀ after l steps, with Y
// orthonormal and T tridiagonal.
type tridiagonal struct {
	y     [][]float64 // the l columns of Y, and the y of the next step unless done
	alpha []float64   // the diagonal of T
	beta  []float64   // what stands beside the diagonal of T, and β unless done
	done  bool        // the Krylov space is invariant
	dim   int         // dimension of the space that the start was drawn from
}

// startTridiagonal draws the start uniformly from the unit sphere of the complement, on which project projects.
func startTridiagonal(s *symmetric, project func([]float64), seed uint64) *tridiagonal {
	t := &tridiagonal{dim: s.n}
	if s.p != nil {
		t.dim -= s.p.K
	}
	rng := rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
	y := make([]float64, s.n)
	for i := range y {
		y[i] = rng.NormFloat64()
	}
	project(y)
	norm := gcg.Norm(y)
	if norm == 0 || t.dim <= 0 {
		t.done = true
		return t
	}
	kernel.Scale(1/norm, y)
	t.y = append(t.y, y)
	return t
}

// extend takes steps until there are l of them. mul writes D x, and project takes out of a vector what is not in the
// complement. Each new vector is made orthogonal to the whole basis and projected, twice: where a step cancels nearly all of
// a vector, the rest is mostly rounding in those directions.
func (t *tridiagonal) extend(ctx context.Context, mul func(dst, x []float64), project func([]float64), l int) error {
	for len(t.alpha) < l && !t.done {
		if err := ctx.Err(); err != nil {
			return err
		}
		y := t.y[len(t.alpha)]
		next := make([]float64, len(y))
		mul(next, y)
		t.alpha = append(t.alpha, kernel.Dot(y, next))
		for range 2 {
			orthogonalise(next, t.y)
			project(next)
		}
		beta := gcg.Norm(next)
		if beta <= rounding.Sum*t.size() || len(t.alpha) >= t.dim {
			t.done = true
			return nil
		}
		kernel.Scale(1/beta, next)
		t.y, t.beta = append(t.y, next), append(t.beta, beta)
	}
	return nil
}

// size is the largest |T_ij|.
func (t *tridiagonal) size() float64 { return math.Max(linalg.MaxAbs(t.alpha), linalg.MaxAbs(t.beta)) }

// inflated is an upper bound of λ₁(D) that holds but for the given probability, and the largest Ritz value by size.
//
// Lanczos from a random start in dimension d, on a positive semidefinite matrix, has after l steps a relative error ε of the
// largest eigenvalue with
//
//	P(error > ε) ≤ 1.648 √d exp(-√ε (2l-1))     [Kuczyński-Woźniakowski 1992, Theorem 4.2]
//
// The steps on D are also those on D - λ_min I and on λ_max I - D, each with half the probability of failure. So the largest and
// the smallest Ritz value θ₁, θₗ are within ε(λ_max - λ_min) of λ_max and λ_min. Then λ_max - λ_min ≤ (θ₁ - θₗ)/(1-2ε), and
//
//	λ₁ ≤ θ₁ + ε (θ₁ - θₗ)/(1-2ε)
//
// The bound is +Inf while ε is not below ½.
func (t *tridiagonal) inflated(failure float64) (bound, size float64) {
	l := len(t.alpha)
	if l == 0 {
		return math.Inf(-1), 0
	}
	core := mat.NewSymDense(l, nil)
	for i, a := range t.alpha {
		core.SetSym(i, i, a)
		if i+1 < l {
			core.SetSym(i, i+1, t.beta[i])
		}
	}
	values, _ := linalg.SymEigen(core, false)
	top, bottom := values[l-1], values[0]
	size = math.Max(math.Abs(top), math.Abs(bottom))
	if t.done {
		return top, size
	}
	root := math.Log(2*1.648*math.Sqrt(float64(t.dim))/failure) / float64(2*l-1)
	if eps := root * root; eps < 0.5 {
		return top + eps*(top-bottom)/(1-2*eps), size
	}
	return math.Inf(1), size
}

// orthogonalise removes from x its parts along the orthonormal basis, twice where the first pass cancels much.
func orthogonalise(x []float64, basis [][]float64) {
	before := gcg.Norm(x)
	for range 2 {
		for _, b := range basis {
			kernel.Axpy(-kernel.Dot(b, x), b, x)
		}
		after := gcg.Norm(x)
		if after > 0.5*before {
			return
		}
		before = after
	}
}
