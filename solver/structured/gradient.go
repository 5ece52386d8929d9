package structured

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/firstorder"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// A descent is accelerated proximal gradient [Beck and Teboulle 2009] with restarts where the momentum points uphill
// [O'Donoghue and Candès 2015].
type descent struct {
	exact
	f         *smooth
	h         *shrinkage
	x         []float64
	y, ax, ay []float64 // the extrapolated point, and A x and A y
	grad      []float64
	momentum  firstorder.Momentum
	bound     float64 // of the curvature, raised where a step shows more
}

const (
	// firstBound is the part of the estimated curvature that the first steps assume: they raise what is too little.
	firstBound = 0.25
	// stepRounding is the part of the RoundingScale of L by which a step may miss its quadratic bound, as its rounding.
	stepRounding = rounding.Sum
)

// newDescent begins at x, which it moves.
func newDescent(e exact, f *smooth, h *shrinkage, x []float64) *descent {
	d := &descent{exact: e, f: f, h: h, x: x, grad: make([]float64, len(x)), ax: make([]float64, len(f.s.Z))}
	f.apply(d.ax, x)
	d.y, d.ay = append([]float64(nil), x...), append([]float64(nil), d.ax...)
	d.bound = firstBound * f.curvature()
	return d
}

// steps takes so many steps, or fewer where x no longer moves, which it reports.
func (d *descent) steps(ctx context.Context, count int) (moves bool) {
	for range count {
		if ctx.Err() != nil || !d.step() {
			return false
		}
	}
	return true
}

// gap finds u for x, and returns how far the bound of both is below the objective; about that with λ‖x‖₁.
func (d *descent) gap(u []float64) float64 {
	d.f.value(d.ax)
	d.f.gradientTo(d.grad)
	linear, size := kernel.Dot(d.grad, d.x)+d.value(d.x), d.size(d.x)
	bound := 0.0
	if size > 0 {
		bound = math.Max(0, -linear/size) // ⟨q + Bᵀu, x⟩ ≥ -θ‖x‖₁
	}
	return linear + d.h.excess(d.dualTo(u, d.grad, bound), size)
}

// restart begins again at x, for which ax is known.
func (d *descent) restart() {
	copy(d.y, d.x)
	copy(d.ay, d.ax)
	d.momentum.Restart()
}

// step moves x, and reports whether it did.
func (d *descent) step() bool {
	value := d.f.value(d.ay)
	scale := d.f.s.RoundingScale(value)
	d.f.gradientTo(d.grad)
	next, target, az := make([]float64, len(d.x)), make([]float64, len(d.x)), make([]float64, len(d.ax))
	for {
		for i, v := range d.y {
			target[i] = v - d.grad[i]/d.bound
		}
		d.proxTo(next, target, 1/d.bound, d.h)
		d.f.apply(az, next)
		var along, square float64
		for i, v := range next {
			step := v - d.y[i]
			along += d.grad[i] * step
			square += step * step
		}
		at := d.f.value(az)
		if square == 0 || !(at > value+along+d.bound/2*square+stepRounding*math.Max(math.Abs(at), scale)) {
			break
		}
		d.bound *= 2
	}
	var uphill, moved float64
	for i, v := range next {
		uphill += (d.y[i] - v) * (v - d.x[i])
		moved = math.Max(moved, math.Abs(v-d.x[i]))
	}
	beta := d.momentum.Next()
	if uphill > 0 {
		beta = 0
		d.momentum.Restart()
	}
	extrapolate(d.y, next, d.x, beta)
	extrapolate(d.ay, az, d.ax, beta)
	copy(d.x, next)
	copy(d.ax, az)
	return moved > 0
}

// extrapolate writes dst = next + β(next - old).
func extrapolate(dst, next, old []float64, beta float64) {
	copy(dst, next)
	if beta != 0 {
		kernel.Scale(1+beta, dst)
		kernel.Axpy(-beta, old, dst)
	}
}

// A primalDual takes the steps [Condat 2013; Vũ 2013]
//
//	x⁺ ← prox_{ηh}(x - η(Aᵀ∇L(A x) + Bᵀu)),   u ← the projection of u + σB(2x⁺ - x) on dom g*
//
// with 1/η - σ‖B‖² at least half the curvature of L(A x). σ follows the residuals, so that x and u come to rest together.
type primalDual struct {
	*Method
	curvature, sigma float64
	balance          firstorder.Balance
	grad, btu, ax    []float64
	bx, step         []float64
}

const (
	primalDualRoom = 0.55 // of the curvature, where a half is the limit
	// balanceEvery is the number of steps between changes of σ: the residuals need some to follow the last change.
	balanceEvery = 10
	// balanceBy is the first factor of σ: orders of magnitude are to be found in a few changes.
	balanceBy = 3
	// balanceFade is the power by which each factor is less than the last: σ settles, as convergence needs.
	balanceFade = 0.97
	// unbalanced is the quotient of the residuals, each as part of its terms, beyond which σ changes.
	unbalanced = 2
)

// newPrimalDual begins at x and u = 0, with a σ at which ‖B‖²σ is the curvature.
func newPrimalDual(m *Method) *primalDual {
	p, n := m.second.g.Size()
	_, _, nobs := m.second.op.Dims()
	d := &primalDual{Method: m, curvature: m.f.curvature(), balance: sigmaBalance(),
		grad: make([]float64, p), btu: make([]float64, p), ax: make([]float64, nobs), bx: make([]float64, n), step: make([]float64, n)}
	d.sigma = d.curvature / m.second.g.Norm2()
	return d
}

