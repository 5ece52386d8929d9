package solver

import (
	"math"
	"math/rand/v2"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// hessTo is dst = ∇²L(z) e on a block; of a loss without second derivatives, the difference of r = -∇L(z) along e, which is
// as good as the first four digits: line searches correct themselves.
func hessTo(l gcg.Loss, dst []float64, lo int, z, r, e []float64) {
	switch c := l.(type) {
	case gcg.MemoizedLoss:
		c.HessFromTo(dst, lo, r, e)
		return
	case gcg.CurvedLoss:
		c.HessTo(dst, lo, z, e)
		return
	}
	var size, length float64
	for i := range z {
		size, length = math.Max(size, math.Abs(z[i])), math.Max(length, math.Abs(e[i]))
	}
	if length == 0 {
		clear(dst)
		return
	}
	if size == 0 {
		size = 1
	}
	step := 1e-4 * size / length
	for i := range z {
		dst[i] = z[i] + step*e[i]
	}
	l.Eval(lo, dst, dst)
	for i := range r {
		dst[i] = (r[i] - dst[i]) / step
	}
}

// curvatureAlong is ⟨a, ∇²L a⟩ at the state's predictions.
func curvatureAlong(p *gcg.Problem, s *gcg.State, a []float64) float64 {
	return par.Sum(p.Blocks(), func(t int) float64 {
		lo, hi := p.Block(t)
		d := memory.Borrow[float64](hi - lo)
		defer memory.Repay(d)
		hessTo(p.Loss, d, lo, s.Z[lo:hi], s.R[lo:hi], a[lo:hi])
		return kernel.Dot(d, a[lo:hi])
	})
}

// diagonalCurvature is the diagonal of ∇²L, or nil where it has more.
func diagonalCurvature(p *gcg.Problem, s *gcg.State) []float64 {
	if !gcg.Separable(p.Loss) {
		return nil
	}
	d := make([]float64, len(s.Z))
	for i := range d {
		d[i] = 1
	}
	p.HessTo(d, s.Z, s.R, d)
	return d
}

// diagonal is that of ∇²L where the loss can tell; else about it: e∘∇²L e for random signs e, which has it for expectation.
// Sums of many entries are as good. Who needs it no longer may repay it.
func diagonal(p *gcg.Problem, s *gcg.State) []float64 {
	d := memory.Room[float64](len(s.Z))
	if l, ok := p.Loss.(gcg.MemoizedLoss); ok {
		par.For(p.Blocks(), func(b int) {
			lo, hi := p.Block(b)
			l.DiagonalFromTo(d[lo:hi], lo, s.R[lo:hi])
		})
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
