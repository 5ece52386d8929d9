package newton

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
)

// A coreEquation is what a Kronecker approximation says of M, with K = PᵀLP and J = QᵀRQ,
//
//	K M J + floor M + λ (Mᵢⱼ - Mⱼᵢ)/(sᵢ+sⱼ) = R,
//
// which no basis makes diagonal: the first term is in those of K and J, the last in that of S, and it couples Mᵢⱼ with Mⱼᵢ. It is
// solved by conjugate gradients of 4k³ flops a step, nothing beside a product with the data, preconditioned by the pairs
// (Mᵢⱼ, Mⱼᵢ) alone.
type coreEquation struct {
	k, j     *gcg.Factor // Small(k, k)
	floor    float64
	bend     *gcg.Factor // λ/(sᵢ+sⱼ)
	own, off *gcg.Factor // the inverse of the pairs' matrices: what Mᵢⱼ takes of Rᵢⱼ, and of Rⱼᵢ

	km, turned, residual *gcg.Factor // work space: of applyTo, of both, and of solveTo
	solver               linalg.ConjugateGradients
}

const (
	// coreAccuracy is that of the residual in the metric of the pairs. With 1e-3 outer conjugate gradients took as many steps,
	// with 0.1 some problems took ten times as long.
	coreAccuracy = 1e-2
	// coreSteps bounds the steps to it: a preconditioner may be worse than that, but must not take longer than the data.
	coreSteps = 100
	// coreFloor is the part of the largest entries of K and J that the floor is: directions that no observation bends.
	coreFloor = 1e-3
)

// newCoreEquation takes K, J (k×k both), S and λ.
func newCoreEquation(k, j *gcg.Factor, sigma []float64, lambda float64) *coreEquation {
	size := len(sigma)
	small := func() *gcg.Factor { return gcg.Small(size, size) }
	e := &coreEquation{k: k, j: j, bend: small(), own: small(), off: small(), km: small(), turned: small(), residual: small()}
	e.solver = linalg.ConjugateGradients{Limit: coreSteps, Accuracy: coreAccuracy}
	to, from := *e.residual, *e.residual // their numbers are those of a call
	e.solver.Multiply = func(h, m, _ []float64) {
		to.Data, from.Data = h, m
		e.applyTo(&to, &from)
	}
	e.solver.Precondition = func(z, r []float64) {
		to.Data, from.Data = z, r
		e.pairsTo(&to, &from)
	}
	e.floor = coreFloor*factor.MaxDiagonal(k)*factor.MaxDiagonal(j) + 1e-300
	for a, sa := range sigma {
		for b, sb := range sigma {
			bend := lambda / (sa + sb)
			e.bend.Row(a)[b] = bend
			if a == b {
				bend = 0
			}
			x, y := k.Row(a)[a]*j.Row(b)[b]+e.floor, k.Row(b)[b]*j.Row(a)[a]+e.floor
			det := x*y + bend*(x+y)
			e.own.Row(a)[b], e.off.Row(a)[b] = (y+bend)/det, bend/det
		}
	}
	return e
}

// applyTo writes the left side for M into dst.
func (e *coreEquation) applyTo(dst, m *gcg.Factor) {
	e.km.MulTo(e.k, m)
	dst.MulTo(e.km, e.j)
	dst.AddScaled(e.floor, m)
	factor.TransposeTo(e.turned, m)
	to, from, turned := dst.Data, m.Data[:len(dst.Data)], e.turned.Data[:len(dst.Data)]
	for i, by := range e.bend.Data[:len(to)] {
		to[i] += by * (from[i] - turned[i])
	}
}

// pairsTo solves for each pair (Mᵢⱼ, Mⱼᵢ) by itself.
func (e *coreEquation) pairsTo(z, r *gcg.Factor) {
	factor.TransposeTo(e.turned, r)
	to, from, turned, off := z.Data, r.Data[:len(z.Data)], e.turned.Data[:len(z.Data)], e.off.Data[:len(z.Data)]
	for i, by := range e.own.Data[:len(to)] {
		to[i] = by*from[i] + off[i]*turned[i]
	}
}

// solveTo writes the solution M for R = r into z.
func (e *coreEquation) solveTo(z, r *gcg.Factor) {
	copy(e.residual.Data, r.Data)
	e.solver.Solve(z.Data, e.residual.Data)
}
