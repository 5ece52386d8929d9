// Package dspca is Nesterov's smoothing of the dual of sparse principal components, as [Argyriou14 §6.2] compares with it.
package dspca

import (
	"context"
	"errors"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver/spca"
	"gonum.org/v1/gonum/mat"
)

// Method minimises the smooth dual of λ‖X‖₁ - ⟨C, X⟩ over X ⪰ 0, tr X = 1 [d'Aspremont, El Ghaoui, Jordan and Lanckriet 2007],
//
//	minimise over |U_ij| ≤ λ   f(U) = μ log tr exp((C - U)/μ)
//
// which is within μ log n of λ₁(C - U), by Nesterov's optimal method:
//
//	X ← exp((C - U)/μ)/tr exp((C - U)/μ)                            -∇f(U)
//	Y ← clip(U + μX, λ),   V ← clip(μ Σ_{i≤k} (i+1)/2 X_i, λ)
//	U ← 2/(k+3) V + (k+1)/(k+3) Y
//
// Its answer is the mean of the X with the weights i+1. A step takes all eigenvectors of an n×n matrix.
type Method struct {
	// Accuracy is the ε of μ = ε/(2 log n); 0 means the tolerance of the run times λ₁(C - U) at the start.
	Accuracy float64

	n      int
	loss   *spca.Minorant
	mu     float64
	u, sum []float64 // U, and Σ (i+1)/2 X_i
	step   int
	mean   []float64 // of the X
	weight float64
}

// Problem is sparse PCA of a symmetric C, row-major and n×n, on all entries, with an X to start from.
func (m *Method) Problem(c []float64, n int, lambda float64) (*gcg.Problem, *gcg.Iterate, error) {
	op, err := operator.NewIdentity(n, n)
	if err != nil {
		return nil, nil, err
	}
	m.n, m.loss = n, &spca.Minorant{C: c, D: make([]float64, n*n), Lambda: lambda}
	for i, x := range c {
		m.loss.D[i] = x - clip(x, lambda)
	}
	p := &gcg.Problem{Operator: op, Loss: m.loss, Gauge: gauge.Spectrahedron{}, Penalty: gauge.Equal{Zeta: 1}}
	return p, spca.Single(c, n), nil
}

// Name is dspca.
func (m *Method) Name() string { return "dspca" }

// WithoutPolars is true: bounds are Run's alone, and not charged.
func (m *Method) WithoutPolars() bool { return true }

// Ask wants a bound.
func (m *Method) Ask(*gcg.Problem, *gcg.State) gcg.Ask { return gcg.Ask{Count: 1} }

// Init begins at U = 0.
func (m *Method) Init(p *gcg.Problem, s *gcg.State, set gcg.Settings) error {
	if m.loss == nil || p.Loss != gcg.Loss(m.loss) {
		return errors.New("dspca: solves the problem that its Problem has made")
	}
	size := m.n * m.n
	m.u, m.sum, m.mean, m.weight, m.step = make([]float64, size), make([]float64, size), make([]float64, size), 0, 0
	accuracy := m.Accuracy
	if accuracy == 0 {
		accuracy = set.Tol * math.Abs(linalg.TopEigenvalue(mat.NewSymDense(m.n, append([]float64(nil), m.loss.D...))))
	}
	if m.mu = accuracy / (2 * math.Log(math.Max(float64(m.n), 2))); !(m.mu > 0) {
		m.mu = math.SmallestNonzeroFloat64
	}
	return nil
}

// Step is one of Nesterov's method.
func (m *Method) Step(_ context.Context, p *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	x := m.gradient()
	k := float64(m.step)
	m.step++
	m.weight += k + 1
	lambda, c, d := m.loss.Lambda, m.loss.C, m.loss.D
	for i, g := range x {
		m.mean[i] += (k + 1) / m.weight * (g - m.mean[i])
		m.sum[i] += (k + 1) / 2 * g
		y := clip(m.u[i]+m.mu*g, lambda)
		d[i] = c[i] - y
		m.u[i] = 2/(k+3)*clip(m.mu*m.sum[i], lambda) + (k+1)/(k+3)*y
	}
	w := &gcg.Iterate{M: m.n, N: m.n, U: gcg.NewFactor(m.n, m.n), V: gcg.Identity(m.n)}
	var trace float64
	for i := range m.n {
		trace += m.mean[i*m.n+i]
	}
	for i := range m.n {
		copy(w.U.Row(i), m.mean[i*m.n:(i+1)*m.n])
	}
	w.U.Scale(1 / trace)
	w.Merged, w.MergedWeight = m.n, 1
	s.W, s.Rho = w, 1
	s.Refresh(p)
	return gcg.Moved{}, nil
}

// gradient is X = exp((C - U)/μ)/tr, with the largest eigenvalue taken off first, so that nothing overflows.
func (m *Method) gradient() []float64 {
	n := m.n
	a := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			a.SetSym(i, j, (m.loss.C[i*n+j]+m.loss.C[j*n+i]-m.u[i*n+j]-m.u[j*n+i])/2)
		}
	}
	values, q := linalg.SymEigen(a, true)
	var total float64
	weights := make([]float64, n)
	for i, v := range values {
		weights[i] = math.Exp((v - values[n-1]) / m.mu)
		total += weights[i]
	}
	left, right := make([]float64, n*n), make([]float64, n*n)
	for i := range n {
		for c := range n {
			right[i*n+c] = q.At(i, c)
			left[i*n+c] = q.At(i, c) * weights[c] / total
		}
	}
	x := make([]float64, n*n)
	kernel.GemmNT(x, left, right, n, n, n)
	return x
}

// clip is x moved into [-λ, λ].
func clip(x, lambda float64) float64 { return math.Max(-lambda, math.Min(lambda, x)) }
