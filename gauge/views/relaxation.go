package views

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"gonum.org/v1/gonum/mat"
)

// A relaxation is the convex bound of max over unit v of Σ√(vᵀK_iv), for v with vᵀN_jv ≥ 0:
//
//	min over τ > 0, μ ≥ 0 of √(Στ_i · λ₁(M)),   M = ΣK_i/τ_i + Σμ_jN_j
//
// K_i are d×d and positive semidefinite, and not 0; N_j are symmetric. In y = log τ the function
//
//	f(y, μ) = ½(Στ_i + λ₁(M))
//
// is convex, and at its minimum τ_i = √⟨K_i, X⟩ for a density X on the top eigenvectors of M. λ₁ is smoothed to t log tr
// exp(M/t), and the minimum is followed by Newton steps as t falls.
type relaxation struct {
	d    int
	k, n [][]float64
}

// A relaxed is the minimum of a relaxation.
type relaxed struct {
	y, mu   []float64
	attains float64     // Σ√⟨K_i, X⟩
	bound   float64     // √(Στ_i · λ₁(M)), in the dimensions of the relaxation
	weights []float64   // eigenvalues of X, descending
	vectors [][]float64 // and its eigenvectors, beside each other those of leading eigenvalues of M with weight 0
}

const (
	firstHeat = 0.1 // t over λ₁, at first
	// At the last t the bound is off by about t, and weights of X, which rounding of eigenvalues moves by 1e-16/t, by 1e-6: what X
	// attains by the square of that.
	lastHeat    = 1e-10
	cooling     = 0.1
	newtonSteps = 30    // for one t; three are common
	farStep     = 2.0   // the most that log τ_i moves in a step
	decrement   = 1e-2  // part of t that a step may promise and not be taken
	finest      = 1e-10 // the same at the last t
	certain     = 0.1   // part of t up to which f is so near its second-order model that a step needs no test
	leastGain   = 1e-4  // part of what a Newton step promises that it must gain
	interior    = 0.9   // part of the way to μ = 0 that a step may go
)

// minimise follows the minimum from y, or from the sizes of the K_i where it is nil. The kept eigenvectors are those of X and as
// many more as there are in count.
func (r *relaxation) minimise(y []float64, count int) relaxed {
	s := &newton{r: r, mu: make([]float64, len(r.n))}
	s.y = append([]float64(nil), y...)
	if y == nil {
		s.y = make([]float64, len(r.k))
		for i, k := range r.k {
			s.y[i] = math.Log(trace(k, r.d)) / 2
		}
	}
	top := r.top(s.y, s.mu)
	for j := range s.mu {
		s.mu[j] = firstHeat * top / math.Max(linalg.MaxAbs(r.n[j]), math.SmallestNonzeroFloat64)
	}
	for heat := firstHeat; heat > lastHeat/2; heat *= cooling {
		s.t = heat * math.Abs(r.top(s.y, s.mu))
		s.descend(decrement)
	}
	s.descend(finest)
	return s.result(count)
}

// matrix is M.
func (r *relaxation) matrix(y, mu []float64) []float64 {
	m := make([]float64, r.d*r.d)
	for i, k := range r.k {
		kernel.Axpy(math.Exp(-y[i]), k, m)
	}
	for j, n := range r.n {
		kernel.Axpy(mu[j], n, m)
	}
	return m
}

// top is λ₁(M).
func (r *relaxation) top(y, mu []float64) float64 { return leading(r.matrix(y, mu), r.d, 1).values[0] }

// A newton is the state of minimise at one t.
type newton struct {
	r     *relaxation
	y, mu []float64
	t     float64
}

// A smoothed is f and its eigendecomposition at a point.
type smoothed struct {
	f    float64
	eig  spectrum
	x    []float64 // weights of the eigenvectors: softmax of λ/t
	taus []float64
}

// at is f with λ₁ smoothed, and with the barrier -t/2 Σ log μ_j.
func (s *newton) at(y, mu []float64) smoothed {
	p := smoothed{eig: leading(s.r.matrix(y, mu), s.r.d, s.r.d)}
	var sum float64
	for _, v := range p.eig.values {
		e := math.Exp((v - p.eig.values[0]) / s.t)
		p.x = append(p.x, e)
		sum += e
	}
	kernel.Scale(1/sum, p.x)
	p.f = p.eig.values[0] + s.t*math.Log(sum)
	for _, yi := range y {
		p.taus = append(p.taus, math.Exp(yi))
		p.f += math.Exp(yi)
	}
	for _, m := range mu {
		p.f -= s.t * math.Log(m)
	}
	p.f /= 2
	return p
}

// descend takes Newton steps until one promises no more than a part of t.
func (s *newton) descend(enough float64) {
	p := s.at(s.y, s.mu)
	for range newtonSteps {
		step, promised := s.direction(&p)
		if step == nil || promised <= enough*s.t || math.IsNaN(promised) {
			return
		}
		size := s.room(step)
		for ; ; size /= 2 {
			y, mu := along(s.y, step[:len(s.y)], size), along(s.mu, step[len(s.y):], size)
			next := s.at(y, mu)
			if promised <= certain*s.t || next.f <= p.f-leastGain*size*promised {
				s.y, s.mu, p = y, mu, next
				break
			}
			if size < linalg.Epsilon {
				return
			}
		}
	}
}

