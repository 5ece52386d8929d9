package solver

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// A factorModel is the loss as a function of the factors, L(A(U Vᵀ)), with what Newton steps need. R = -∇L is kept at
// the factors of the last call of value.
type factorModel interface {
	value(u, v *gcg.Factor) float64 // which takes u and v over
	// began is the loss at the W of the state that the model began with, if it needs no value there.
	began() (loss float64, ok bool)
	gradient() gcg.Map // A*(R)
	curvature() curvature[float64]
	curvature32() (c curvature[float32], ok bool) // where there is one
	// formed is the Hessian of the loss on all entries of W, where it is small and worth forming, or is to be formed now; or nil.
	formed(n *newton, now bool) *wholeHessian
	// sharpen makes curvature as accurate as it can be: conjugate gradients did not converge with what is faster.
	sharpen()
	// curvatures are the second derivatives of the loss along each uᵢvᵢᵀ, or what they are at most; +Inf where it is not known.
	curvatures(u, v *gcg.Factor) func(i int) float64
	// writeTo writes the model's predictions, residual and loss into the state.
	writeTo(s *gcg.State)
}

func newFactorModel(p *gcg.Problem, s *gcg.State) factorModel {
	if q, ok := p.Operator.(gcg.Squares); ok {
		return &squaresModel{q: q, loss: s.Loss}
	}
	fused, ok := p.Operator.(gcg.FusedOperator)
	q, quadratic := p.Loss.(gcg.LeastSquares)
	_, bilateral := p.Operator.Adjoint(s.R).(gcg.BilateralMap)
	if ok && bilateral && quadratic && q.Weights() == nil && !p.Intercept {
		f := &fusedModel{op: fused, y: q.Target(), scale: q.Scale(), r: s.R, loss: s.Loss, exact: s.Exact}
		if f.scale != 1 {
			kernel.Scale(1/f.scale, f.r)
		}
		return f
	}
	start := &gcg.State{Z: memory.Zeros[float64](len(s.Z)), R: memory.Zeros[float64](len(s.R)), Intercept: s.Intercept, Loss: s.Loss}
	if s.Intercept != nil {
		copy(start.Z, s.Z) // whose level is a start
	}
	return &genericModel{p: p, here: &modelPoint{s: start}}
}

// fusedModel is c·½‖y - A(U Vᵀ)‖² through the operator's single passes.
type fusedModel struct {
	op     gcg.FusedOperator
	y, r   []float64 // r = y - z, without the scale; it is the state's own vector until writeTo
	narrow []float32 // r
	scale  float64
	loss   float64
	exact  bool // r is computed from the factors

	weights weights
}

func (f *fusedModel) value(u, v *gcg.Factor) float64 {
	f.loss, f.exact = f.scale*f.op.ResidualTo(f.r, f.y, u, v)/2, true
	gcg.Repay(u, v)
	return f.loss
}

func (f *fusedModel) began() (loss float64, ok bool) { return f.loss, true }

func (f *fusedModel) gradient() gcg.Map {
	return scaledMap{f.op.Adjoint(f.r).(gcg.BilateralMap), f.scale}
}

func (f *fusedModel) formed(*newton, bool) *wholeHessian { return nil }

func (f *fusedModel) curvature() curvature[float64] {
	return fusedCurvature(f, f.r, f.op.CurvatureTo, f.op.NormalTo)
}

func (f *fusedModel) curvature32() (curvature[float32], bool) {
	if f.narrow == nil {
		f.narrow = memory.Make[float32](len(f.r))
	}
	par.Pieces(len(f.r), func(lo, hi int) {
		kernel.Convert(f.narrow[lo:hi], f.r[lo:hi])
	})
	return fusedCurvature(f, f.narrow, f.op.Curvature32To, f.op.Normal32To), true
}

func fusedCurvature[T gcg.Real](f *fusedModel, r []T, to func(gu, gv *gcg.FactorOf[T], r []T, u, v, du, dv *gcg.FactorOf[T]),
	normal func(gx, x, v *gcg.FactorOf[T])) curvature[T] {
	return observedCurvature(f.op, f.scale, &f.weights,
		func(gu, gv, u, v, du, dv *gcg.FactorOf[T]) {
			to(gu, gv, r, u, v, du, dv)
			if f.scale != 1 {
				gu.Scale(T(f.scale))
				gv.Scale(T(f.scale))
			}
		},
		func(gx, x, v *gcg.FactorOf[T]) {
			normal(gx, x, v)
			if f.scale != 1 {
				gx.Scale(T(f.scale))
			}
		})
}

