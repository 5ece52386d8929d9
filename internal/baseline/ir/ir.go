// Package ir is iterative rescaling for the trace norm.
//
// Argyriou, Evgeniou, Pontil: Convex multi-task feature learning, Machine Learning 73 (2008); [Dudik12 Appendix C].
package ir

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/baseline/rival"
	"github.com/seed-b18ef778/gcg/internal/firstorder"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/view"
	"gonum.org/v1/gonum/mat"
)

// Method minimises [Dudik12 eq 8]
//
//	L(A W) + λ/2 (tr(WᵀD⁻¹W) + tr D + δ tr D⁻¹)     over W (m×n) and D ≻ 0 (m×m)
//
// by turns. For a W the best D is (WWᵀ + δI)^½. For a D the function of W is smooth and strongly convex. With W = D^½X it is
// L(A D^½X) + λ/2‖X‖², on which a turn takes Inner steps of accelerated gradient descent. δ falls by the factor Fall from turn to
// turn: for a fixed one the limit is not the optimum. Where n < m it is of Wᵀ.
//
// [Dudik12] writes (8) with λ for λ/2, which would be the penalty 2λ‖W‖_*.
type Method struct {
	Inner int     // steps of a turn; 0 means 20
	Fall  float64 // of δ; 0 means ¼

	m, n     int
	turned   bool // D is of the columns
	descent  firstorder.Descent
	w        []float64  // m×n
	p        *mat.Dense // eigenvectors of D, k×k
	root     []float64  // those of D^½
	delta    float64    // δ
	inner    *gcg.State // at D^½X
	gradient []float64  // m×n
}

const (
	usualInner = 20    // steps in W for each D: "only several iterations" [Dudik12]
	usualFall  = 0.25  // √δ, the singular values that are smoothed away, halves in a turn
	leastDelta = 1e-16 // of δ relative to σ₁²: below, D is not positive definite in float64
)

// mostDecomposed is m·n·min(m, n) of a matrix that is decomposed in each turn: above, a turn takes longer than runs do.
const mostDecomposed = 300_000_000

// Name is ir.
func (*Method) Name() string { return "ir" }

// WithoutPolars is true.
func (*Method) WithoutPolars() bool { return true }

// Descends is false: what falls is the smoothed objective.
func (*Method) Descends() bool { return false }

// Ask wants one atom, for the certificate.
func (*Method) Ask(*gcg.Problem, *gcg.State) gcg.Ask { return gcg.Ask{Count: 1} }

// Init needs the trace norm, a penalty λκ, and a W that is small enough for a matrix.
func (x *Method) Init(problem *gcg.Problem, s *gcg.State, _ gcg.Settings) (err error) {
	p := view.Of(problem)
	if err := rival.TakesTraceNorm("ir", p, ""); err != nil {
		return err
	}
	if s.W.M > view.MaxMatrix/s.W.N {
		return fmt.Errorf("baseline: ir keeps W as a matrix; this one is %d×%d", s.W.M, s.W.N)
	}
	if small := min(s.W.M, s.W.N); s.W.M*s.W.N > mostDecomposed/small {
		return fmt.Errorf("baseline: ir decomposes W as a matrix in each turn, and %d×%d takes minutes", s.W.M, s.W.N)
	}
	x.m, x.n = s.W.M, s.W.N
	x.turned = x.n < x.m
	x.w, x.gradient = s.W.Dense(), make([]float64, x.m*x.n)
	x.descent = firstorder.Descent{}
	count := s.Count.Gradients
	x.inner, err = s.InnerState(problem, s.W)
	s.Count.Gradients = count
	if err != nil {
		return err
	}
	gcg.DenseTo(x.gradient, s.Gradient(problem))
	length := gcg.Norm(x.gradient)
	curvature := 1.0
	if p.Curved != nil && length > 0 {
		z := make([]float64, len(s.Z))
		p.Apply(z, matrix(x.gradient, x.m, x.n))
		curvature = p.CurvatureAlong(s, z) / (length * length)
	}
	size := length / math.Max(curvature, math.SmallestNonzeroFloat64) // of a step along the gradient
	x.delta = size * size
	x.decompose(s)
	return nil
}

// Step is a turn: W for a D, then D for the W.
func (x *Method) Step(_ context.Context, problem *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	lambda := problem.Penalty.Deriv(0)
	v := x.scaled(x.w, -1) // X = D^-½ W
	count := s.Count.Gradients
	inner := x.Inner
	if inner == 0 {
		inner = usualInner
	}
	x.descent.Steps(v, math.NaN(), inner, func(v, g []float64) float64 {
		x.inner.W = matrix(x.scaled(v, 1), x.m, x.n)
		x.inner.Refresh(problem)
		square := 0.0
		for _, a := range v {
			square += a * a
		}
		if g != nil {
			gcg.DenseTo(x.gradient, x.inner.Gradient(problem))
			copy(g, x.scaled(x.gradient, 1))
			for i := range g {
				g[i] = lambda*v[i] - g[i]
			}
			count++
		}
		return x.inner.Loss + lambda/2*square
	})
	x.w = x.scaled(v, 1)
	s.W = matrix(x.w, x.m, x.n)
	s.Refresh(problem)
	s.Count.Gradients = count
	fall := x.Fall
	if fall == 0 {
		fall = usualFall
	}
	x.delta *= fall
	x.decompose(s)
	return gcg.Moved{}, nil
}

// decompose makes D of W, and κ(W) of the same singular values.
func (x *Method) decompose(s *gcg.State) {
	w := mat.NewDense(x.m, x.n, x.w)
	if x.turned {
		w = mat.DenseCopyOf(w.T())
	}
	var sigma []float64
	x.p, sigma, _ = linalg.ThinSVD(w)
	x.delta = math.Max(x.delta, leastDelta*sigma[0]*sigma[0])
	x.root, s.Rho = make([]float64, len(sigma)), 0
	for i, v := range sigma {
		s.Rho += v
		x.root[i] = math.Pow(v*v+x.delta, 0.25)
	}
}

// scaled is D^½ W, or D^-½ W, of the side that D is of.
func (x *Method) scaled(w []float64, power float64) []float64 {
	k := len(x.root)
	by := mat.NewDense(k, k, nil)
	for i := range k {
		for j := range k {
			by.Set(i, j, x.p.At(i, j)*math.Pow(x.root[j], power))
		}
	}
	var half, out mat.Dense
	half.Mul(by, x.p.T())
	if x.turned {
		out.Mul(mat.NewDense(x.m, x.n, w), &half)
	} else {
		out.Mul(&half, mat.NewDense(x.m, x.n, w))
	}
	return out.RawMatrix().Data
}

// matrix is W with the identity for the other factor.
func matrix(w []float64, m, n int) *gcg.Iterate {
	u := gcg.NewFactor(m, n)
	for i := range m {
		copy(u.Row(i), w[i*n:(i+1)*n])
	}
	return &gcg.Iterate{M: m, N: n, U: u, V: gcg.Identity(n)}
}
