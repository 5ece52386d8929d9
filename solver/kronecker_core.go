package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg"
)

// A coreEquation is what a Kronecker approximation says of M, with K = PᵀLP and J = QᵀRQ,
//
//	K M J + floor M + λ (Mᵢⱼ - Mⱼᵢ)/(sᵢ+sⱼ) = R,
//
// which no basis makes diagonal: the first term is in those of K and J, the last in that of S, and it couples Mᵢⱼ with Mⱼᵢ. It is solved by
// conjugate gradients of 4k³ flops a step, nothing beside a product with the data, preconditioned by the pairs (Mᵢⱼ, Mⱼᵢ) alone.
type coreEquation struct {
	k, j  *gcg.Factor // Small(k, k)
	floor float64
	bend  *gcg.Factor // λ/(sᵢ+sⱼ)
	pair  *gcg.Factor // kᵢᵢjⱼⱼ + floor
}

// coreAccuracy is that of the residual in the metric of the pairs; with 1e-3 outer conjugate gradients took as many steps.
const (
	coreAccuracy = 1e-2
	coreSteps    = 100
)

func newCoreEquation(k, j *gcg.Factor, sigma []float64, slope float64) *coreEquation {
	size := len(sigma)
	e := &coreEquation{k: k, j: j, bend: gcg.Small(size, size), pair: gcg.Small(size, size)}
	e.floor = 1e-3*maxDiagonal(k)*maxDiagonal(j) + 1e-300
	for a, sa := range sigma {
		for b, sb := range sigma {
			e.bend.Row(a)[b] = slope / (sa + sb)
			e.pair.Row(a)[b] = k.Row(a)[a]*j.Row(b)[b] + e.floor
		}
	}
	return e
}

func maxDiagonal(k *gcg.Factor) float64 {
	var top float64
	for i := range k.K {
		top = math.Max(top, k.Row(i)[i])
	}
	return top
}

// applyTo writes the left side for M into dst.
func (e *coreEquation) applyTo(dst, m *gcg.Factor) {
	copy(dst.Data, gcg.Mul(gcg.Mul(e.k, m), e.j).Data)
	dst.AddScaled(e.floor, m)
	for a := range m.K {
		for b := range m.K {
			dst.Row(a)[b] += e.bend.Row(a)[b] * (m.Row(a)[b] - m.Row(b)[a])
		}
	}
}

// pairsTo solves for each pair (Mᵢⱼ, Mⱼᵢ) by itself.
func (e *coreEquation) pairsTo(z, r *gcg.Factor) {
	for a := range r.K {
		for b := range a + 1 {
			x, y, bend := e.pair.Row(a)[b], e.pair.Row(b)[a], e.bend.Row(a)[b]
			if a == b {
				bend = 0
			}
			det := x*y + bend*(x+y)
			ra, rb := r.Row(a)[b], r.Row(b)[a]
			z.Row(a)[b], z.Row(b)[a] = ((y+bend)*ra+bend*rb)/det, ((x+bend)*rb+bend*ra)/det
		}
	}
}

// solveTo writes the solution M for R = r into z.
func (e *coreEquation) solveTo(z, r *gcg.Factor) {
	size := r.K
	r, h := r.Clone(), gcg.Small(size, size)
	p := gcg.Small(size, size)
	e.pairsTo(p, r)
	d := p.Clone()
	clear(z.Data)
	rp := r.Dot(p)
	for stop, it := coreAccuracy*coreAccuracy*rp, 0; rp > stop && it < coreSteps; it++ {
		e.applyTo(h, d)
		alpha := rp / d.Dot(h)
		z.AddScaled(alpha, d)
		r.AddScaled(-alpha, h)
		e.pairsTo(p, r)
		next := r.Dot(p)
		d.Scale(next / rp)
		d.AddScaled(1, p)
		rp = next
	}
}