// along is x + size·step.
func along(x, step []float64, size float64) []float64 {
	y := append([]float64(nil), x...)
	if len(y) > 0 {
		kernel.Axpy(size, step, y)
	}
	return y
}

// room is the longest part of a step, at most 1, that keeps to farStep and leaves μ positive.
func (s *newton) room(step []float64) float64 {
	size := 1.0
	k := len(s.y)
	for i := range s.y {
		if far := math.Abs(step[i]); far > farStep {
			size = math.Min(size, farStep/far)
		}
	}
	for j, m := range s.mu {
		if step[k+j] < 0 {
			size = math.Min(size, -interior*m/step[k+j])
		}
	}
	return size
}

// direction is the Newton step -H⁻¹g, and gᵀH⁻¹g.
func (s *newton) direction(p *smoothed) (step []float64, promised float64) {
	k, d := len(s.y), s.r.d
	size := k + len(s.mu)
	g, parts := make([]float64, size), make([][]float64, size) // dM by each variable, in the basis of the eigenvectors
	z := make([]float64, 0, d*d)
	for _, v := range p.eig.vectors {
		z = append(z, v...)
	}
	means := make([]float64, size)
	for i := range size {
		if i < k {
			parts[i] = congruent(s.r.k[i], z, d)
			kernel.Scale(-1/p.taus[i], parts[i])
		} else {
			parts[i] = congruent(s.r.n[i-k], z, d)
		}
		for a, x := range p.x {
			means[i] += x * parts[i][a*d+a]
		}
		if i < k {
			g[i] = p.taus[i] + means[i]
		} else {
			g[i] = means[i] - s.t/s.mu[i-k]
		}
	}
	divided := s.divided(p)
	h := mat.NewSymDense(size, nil)
	for i := range size {
		weighed := make([]float64, d*d)
		kernel.Hadamard(weighed, divided, parts[i])
		for j := range i + 1 {
			h.SetSym(i, j, kernel.Dot(weighed, parts[j])-means[i]*means[j]/s.t)
		}
		if i < k {
			h.SetSym(i, i, h.At(i, i)+p.taus[i]-means[i])
		} else {
			h.SetSym(i, i, h.At(i, i)+s.t/s.mu[i-k]/s.mu[i-k])
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(h) {
		for i := range size {
			h.SetSym(i, i, h.At(i, i)*(1+1e-8))
		}
		if !chol.Factorize(h) {
			return nil, 0
		}
	}
	var x mat.VecDense
	if chol.SolveVecTo(&x, mat.NewVecDense(size, g)) != nil && x.Len() == 0 {
		return nil, 0
	}
	for i := range size {
		step = append(step, -x.AtVec(i))
		promised += x.AtVec(i) * g[i] / 2
	}
	return step, promised
}

// divided are the divided differences (x_a - x_b)/(λ_a - λ_b), which are x_a/t on the diagonal.
func (s *newton) divided(p *smoothed) []float64 {
	d := len(p.x)
	phi := make([]float64, d*d)
	for a, xa := range p.x {
		for b, xb := range p.x {
			apart := (p.eig.values[a] - p.eig.values[b]) / s.t
			if math.Abs(apart) < nearlySame {
				phi[a*d+b] = (xa + xb) / 2 / s.t
			} else {
				phi[a*d+b] = (xa - xb) / apart / s.t
			}
		}
	}
	return phi
}

// nearlySame is the distance of two exponents up to which the mean of their exponentials stands for the divided difference, which
// it is but for a twelfth of its square.
const nearlySame = 1e-5

// congruent is Z K Zᵀ for the rows z of Z.
func congruent(k, z []float64, d int) []float64 {
	zk, out := make([]float64, d*d), make([]float64, d*d)
	kernel.GemmNN(zk, z, k, d, d, d)
	kernel.GemmNT(out, zk, z, d, d, d)
	return out
}

// result is what the last t gives: X, what it attains, and the bound with λ₁ itself.
func (s *newton) result(count int) relaxed {
	p := s.at(s.y, s.mu)
	out := relaxed{y: s.y, mu: s.mu}
	for i, x := range p.x {
		if i >= count && x < leastWeight {
			break
		}
		out.weights, out.vectors = append(out.weights, x), append(out.vectors, p.eig.vectors[i])
	}
	var sum float64
	for i, k := range s.r.k {
		var a float64
		for c, v := range out.vectors {
			a += out.weights[c] * form(k, v)
		}
		out.attains += math.Sqrt(a)
		sum += p.taus[i]
	}
	out.bound = math.Sqrt(sum) * math.Sqrt(math.Max(p.eig.values[0], 0))
	return out
}

// leastWeight is the weight in X below which an eigenvector is none of X's.
const leastWeight = rounding.Null
