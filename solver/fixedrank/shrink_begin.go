package fixedrank

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
)

// newShrinker starts at W. It is not ok where the problem lacks what the method takes, W is large, float32 blurs F, or
// features are so correlated that steps of first order are slower than Newton steps.
func (l *Local) newShrinker(p *view.Problem, s *gcg.State) (k *shrinker, ok bool) {
	m, n, _ := p.Operator.Dims()
	if !shrinkable(p, s) {
		return nil, false
	}
	gram, right, weights := l.separableCurvature(p, s)
	if gram == nil {
		return nil, false
	}
	top := gram.TopEigenvalue()
	if !(top*float64(m) <= spreadMost*gram.Trace()) || !(top*right > 0) {
		return nil, false
	}
	k = &shrinker{p: p, s: s, lambda: p.Penalty.Deriv(0), h: top * right}
	k.at, k.next = k.newPoint(), k.newPoint()
	k.moved, k.tall, k.gram = gcg.SmallIn[float32](m, n), gcg.NewFactor(max(m, n), min(m, n)), gcg.Small(min(m, n), min(m, n))
	for i := range k.pieces {
		k.pieces[i] = make([]float64, shrinkPiece)
	}
	if s.Intercept != nil {
		k.centre(weights)
		copy(k.at.b, s.Intercept)
		k.shift(k.at.b, s.W, 1)
	}
	k.pass = p.Whole.Gradients(k.centres)
	k.w(k.at).AddMul(gcg.FactorIn[float32](s.W.U), factor.Transposed(gcg.FactorIn[float32](s.W.V), n))
	k.at.rho = s.Rho
	k.evaluate(k.at)
	f := s.Objective(p.Problem)
	return k, math.Abs(k.at.f-f) <= blurred*math.Abs(f)
}

// shrinkable says that a problem has what proximal steps take, and that W is small.
func shrinkable(p *view.Problem, s *gcg.State) bool {
	m, n, _ := p.Operator.Dims()
	switch {
	case p.Kronecker == nil || p.Whole == nil || !gcg.HasRows(p.Operator.Adjoint(s.R)):
		return false
	case p.Quadratic() || n%p.Loss.Stride() != 0 || !view.IsLinear(p.Penalty):
		return false
	case min(m, n) > shrinkSide || m*n > view.MaxMatrix:
		return false
	}
	return s.Intercept == nil || p.InterceptMap().ByColumn(n)
}

// separableCurvature approximates the second derivatives X ↦ A*(∇²L A(X)) by L X R. It gives L (m×m), or nil where only its
// diagonal is known, ‖R‖, and the diagonal of ∇²L. The second derivatives of a separable loss may be 0 nearly everywhere but
// not a step farther: their bound takes their place.
func (l *Local) separableCurvature(p *view.Problem, s *gcg.State) (left *gcg.Factor, right float64, weights []float64) {
	if !p.Separable {
		_, r := l.basis.Separable(p, s)
		return l.basis.Gram, r.Top(), l.basis.Weights
	}
	weights = make([]float64, len(s.Z))
	bound := gcg.CurvatureAt(p.Curved, s.Z)
	for i := range weights {
		weights[i] = bound
	}
	left, _, r := p.Kronecker.Kronecker(weights, p.Intercept)
	return left, slices.Max(r), weights
}

// blurred is the part of F by which float32 may change it for the steps to be taken.
const blurred = 1e-4

// centre sets centres and scales, with the diagonal of ∇²L as weights: the centre of a constant is A*(weights) over the sum
// of its weights, and τ is h over that sum. A constant that has hardly any weight is not moved, and its centre is the mean
// of the others.
func (k *shrinker) centre(weights []float64) {
	m, n := k.s.W.M, k.s.W.N
	sums := k.p.InterceptMap().Sums(weights)
	k.tau, k.centres = make([]float64, n), gcg.NewFactor(m, n)
	gcg.DenseTo(k.centres.Data[:m*n], k.p.Operator.Adjoint(weights))
	for i := m - 1; i >= 0; i-- { // from rows of n to those of the stride
		copy(k.centres.Row(i), k.centres.Data[i*n:(i+1)*n])
		clear(k.centres.Row(i)[n:])
	}
	top, curved := slices.Max(sums), 0.0
	for c, sum := range sums {
		if sum > flatConstant*top {
			k.tau[c] = k.h / sum
			curved++
		}
	}
	for i := range m {
		row, mean := k.centres.Row(i), 0.0
		for c, tau := range k.tau {
			if tau > 0 {
				row[c] /= sums[c]
				mean += row[c] / curved
			}
		}
		for c, tau := range k.tau {
			if tau == 0 {
				row[c] = mean
			}
		}
	}
}

// flatConstant is the part of the largest sum of weights below which a constant has none.
const flatConstant = 1e-12

// newPoint has room for W and G, with the constants in a row below them.
func (k *shrinker) newPoint() *shrinkPoint {
	m, n, b := k.s.W.M, k.s.W.N, len(k.s.Intercept)
	if b > 0 {
		m++
	}
	return &shrinkPoint{
		w: gcg.NewFactorOf[float32](m, n), g: gcg.NewFactorOf[float32](m, n),
		b: make([]float64, b), gb: make([]float64, b),
	}
}
