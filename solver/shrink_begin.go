package solver

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
)

// newShrinker starts at W if that is small, the loss is not quadratic and features are hardly correlated: the steps are of first order.
func (l *Local) newShrinker(p *gcg.Problem, s *gcg.State) (k *shrinker, ok bool) {
	op, kronecker := p.Operator.(gcg.KroneckerOperator)
	whole, ok := p.Operator.(gcg.WholeOperator)
	_, squared := p.Loss.(gcg.LeastSquares)
	_, dense := p.Operator.Adjoint(s.R).(gcg.DenseMap)
	m, n, _ := p.Operator.Dims()
	if !kronecker || !ok || !dense || squared || n%p.Loss.Stride() != 0 || !linear(p.Penalty) || min(m, n) > shrinkSide ||
		m*n > maxMatrix || s.Intercept != nil && !p.Places().ByColumn(n) {
		return nil, false
	}
	gram, right, weights := l.curved(p, op, s)
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
	k.pass = whole.Gradients(k.centres)
	k.w(k.at).AddMul(gcg.FactorIn[float32](s.W.U), transposed(gcg.FactorIn[float32](s.W.V), n))
	k.at.rho = s.Rho
	k.evaluate(k.at)
	f := s.Objective(p)
	return k, math.Abs(k.at.f-f) <= blurred*math.Abs(f)
}

// curved approximates X → A*(∇²L A(X)) by L X R and gives L, nil where only its diagonal is known, ‖R‖ and the diagonal of ∇²L. Second
// derivatives of a separable loss, which may be 0 nearly everywhere and not so a step farther, are what bounds them.
func (l *Local) curved(p *gcg.Problem, op gcg.KroneckerOperator, s *gcg.State) (left *gcg.Factor, right float64, weights []float64) {
	if !gcg.Separable(p.Loss) {
		_, r := l.basis.separable(p, op, s)
		return l.basis.gram, r.top(), l.basis.weights
	}
	weights = make([]float64, len(s.Z))
	bound := gcg.CurvatureAt(p.Loss.(gcg.CurvedLoss), s.Z)
	for i := range weights {
		weights[i] = bound
	}
	left, _, r := op.Kronecker(weights, p.Intercept)
	return left, slices.Max(r), weights
}

// blurred is the part of F that float32 may change for steps to be taken.
const blurred = 1e-4

// centre finds centres and scales for the diagonal weights of ∇²L: A*(weights) over the sum of the weights of each constant, and h over
// that. A constant that hardly has any stays where it is, and its centre is the mean of the others.
func (k *shrinker) centre(weights []float64) {
	m, n := k.s.W.M, k.s.W.N
	sums := k.p.Places().Sums(weights)
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

// flatConstant is the part of the largest curvature of a constant below which there is none.
const flatConstant = 1e-12

// newPoint has room for W and b, and for G.
func (k *shrinker) newPoint() *shrinkPoint {
	m, n, b := k.s.W.M, k.s.W.N, len(k.s.Intercept)
	if b > 0 {
		m++
	}
	return &shrinkPoint{w: gcg.NewFactorOf[float32](m, n), g: gcg.NewFactorOf[float32](m, n), b: make([]float64, b), gb: make([]float64, b)}
}
