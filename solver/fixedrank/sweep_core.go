package fixedrank

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/newton"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// A sweepCore is ½‖y - A(P T Qᵀ)‖² + λ‖P T Qᵀ‖_* as a function of the k×k matrix T, near a positive diagonal one. Sweeps
// change small singular values slowly: while one factor is fixed its half of the penalty resists, λ/(hσ) times as much as
// the curvature h of the loss. In the core they come to their place, or below 0, in a few products of 4k flops
// for every observation.
type sweepCore struct {
	w     *sweeper
	p, q  *gcg.Factor32
	sigma []float64
}

const (
	coreSweepSteps = 8    // conjugate gradient steps
	coreSweepPart  = 1e-2 // or until the gradient is this part of what it was
	stayPart       = 0.1  // of the least singular value: a core with none below that is left after one step
)

// solveCore goes to about the minimum of the core of x, without the directions in which that is not positive. gone (n×d) are
// their right vectors.
func (w *sweeper) solveCore(x factors) (y factors, gone *gcg.Factor) {
	t, ok := balancing(x)
	if !ok {
		return x, gcg.NewFactor(x.v.Rows, 0)
	}
	x = t.of(x)
	c := &sweepCore{w: w, sigma: factor.WideGram(x.u).Diagonal()}
	c.p, c.q = factor.ScaleColumns(x.u, c.sigma, -0.5), factor.ScaleColumns(x.v, c.sigma, -0.5)
	defer gcg.Repay(c.p, c.q)
	if t, ok := c.minimise(); ok {
		if y, gone, ok := c.positive(t); ok {
			x.repay()
			return y, gone
		}
	}
	return x, gcg.NewFactor(x.v.Rows, 0)
}

// normal is PᵀA*(A(P T Qᵀ))Q.
func (c *sweepCore) normal(t *gcg.Factor) *gcg.Factor {
	gu, narrow := factor.Blank(c.p), gcg.FactorIn[float32](t)
	x := gcg.Mul(c.p, narrow)
	c.w.rows.Normal32To(gu, x, c.q)
	core := gcg.TMul(c.p, gu)
	gcg.Repay(gu, narrow, x)
	return gcg.FactorIn[float64](core)
}

// target is PᵀA*(y)Q, in the sweeper's units.
func (c *sweepCore) target() *gcg.Factor {
	gu, q := gcg.NewFactor(c.p.Rows, c.p.K), gcg.FactorIn[float64](c.q)
	gcg.MulBlock(c.w.rows.Adjoint(c.w.target), gu, q)
	gcg.Repay(q)
	p := gcg.FactorIn[float64](c.p)
	t := gcg.TMul(p, gu)
	gcg.Repay(p, gu)
	t.Scale(1 / c.w.unit)
	return t
}

// minimise takes conjugate gradient steps from T = S.
func (c *sweepCore) minimise() (t *gcg.Factor, ok bool) {
	k := len(c.sigma)
	t = gcg.Small(k, k)
	for i, s := range c.sigma {
		t.Row(i)[i] = s
	}
	r, h := c.target(), c.normal(t)
	r.AddScaled(-1, h)
	for i := range c.sigma {
		r.Row(i)[i] -= c.w.ridge
	}
	inverse := c.inverse(h)
	small := func(x []float64) *gcg.Factor { return &gcg.Factor{Rows: t.Rows, K: k, Stride: t.Stride, Data: x} }
	precondition := func(z, r []float64) { inverse.CoreTo(small(z), small(r)) }
	multiply := func(h, d, _ []float64) {
		copy(h, c.normal(small(d)).Data)
		newton.AddSkew(small(h), small(d), c.sigma, c.w.ridge)
	}
	moved := func(x []float64) *gcg.Factor {
		y := t.Clone()
		y.AddScaled(1, small(x))
		return y
	}
	steps := 0
	stop := func(x []float64) bool {
		steps++
		return steps == 2 && c.stays(moved(x))
	}
	step := hessian.SolveCG(&linalg.ConjugateGradients{
		Multiply: multiply, Precondition: precondition, Limit: coreSweepSteps, Accuracy: coreSweepPart, Stop: stop,
	}, r.Data)
	if step == nil {
		return nil, false
	}
	return moved(step), true
}

// stays says that no singular value goes to 0, at the T after the first step: those that do would be far below 0 by then. What
// else can be gained in the core, sweeps and Newton steps gain for less. (Without it MovieLens-1M to 1e-6 takes 1.13 times as
// long.)
func (c *sweepCore) stays(t *gcg.Factor) bool {
	values, _ := t.SymEigen(false)
	return values[0] > stayPart*c.sigma[len(c.sigma)-1]
}

// inverse is about the inverse of the second derivatives in M. The loss is taken to have the same curvature along every unit
// M: the largest that h, its product with S, shows along the diagonal ones.
func (c *sweepCore) inverse(h *gcg.Factor) *newton.Jacobi[float64] {
	var most float64
	for i, s := range c.sigma {
		most = math.Max(most, h.Row(i)[i]/s)
	}
	core := factor.Blank(h)
	for i := range c.sigma {
		for j := range c.sigma {
			core.Row(i)[j] = most
		}
	}
	return &newton.Jacobi[float64]{Core: core, Sigma: c.sigma, Lambda: c.w.ridge}
}

// positive are balanced factors of P T Qᵀ in the directions in which the symmetric part of T is positive, and the right
// vectors of the others.
func (c *sweepCore) positive(t *gcg.Factor) (x factors, gone *gcg.Factor, ok bool) {
	values, left, dead := newton.PositivePart(t, deadBelow)
	if len(values) == 0 || !(values[0] > 0) {
		return x, nil, false
	}
	right := left.Clone()
	for i, v := range values {
		left.ScaleColumn(i, 1/math.Sqrt(v))
		right.ScaleColumn(i, math.Sqrt(v))
	}
	return factors{gcg.Mul(c.p, gcg.FactorIn[float32](gcg.Mul(t, left))), gcg.Mul(c.q, gcg.FactorIn[float32](right))},
		gcg.FactorIn[float64](gcg.Mul(c.q, gcg.FactorIn[float32](dead))), true
}

// deadBelow is the part of the largest singular value below which one counts as 0: float32 loses squares of less.
const deadBelow = 1e-6
