package spectral

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"gonum.org/v1/gonum/mat"
)

// A dualShift is a dual point Y = G - Δ that closes the solver's run, as it is looked for. Y is λPOQᵀ within the spaces of W, for
// λ the Level that was asked for and O the orthogonal factor of PᵀWQ, and D outside, of which singular pairs X, Θ, Y are brought
// down to λ:
//
//	Y = λ P O Qᵀ + X min(Θ, λ) Yᵀ + D',   Δ = (E + P(C - λO)) Qᵀ + P Fᵀ + X ((Θ - λ)₊ Yᵀ + Aᵀ),   DᵀX = Y Θ + A
//
// Its parts have orthogonal spaces, so that ‖Y‖ = max(λ, ‖D'‖), and the terms of Δ as well. D' has no pairs near λ any more: a
// few steps bound it.
type dualShift struct {
	l      *boundSearch
	ask    *gcg.ShiftAsk
	left   *gcg.Factor // C - λO
	square float64     // ‖Δ‖² so far
	d      *complement // D'
	x, z   *gcg.Factor // X and Y(Θ - λ)₊ + A; nil before the first pairs
}

// What shifts trade.
const (
	shiftFrom    = 0.9 // of λ, from which on pairs are cut out, so that what is left is soon seen to be below λ
	shiftQuality = 0.1 // residual over λ up to which a pair may be cut out; the square of the residual is lost
	mostRounds   = 4   // of steps from new starts, each after cutting out what the last one found
)

// closes looks for a shift where the pairs above λ have converged, as far as they are seen, and reports whether there is one.
func (l *boundSearch) closes(ctx context.Context) (bool, error) {
	ask := l.ask.Spectral.Shift
	if ask == nil || l.s.p == nil || l.noShift || l.wanted() && !l.enough() {
		return false, nil
	}
	if l.within == nil {
		l.within = l.s.c.Clone()
		l.within.AddScaled(-ask.Level, l.s.orthogonalFactor())
	}
	h := &dualShift{l: l, ask: ask, left: l.within, d: l.b.d}
	h.square = h.left.Dot(h.left) + l.s.e.Dot(l.s.e) + l.s.f.Dot(l.s.f)
	pairs, ready := h.ready(l.r)
	if !ready || ask.Enough(h.with(l.r, pairs)) == 0 {
		return false, nil
	}
	l.noShift = true // another one would hardly differ
	h.cut(l.r, pairs)
	tau, err := h.bound(ctx)
	if err != nil || !(tau <= ask.Enough(h.square)) {
		return false, err
	}
	u, v := h.factors()
	if l.shift = ask.At(u, v, math.Max(ask.Level, tau)*(1+rounding.Null)); l.shift == nil {
		return false, nil
	}
	l.accurate, l.bound = true, math.Min(l.bound, l.normWith(l.b.above(l.r, l.o.Failure/2)))
	return true, nil
}

// ready counts the leading Ritz pairs that can be cut out. It reports whether all above λ are among them.
func (h *dualShift) ready(r ritz) (pairs int, all bool) {
	for i, theta := range r.values {
		if theta < shiftFrom*h.ask.Level {
			break
		}
		if r.residual(i) > shiftQuality*h.ask.Level {
			return i, theta < h.ask.Level
		}
		pairs++
	}
	return pairs, true
}

// with is ‖Δ‖² with so many leading pairs cut out.
func (h *dualShift) with(r ritz, pairs int) float64 {
	square := h.square
	for i := range pairs {
		excess, residual := math.Max(r.values[i]-h.ask.Level, 0), r.residual(i)
		square += excess*excess + residual*residual
	}
	return square
}

// cut takes the leading pairs out of D'.
func (h *dualShift) cut(r ritz, pairs int) {
	if pairs == 0 {
		return
	}
	h.square = h.with(r, pairs)
	x, y, theta := r.pairs(pairs)
	z, excess := y.Clone(), make([]float64, y.Stride)
	for i, t := range theta {
		excess[i] = math.Max(t-h.ask.Level, 0)
	}
	z.ScaleColumns(excess)
	z.AddScaled(1, r.remainders(pairs))
	h.d = h.d.without(x, y)
	if h.x == nil {
		h.x, h.z = x, z
	} else {
		h.x, h.z = gcg.Beside(h.x, x), gcg.Beside(h.z, z)
	}
}

// bound bounds D' by steps from a new start. Where these show pairs above λ that the steps before have not seen, as where many
// singular values are close together, it cuts them out too, and begins again.
func (h *dualShift) bound(ctx context.Context) (tau float64, err error) {
	for range mostRounds {
		h.l.failure /= 2
		if again, tau, err := h.round(ctx); !again {
			return tau, err
		}
	}
	return math.Inf(1), nil
}

// round is one run of steps; again says that it has cut out pairs.
func (h *dualShift) round(ctx context.Context) (again bool, tau float64, err error) {
	l, enough := h.l, h.ask.Enough(h.square)
	b := startKrylov(h.d, l.ask.Seed^0xd1b54a32d192ed03+l.cuts)
	defer b.repay()
	l.cuts++
	for steps := 6; ; steps += 3 {
		if err := b.extend(ctx, min(steps, l.o.Steps)); err != nil {
			return false, 0, err
		}
		r := b.ritz()
		if pairs, all := h.ready(r); r.top() > enough && all {
			h.cut(r, pairs)
			return h.ask.Enough(h.square) > 0, math.Inf(1), nil
		}
		if tau = b.above(r, l.failure); tau <= enough || b.done || b.steps >= l.o.Steps {
			return false, tau, nil
		}
	}
}

// factors are Δ = U Vᵀ of G as it was given.
func (h *dualShift) factors() (u, v *gcg.Factor) {
	s := h.l.s
	eq := s.e.Clone()
	eq.AddMul(s.p, h.left)
	u, v = gcg.Beside(eq, s.p), gcg.Beside(s.q, s.f)
	if h.x != nil {
		u, v = gcg.Beside(u, h.x), gcg.Beside(v, h.z)
	}
	if s.flipped {
		return v, u
	}
	return u, v
}

// orthogonalFactor is O = A Bᵀ for PᵀWQ = A S Bᵀ, a Small(k, k).
func (s *structure) orthogonalFactor() *gcg.Factor {
	pu, qv := gcg.TMul(s.p, s.u), gcg.TMul(s.q, s.v)
	var core mat.Dense
	core.Mul(pu.Dense(s.p.K), qv.Dense(s.q.K).T())
	a, _, b := linalg.ThinSVD(&core)
	var o mat.Dense
	o.Mul(a, b.T())
	return gcg.SmallOf(&o)
}