// observedCurvature is that of c times the squared loss, with its two passes.
func observedCurvature[T gcg.Real](op diagonalOperator, c float64, w *weights, to func(gu, gv, u, v, du, dv *gcg.FactorOf[T]),
	normal func(gx, x, v *gcg.FactorOf[T])) curvature[T] {
	return curvature[T]{to: to, normal: normal,
		preconditioner: func(n *newton) preconditioner[T] { return withTail(n, observedJacobi[T](op, n, c)) },
		weights:        func() (rows, columns *gcg.Factor) { return w.of(op, c) },
	}
}

// A diagonalOperator sums squares over the observations.
type diagonalOperator interface {
	gcg.Operator
	DiagonalTo(du, dv, u2, v2 *gcg.Factor)
}

// observedSquares are the diagonals for c times the squared loss: the observed squares of the other factor.
func observedSquares(op diagonalOperator, u2, v2 *gcg.Factor, c float64) (du, dv *gcg.Factor) {
	du, dv = blank(u2), blank(v2)
	op.DiagonalTo(du, dv, u2, v2)
	if c != 1 {
		du.Scale(c)
		dv.Scale(c)
	}
	return du, dv
}

func observedJacobi[T gcg.Real](op diagonalOperator, n *newton, c float64) *jacobi[T] {
	if n.diagonals == nil || n.diagonals[0].K != n.k() {
		u2, v2 := squaredEntries(n.left), squaredEntries(n.right)
		da, db := observedSquares(op, u2, v2, c)
		gcg.Repay(u2, v2)
		n.diagonals = []*gcg.Factor{da, db}
	}
	return newJacobi[T](n, n.diagonals[0], n.diagonals[1])
}

func (f *fusedModel) curvatures(u, v *gcg.Factor) func(i int) float64 {
	return observedCurvatures(f.op, u, v, f.scale)
}

func (f *fusedModel) sharpen() {}

func (f *fusedModel) writeTo(s *gcg.State) {
	par.Pieces(len(f.r), func(lo, hi int) { // f.r is s.R
		z, r := s.Z[lo:hi], s.R[lo:hi]
		copy(z, f.y[lo:hi])
		kernel.Axpy(-1, r, z)
		if f.scale != 1 {
			kernel.Scale(f.scale, r)
		}
	})
	s.Loss, s.Polar, s.Exact = f.loss, nil, f.exact
}

func squaredEntries(f *gcg.Factor) *gcg.Factor {
	g := gcg.Room[float64](f.Rows, f.K)
	f.RowBlocks(func(lo, hi int) {
		rows := f.Data[lo*f.Stride : hi*f.Stride]
		kernel.Hadamard(g.Data[lo*g.Stride:], rows, rows)
	})
	return g
}

// scaledMap is c·G.
type scaledMap struct {
	gcg.BilateralMap
	c float64
}

func (m scaledMap) MulTo(dst, x []float64) {
	m.BilateralMap.MulTo(dst, x)
	kernel.Scale(m.c, dst)
}

func (m scaledMap) TMulTo(dst, y []float64) {
	m.BilateralMap.TMulTo(dst, y)
	kernel.Scale(m.c, dst)
}

func (m scaledMap) BothTo(gv, gu, u, v *gcg.Factor) {
	m.BilateralMap.BothTo(gv, gu, u, v)
	m.scale(gv)
	m.scale(gu)
}

func (m scaledMap) MulBlockTo(dst, x *gcg.Factor) {
	m.BilateralMap.MulBlockTo(dst, x)
	m.scale(dst)
}

func (m scaledMap) TMulBlockTo(dst, y *gcg.Factor) {
	m.BilateralMap.TMulBlockTo(dst, y)
	m.scale(dst)
}

func (m scaledMap) scale(f *gcg.Factor) {
	if m.c != 1 {
		f.Scale(m.c)
	}
}
