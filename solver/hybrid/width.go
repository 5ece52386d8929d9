package hybrid

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/loss"
)

// A wide loss has envelopes, whose width can be changed: loss.MoreauEnvelope, or a loss.Stack of some.
type wide interface{ SetWidth(beta float64) }

// setWidth gives the envelopes the width of step k.
func (h *Method) setWidth(p *gcg.Problem, k int) {
	if l, ok := p.Loss.(wide); ok && h.first > 0 {
		decay := h.Decay
		if decay == 0 {
			decay = 0.5
		}
		l.SetWidth(math.Max(h.first*math.Pow(float64(k), -decay), leastWidth*h.first))
	}
}

// leastWidth of the first width: a u of digits that all have cancelled says nothing.
const leastWidth = 1e-12

// firstWidth is β_1. A problem scaled by c has the envelope (cg)_β = c g_{cβ}, so that β is c times as wide for g.
func (h *Method) firstWidth(p *gcg.Problem) float64 {
	if h.Beta > 0 {
		if h.Scale > 0 {
			return h.Scale * h.Beta
		}
		return h.Beta
	}
	parts := envelopes(p.Loss)
	constant := lipschitz(parts)
	if constant == 0 {
		return 0
	}
	radius := h.Radius
	if radius == 0 {
		radius = h.zeta
	}
	norm := h.Norm
	if norm == 0 {
		norm = penaltyNorm(p, parts)
	}
	return 2 * math.Sqrt2 * radius * norm / constant
}

// A part is an envelope with the first of its observations.
type part struct {
	at int
	g  loss.Lipschitz
}

// envelopes are those of a loss.
func envelopes(l gcg.Loss) (parts []part) {
	all := []gcg.Loss{l}
	if s, ok := l.(loss.Stacked); ok {
		all = s.Parts()
	}
	at := 0
	for _, l := range all {
		if e, ok := l.(*loss.MoreauEnvelope); ok {
			parts = append(parts, part{at, e.Penalty})
		}
		at += l.Len()
	}
	return parts
}

// lipschitz is the Lipschitz constant of the sum of the penalties, each a sum over groups.
func lipschitz(parts []part) float64 {
	var square float64
	for _, e := range parts {
		radius := e.g.Radius()
		square += radius * radius * float64(e.g.Len()/e.g.Stride())
	}
	return math.Sqrt(square)
}

const (
	normRise  = 1e-3 // of ‖B‖ in a power iteration, at which they end: a β that is off by a percent takes as many steps
	normSteps = 50   // power iterations at most, which trade time for digits of β that would not show in a run
)

// penaltyNorm is about ‖B‖, from below: power iterations on B*B with W as a matrix.
func penaltyNorm(p *gcg.Problem, parts []part) (norm float64) {
	m, n, nobs := p.Operator.Dims()
	u, v, z := gcg.NewFactor(m, n), gcg.Identity(n), make([]float64, nobs)
	for i := range m {
		for j := range n {
			u.Row(i)[j] = 1 + 0.5*math.Sin(float64(1+i*n+j)) // no vector of any usual structure
		}
	}
	g := make([]float64, m*n)
	for range normSteps {
		length := math.Sqrt(u.Dot(u))
		if length == 0 {
			return norm
		}
		u.Scale(1 / length)
		p.Apply(z, &gcg.Iterate{M: m, N: n, U: u, V: v})
		next := onlyParts(z, parts)
		if next <= norm*(1+normRise) {
			return math.Max(norm, next)
		}
		norm = next
		gcg.DenseTo(g, p.Operator.Adjoint(z))
		for i := range m {
			copy(u.Row(i), g[i*n:(i+1)*n])
		}
	}
	return norm
}

// onlyParts sets z to 0 but on the observations of the parts, and returns ‖z‖.
func onlyParts(z []float64, parts []part) float64 {
	at := 0
	for _, e := range parts {
		clear(z[at:e.at])
		at = e.at + e.g.Len()
	}
	clear(z[at:])
	return gcg.Norm(z)
}
