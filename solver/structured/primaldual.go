package structured

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// A primalDual takes the steps [Condat 2013; Vũ 2013]
//
//	x⁺ ← prox_{ηh}(x - η(Aᵀ∇L(A x) + Bᵀu)),   u ← the projection of u + σB(2x⁺ - x) on dom g*
//
// with 1/η - σ‖B‖² at least half the curvature of L(A x). σ follows the residuals, so that x and u come to rest together.
type primalDual struct {
	*Method
	curvature, sigma float64
	change           float64 // of the changes of σ, which end
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
	d := &primalDual{Method: m, curvature: m.f.curvature(), change: balanceBy, grad: make([]float64, p), btu: make([]float64, p),
		ax: make([]float64, nobs), bx: make([]float64, n), step: make([]float64, n)}
	d.sigma = d.curvature / m.second.g.Norm2()
	return d
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
func (d *primalDual) once(balance bool) {
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
	if balance {
		d.balance(next, old, eta)
	}
	copy(d.x, next)
}

// balance changes σ by the residuals of the step from x and old to next and u,
//
//	(x - x⁺)/η - Bᵀ(u - u⁺)   as part of ‖∇‖ + ‖Bᵀu‖,      (u - u⁺)/σ - B(x - x⁺)   as part of ‖Bx‖
func (d *primalDual) balance(next, old []float64, eta float64) {
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
	switch {
	case primal > unbalanced*dual:
		d.sigma /= d.change
	case dual > unbalanced*primal:
		d.sigma *= d.change
	default:
		return
	}
	d.change = math.Pow(d.change, balanceFade)
}
