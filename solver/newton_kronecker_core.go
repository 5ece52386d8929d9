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
	k, j     *gcg.Factor // Small(k, k)
	floor    float64
	bend     *gcg.Factor // λ/(sᵢ+sⱼ)
	own, off *gcg.Factor // the inverse of the pairs' matrices: what Mᵢⱼ takes of Rᵢⱼ, and of Rⱼᵢ
	km       *gcg.Factor // work space
}

// coreAccuracy is that of the residual in the metric of the pairs; with 1e-3 outer conjugate gradients took as many steps.
const (
	coreAccuracy = 1e-2
	coreSteps    = 100
)

func newCoreEquation(k, j *gcg.Factor, sigma []float64, slope float64) *coreEquation {
	size := len(sigma)
	small := func() *gcg.Factor { return gcg.Small(size, size) }
	e := &coreEquation{k: k, j: j, bend: small(), own: small(), off: small(), km: small()}
	e.floor = 1e-3*maxDiagonal(k)*maxDiagonal(j) + 1e-300
	for a, sa := range sigma {
		for b, sb := range sigma {
			bend := slope / (sa + sb)
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

func maxDiagonal(k *gcg.Factor) float64 {
	var top float64
	for i := range k.K {
		top = math.Max(top, k.Row(i)[i])
	}
	return top
}

// applyTo writes the left side for M into dst.
func (e *coreEquation) applyTo(dst, m *gcg.Factor) {
	clear(e.km.Data)
	e.km.AddMul(e.k, m)
	clear(dst.Data)
	dst.AddMul(e.km, e.j)
	dst.AddScaled(e.floor, m)
	for a := range m.K {
		to, row, bend := dst.Row(a), m.Row(a), e.bend.Row(a)
		for b := range a {
			skew := bend[b] * (row[b] - m.Data[b*m.Stride+a])
			to[b] += skew
			dst.Data[b*m.Stride+a] -= skew
		}
	}
}

// pairsTo solves for each pair (Mᵢⱼ, Mⱼᵢ) by itself.
func (e *coreEquation) pairsTo(z, r *gcg.Factor) {
	for a := range r.K {
		to, row, own, off := z.Row(a), r.Row(a), e.own.Row(a), e.off.Row(a)
		for b := range r.K {
			to[b] = own[b]*row[b] + off[b]*r.Data[b*r.Stride+a]
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
