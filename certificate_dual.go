package gcg

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/par"
)

// conjugateAlong is t ↦ L*(-tR), or nil for a loss without a conjugate, where L is what the problem's loss smooths, see Original.
// For a squared loss it is a closed form of two sums.
func (p *Problem) conjugateAlong(s *State) func(t float64) float64 {
	if q := p.asSquares(); q != nil {
		rr, ry := q.Sums()
		return func(t float64) float64 { return t*t*rr/2 - t*ry }
	}
	loss := Original(p.Loss)
	if q, ok := loss.(LeastSquares); ok {
		ry := p.dot(s.R, q.Target())
		rr := p.weightedSquares(s.R, q)
		return func(t float64) float64 { return t*t*rr/2 - t*ry }
	}
	if c, ok := loss.(interface {
		ConjugateAlong(lo int, r []float64) func(s float64) float64
	}); ok {
		part := make([]func(t float64) float64, p.Blocks())
		par.For(len(part), func(b int) {
			lo, hi := p.Block(b)
			part[b] = c.ConjugateAlong(lo, s.R[lo:hi])
		})
		return func(t float64) float64 {
			return par.Sum(len(part), func(b int) float64 { return part[b](t) })
		}
	}
	c, ok := loss.(ConjugateLoss)
	if !ok {
		return nil
	}
	return func(t float64) float64 {
		return p.Sum(func(lo, hi int) float64 {
			return c.Conjugate(lo, s.R[lo:hi], t)
		})
	}
}

// A Shift is a dual point Y = G - U Vᵀ of a problem all of whose cells are observed: there every matrix is one. With X = P S Qᵀ
// and Y equal to λPQᵀ within the spaces of X and to G outside, but for singular values above λ,
//
//	F(X) - D(Y) = ½‖G - Y‖²
//
// in the metric of the conjugate. That is of second order in what X lacks, where the gap of a multiple of G is of first order.
type Shift struct {
	bound float64 // of F*
}

// FreeDual reports whether every matrix is a dual point of the problem, so that it has shifts.
func (p *Problem) FreeDual() bool {
	return p.ShiftPrice() > 0 && IsTraceNorm(p.Gauge)
}

// Shifted is the dual point Y = G - U Vᵀ of a problem that is FreeDual, at the last point that it was moved to, with σ₁(Y) ≤
// norm. Its operator, a Squares, gives Sums for the residual whose image under A* is c·A*(r) - U Vᵀ.
func (p *Problem) Shifted(u, v *Factor, norm float64) *Shift {
	rr, ry := p.Operator.(interface {
		ShiftedSums(u, v *Factor) (rr, ry float64)
	}).ShiftedSums(u, v)
	return &Shift{p.dualBound(func(t float64) float64 { return t*t*rr/2 - t*ry }, norm, 0)}
}

// ShiftPrice is at most about the gap that a unit of ‖U Vᵀ‖² leaves, which the operator knows, and 0 where there are no shifts.
func (p *Problem) ShiftPrice() float64 {
	if f, ok := p.Operator.(interface{ ShiftPrice() float64 }); ok {
		return f.ShiftPrice()
	}
	return 0
}

// Bound is the lower bound of F*.
func (h *Shift) Bound() float64 { return h.bound }

// weightedSquares is Σ rᵢ²/(ωᵢ·scale), over ωᵢ > 0.
func (p *Problem) weightedSquares(r []float64, q LeastSquares) float64 {
	w := q.Weights()
	if w == nil {
		return p.dot(r, r) / q.Scale()
	}
	return p.Sum(func(lo, hi int) float64 {
		var s float64
		for i := lo; i < hi; i++ {
			if w[i] > 0 {
				s += r[i] * r[i] / w[i]
			}
		}
		return s
	}) / q.Scale()
}

// maximise is about the maximum of a concave f on [0, limit], with f(0) finite. It doubles t while f rises, and then takes
// golden sections of [0, t]. As any t gives a valid bound, accuracy only sharpens it; the end of the interval, where the best
// t often is, is tried exactly.
func maximise(f func(float64) float64, limit float64) float64 {
	best, at := f(0), 0.0
	try := func(t float64) float64 {
		v := f(t)
		if v > best {
			best, at = v, t
		}
		return v
	}
	hi := math.Min(limit, 1)
	try(hi)
	for at == hi && hi < limit && hi < 1e12 {
		hi = math.Min(2*hi, limit)
		try(hi)
	}
	if at == limit {
		try(limit * (1 - 1e-9)) // is it still rising there?
		if at == limit {
			return best
		}
	}
	lo := 0.0
	const golden = 0.3819660112501051
	for range 60 {
		a, b := lo+golden*(hi-lo), hi-golden*(hi-lo)
		if b <= a {
			break
		}
		if try(a) >= try(b) {
			hi = b
		} else {
			lo = a
		}
		if hi-lo < 1e-9*hi {
			break
		}
	}
	return best
}
