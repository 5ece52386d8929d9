package view

import (
	"math"
	"math/rand/v2"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// Quadratic says that the second derivatives of the loss are the same everywhere.
func (p *Problem) Quadratic() bool { return p.LeastSquares != nil }

// HessAlongTo writes dst = ∇²L(z) e on a block of observations from lo on; r is -∇L(z) there. A loss without second derivatives
// lends the difference of its gradients along e.
func (p *Problem) HessAlongTo(dst []float64, lo int, z, r, e []float64) {
	if p.Curved != nil {
		gcg.HessTo(p.Curved, dst, lo, z, r, e)
	} else {
		differenceTo(p.Loss, dst, lo, z, r, e)
	}
}

// differencePart is the largest change of a prediction, as part of the largest prediction: less and the difference of gradients
// is rounding, more and it is not that of second derivatives.
const differencePart = 1e-4

// differenceTo writes dst = (∇L(z + te) - ∇L(z))/t for a small t, which is ∇²L(z) e to about four digits. That is enough for a
// line search, which corrects itself.
func differenceTo(l gcg.Loss, dst []float64, lo int, z, r, e []float64) {
	size, length := linalg.MaxAbs(z), linalg.MaxAbs(e)
	if length == 0 {
		clear(dst)
		return
	}
	if size == 0 {
		size = 1
	}
	step := differencePart * size / length
	for i := range z {
		dst[i] = z[i] + step*e[i]
	}
	l.Eval(lo, dst, dst)
	for i := range r {
		dst[i] = (r[i] - dst[i]) / step
	}
}

// CurvatureAlong is ⟨a, ∇²L a⟩ at the state's predictions, for a vector a of predictions.
func (p *Problem) CurvatureAlong(s *gcg.State, a []float64) float64 {
	return p.Sum(func(lo, hi int) float64 {
		d := memory.Borrow[float64](hi - lo)
		defer memory.Repay(d)
		p.HessAlongTo(d, lo, s.Z[lo:hi], s.R[lo:hi], a[lo:hi])
		return kernel.Dot(d, a[lo:hi])
	})
}

// SeparableHess is the diagonal of ∇²L at the state where the loss couples no observations, so that there is no more of it, and
// nil where it couples some.
func (p *Problem) SeparableHess(s *gcg.State) []float64 {
	if !p.Separable {
		return nil
	}
	return p.HessDiagonal(s)
}

// HessDiagonal is the diagonal of ∇²L at the state: exact where the loss couples no observations or is a gcg.OuterLoss, and
// else e∘∇²L e for random signs e, whose expectation it is: its sums over many observations are about as good. The memory may
// be repaid.
func (p *Problem) HessDiagonal(s *gcg.State) []float64 {
	d := memory.Room[float64](len(s.Z))
	if l := p.Outer; l != nil {
		par.For(p.Blocks(), func(b int) {
			lo, hi := p.Block(b)
			l.DiagonalFromTo(d[lo:hi], lo, s.R[lo:hi])
		})
		return d
	}
	if p.Separable {
		for i := range d {
			d[i] = 1
		}
		p.HessTo(d, s.Z, s.R, d)
		return d
	}
	rng := rand.New(rand.NewPCG(1, 0x9e3779b97f4a7c15))
	e := make([]float64, len(s.Z))
	for i := range e {
		e[i] = float64(2*rng.IntN(2) - 1)
	}
	p.HessTo(d, s.Z, s.R, e)
	for i := range d {
		d[i] = math.Max(0, d[i]*e[i])
	}
	return d
}