// sigmaBalance is the rule for σ, of the residuals each as part of its terms.
func sigmaBalance() firstorder.Balance {
	return firstorder.Balance{Apart: unbalanced, By: balanceBy, Fade: balanceFade}
}

// steps takes so many steps.
func (d *primalDual) steps(ctx context.Context, count int) {
	for k := range count {
		if ctx.Err() != nil {
			return
		}
		d.once(k%balanceEvery == balanceEvery-1)
	}
}

// once is a step, after which σ may change.
func (d *primalDual) once(rebalance bool) {
	g, u := d.second.g, d.second.u
	eta := 1 / (primalDualRoom*d.curvature + d.sigma*g.Norm2())
	d.f.apply(d.ax, d.x)
	d.f.value(d.ax)
	d.f.gradientTo(d.grad)
	g.BTTo(d.btu, u)
	next, twice := make([]float64, len(d.x)), make([]float64, len(d.x))
	for i, v := range d.x {
		next[i] = v - eta*(d.grad[i]+d.btu[i])
	}
	d.h.shrinkTo(next, next, eta)
	for i, v := range next {
		twice[i] = 2*v - d.x[i]
	}
	g.BTo(d.bx, twice)
	old := append([]float64(nil), u...)
	kernel.Axpy(d.sigma, d.bx, u)
	g.ProjectTo(u)
	if rebalance {
		d.rebalance(next, old, eta)
	}
	copy(d.x, next)
}

// rebalance changes σ by the residuals of the step from x and old to next and u,
//
//	(x - x⁺)/η - Bᵀ(u - u⁺)   as part of ‖∇‖ + ‖Bᵀu‖,      (u - u⁺)/σ - B(x - x⁺)   as part of ‖Bx‖
func (d *primalDual) rebalance(next, old []float64, eta float64) {
	g, u := d.second.g, d.second.u
	moved, bm, btm := make([]float64, len(next)), make([]float64, len(u)), make([]float64, len(next))
	for i, v := range next {
		moved[i] = d.x[i] - v
	}
	for i, v := range u {
		d.step[i] = old[i] - v
	}
	g.BTo(bm, moved)
	g.BTTo(btm, d.step)
	var primal, dual float64
	for i, v := range moved {
		primal += (v/eta - btm[i]) * (v/eta - btm[i])
	}
	for i, v := range d.step {
		dual += (v/d.sigma - bm[i]) * (v/d.sigma - bm[i])
	}
	primal = math.Sqrt(primal) / (norm(d.grad) + norm(d.btu))
	dual = math.Sqrt(dual) / norm(d.bx)
	d.sigma *= d.balance.Factor(dual, primal)
}

// A smooth is L(A x) on vectors, with an intercept b that minimises L(A x + E b) where the problem has one.
type smooth struct {
	p *gcg.Problem // of L alone
	s *gcg.State
	x *gcg.Factor
	v *gcg.Factor // 1
}

// newSmooth shares the oracle of a state.
func newSmooth(op gcg.Operator, l gcg.Loss, of *gcg.Problem, s *gcg.State) (*smooth, error) {
	f := &smooth{p: &gcg.Problem{Operator: op, Loss: l, Gauge: of.Gauge, Penalty: of.Penalty, Intercept: of.Intercept}}
	var err error
	if f.s, err = s.InnerState(f.p, nil); err != nil {
		return nil, err
	}
	m, _, _ := op.Dims()
	f.x, f.v = gcg.NewFactor(m, 1), gcg.NewFactor(1, 1)
	f.v.Row(0)[0] = 1
	return f, nil
}

// apply writes z = A x.
func (f *smooth) apply(z, x []float64) {
	f.x.SetColumn(0, x, 1)
	f.p.Apply(z, &gcg.Iterate{M: f.x.Rows, N: 1, U: f.x, V: f.v})
}

// value is L at z = A x, with the best intercept; the residual is the state's then.
func (f *smooth) value(z []float64) float64 {
	copy(f.s.Z, z)
	if f.s.Intercept != nil {
		f.p.InterceptMap().AddTo(f.s.Z, 1, f.s.Intercept)
	}
	f.s.Recentre(f.p)
	return f.s.Loss
}

// gradientTo writes Aᵀ∇L where value was last.
func (f *smooth) gradientTo(dst []float64) {
	f.p.Operator.Adjoint(f.s.R).MulTo(dst, []float64{1})
	kernel.Scale(-1, dst)
}

const (
	powerSteps = 20 // of the power method: what they miss of ‖A‖², powerRoom is for, and steps that are searched raise the rest
	// powerRoom is how far ‖A‖² may be above what powerSteps find.
	powerRoom = 1.1
)

// curvature is about the largest eigenvalue of the second derivative of L(A x).
func (f *smooth) curvature() float64 {
	m, _, nobs := f.p.Operator.Dims()
	x, z, top := make([]float64, m), make([]float64, nobs), 0.0
	for i := range x {
		x[i] = 1 + math.Sin(float64(i+1)) // no direction of a design is orthogonal to it but by chance
	}
	for range powerSteps {
		size := norm(x)
		if !(size > 0) {
			break
		}
		kernel.Scale(1/size, x)
		f.apply(z, x)
		top = math.Max(top, kernel.SumSq(z))
		f.p.Operator.Adjoint(z).MulTo(x, []float64{1})
	}
	c := 1.0
	if l := view.OfLoss(f.p.Loss).Curved; l != nil {
		c = gcg.CurvatureAt(l, f.s.Z)
	}
	if top *= c * powerRoom; !(top > 0) || math.IsInf(top, 1) {
		return 1
	}
	return top
}
