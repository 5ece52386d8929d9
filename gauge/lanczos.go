package gauge

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"gonum.org/v1/gonum/mat"
)

type lanczosOptions struct {
	steps   int
	small   int // steps after which a proof is cheaper
	failure float64
}

// A bidiagonal is a Golub-Kahan-Lanczos factorization of a matrix D, started at a random vector: after l steps
// D Y = X B and Dᵀ X = Y Bᵀ + β y eₗᵀ, with X, Y orthonormal and B upper bidiagonal.
type bidiagonal struct {
	x, y        [][]float64 // l left and right vectors, and y one more once β > 0
	alpha, beta []float64   // the diagonal of B; beta[j] couples y[j+1]
	done        bool        // the Krylov space is invariant: B holds all that the start can see
	dim         int         // dimension of the space the start was drawn from
}

// product is dst = D x or Dᵀ y with everything that is projected out.
type product struct {
	mul, tmul func(dst, x []float64)
	m, n, dim int
}

// startBidiagonal draws the start uniformly from the sphere of the complement.
func startBidiagonal(d product, project func([]float64), seed uint64) *bidiagonal {
	rng := rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
	y := make([]float64, d.n)
	for i := range y {
		y[i] = rng.NormFloat64()
	}
	project(y)
	b := &bidiagonal{dim: d.dim}
	norm := gcg.Norm(y)
	if norm == 0 || d.dim <= 0 {
		b.done = true
		return b
	}
	kernel.Scale(1/norm, y)
	b.y = append(b.y, y)
	return b
}

// extend takes steps until there are l of them. Both bases are kept orthogonal in full: a lost orthogonality would make
// copies of converged pairs and void the bound.
func (b *bidiagonal) extend(ctx context.Context, d product, l int) error {
	for len(b.alpha) < l && !b.done {
		if err := ctx.Err(); err != nil {
			return err
		}
		j := len(b.alpha)
		x := make([]float64, d.m)
		d.mul(x, b.y[j])
		if j > 0 {
			kernel.Axpy(-b.beta[j-1], b.x[j-1], x)
		}
		orthogonalise(x, b.x)
		alpha := gcg.Norm(x)
		if alpha <= 1e-14*b.scale() || alpha == 0 {
			b.done = true
			b.y = b.y[:j]
			return nil
		}
		kernel.Scale(1/alpha, x)
		b.x, b.alpha = append(b.x, x), append(b.alpha, alpha)

		y := make([]float64, d.n)
		d.tmul(y, x)
		kernel.Axpy(-alpha, b.y[j], y)
		orthogonalise(y, b.y)
		beta := gcg.Norm(y)
		if beta <= 1e-14*b.scale() || len(b.alpha) >= b.dim {
			b.done = true
			return nil
		}
		kernel.Scale(1/beta, y)
		b.y, b.beta = append(b.y, y), append(b.beta, beta)
	}
	return nil
}

func (b *bidiagonal) scale() float64 {
	var s float64
	for _, a := range b.alpha {
		s = math.Max(s, a)
	}
	return s
}

// orthogonalise removes from x its parts along the basis, twice where the first pass cancels much.
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

// A ritz is the singular value decomposition of B: left[:,i], right[:,i] combine X and Y to the i-th Ritz pair.
type ritz struct {
	values      []float64
	left, right *mat.Dense
	last        float64 // β: the i-th pair has residual |last·left[l-1,i]| on one side and none on the other
}

func (b *bidiagonal) ritz() ritz {
	l := len(b.alpha)
	if l == 0 {
		return ritz{}
	}
	core := mat.NewDense(l, l, nil)
	for j, a := range b.alpha {
		core.Set(j, j, a)
		if j+1 < l {
			core.Set(j, j+1, b.beta[j])
		}
	}
	var r ritz
	r.left, r.values, r.right = linalg.ThinSVD(core)
	if !b.done && len(b.beta) >= l {
		r.last = b.beta[l-1]
	}
	return r
}

func (r ritz) top() float64 {
	if len(r.values) == 0 {
		return 0
	}
	return r.values[0]
}

// residual is ‖Dᵀx - θy‖ of the i-th pair.
func (r ritz) residual(i int) float64 {
	l, _ := r.left.Dims()
	return math.Abs(r.last * r.left.At(l-1, i))
}

// combine is the i-th Ritz vector in the given basis.
func combine(basis [][]float64, coef *mat.Dense, i int) []float64 {
	v := make([]float64, len(basis[0]))
	l, _ := coef.Dims()
	for j := range l {
		kernel.Axpy(coef.At(j, i), basis[j], v)
	}
	return v
}

// inflated is an upper bound of ‖D‖₂ that holds but for the given probability: Lanczos from a random start in dimension d
// has after l steps a relative error ε of the largest eigenvalue of DᵀD with
//
//	P(error > ε) ≤ 1.648 √d exp(-√ε (2l-1))     [Kuczyński-Woźniakowski 1992, Theorem 4.2]
//
// so σ₁ ≤ θ/√(1-ε) for the ε that makes the right side the failure probability; +Inf while that is above 1.
func (b *bidiagonal) inflated(top, failure float64) float64 {
	if b.done {
		return top * (1 + 1e-13)
	}
	root := math.Log(1.648*math.Sqrt(float64(b.dim))/failure) / float64(2*len(b.alpha)-1)
	if len(b.alpha) == 0 || root >= 1 {
		return math.Inf(1)
	}
	return top / math.Sqrt(1-root*root)
}

// stepsFor is the number of steps after which inflated would be at most ratio times the top value.
func (b *bidiagonal) stepsFor(ratio, failure float64) int {
	if ratio <= 1 {
		return math.MaxInt32
	}
	root := math.Sqrt(1 - 1/(ratio*ratio))
	l := math.Log(1.648*math.Sqrt(float64(b.dim))/failure)/root + 1
	return int(math.Min(math.Ceil(l/2), math.MaxInt32))
}
