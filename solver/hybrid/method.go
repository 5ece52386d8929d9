package hybrid

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/loss"
)

// HCGS is the hybrid conditional gradient and smoothing method [Argyriou14 Algorithm 2]. In step k = 1, 2, …
//
//	z_k ← -∇(L∘A)(W) - B*(BW - prox_{β_k g}(BW))/β_k        the residual of the envelope g_β of width β_k = β/√k
//	y_k ← an element of ∂ω*(z_k),   ω = h∘κ                  the polar's atom, times what h* is attained at
//	W   ← (1-α_k)W + α_k y_k,       α_k = 2/(k+1)
//
// L needs no Lipschitz gradient (§4.2), and there may be none (§4.3). The domain of ω is to be bounded: κ ≤ ζ. Where h is a
// penalty, κ ≤ ρ is added for a ρ that bounds κ at the optimum. F is at most O(1/√k) above the optimum [Corollary 4.5]; on N×N
// matrices the number of steps for a given accuracy was in proportion to N.
//
// With Steps the steps are those of another method on the smoothed problem of the moment, such as GCG with a line search and
// several atoms; improvers work on it too. Only the width is scheduled then.
type HCGS struct {
	// Beta is β; 0 is 2√2 R‖B‖/L_g, at which the bound of Corollary 4.5 is least: R bounds ‖W‖_F where ω is finite, and L_g is the
	// Lipschitz constant of g.
	Beta float64
	// Decay is the power of β_k = β/k^Decay; 0 is ½, the paper's.
	Decay float64
	// Scale multiplies the objective [§4.4], which divides the best β by as much; 0 is 1. It has no effect unless Beta is given.
	Scale float64
	// Radius is R; 0 is the largest κ, which bounds ‖W‖_F where no atom is longer than 1, as with ℓ1, groups and the trace norm.
	Radius float64
	// Norm is ‖B‖, or more; 0 estimates it by power iterations, which multiply m×n matrices.
	Norm float64
	// Steps takes the steps in place of the ones above; nil for none.
	Steps interface {
		Name() string
		Init(p *gcg.Problem, s *gcg.State, set gcg.Settings) error
		Ask(p *gcg.Problem, s *gcg.State) gcg.Ask
		Step(ctx context.Context, p *gcg.Problem, s *gcg.State) (gcg.Moved, error)
	}

	set   gcg.Settings
	first float64 // β_1
	zeta  float64 // the largest κ
	move  func(ctx context.Context, p *gcg.Problem, s *gcg.State) (gcg.Moved, error)
}

// Name is hcgs, with that of an inner method.
func (h *HCGS) Name() string {
	if h.Steps != nil {
		return "hcgs/" + h.Steps.Name()
	}
	return "hcgs"
}

// Descends is false: F may rise, as its smoothing becomes sharper.
func (*HCGS) Descends() bool { return false }

// Init gives the envelopes of the loss their first width. It refuses a problem that nothing bounds, and numbers that are
// negative.
func (h *HCGS) Init(p *gcg.Problem, s *gcg.State, set gcg.Settings) error {
	for _, x := range []float64{h.Beta, h.Decay, h.Scale, h.Radius, h.Norm} {
		if !(x >= 0) || math.IsInf(x, 1) {
			return fmt.Errorf("solver: the numbers of hcgs are positive and finite, or 0 for the usual ones; one is %v", x)
		}
	}
	if h.zeta = p.GaugeLimit(s); math.IsInf(h.zeta, 1) {
		return fmt.Errorf("solver: hcgs needs a bound of the gauge at the optimum; the penalty %T gives none with the loss %T",
			p.Penalty, p.Loss)
	}
	h.set, h.first, h.move = set, h.firstWidth(p), h.average
	h.setWidth(p, 1)
	s.Recentre(p)
	if h.Steps != nil {
		h.move = h.Steps.Step
		return h.Steps.Init(p, s, set)
	}
	return nil
}

// Ask wants one atom, or what the inner method wants.
func (h *HCGS) Ask(p *gcg.Problem, s *gcg.State) gcg.Ask {
	if h.Steps != nil {
		return h.Steps.Ask(p, s)
	}
	return gcg.Ask{Count: 1}
}

// Step is step k = s.Iter + 1; then the envelopes take the width of the next one.
func (h *HCGS) Step(ctx context.Context, p *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	did, err := h.move(ctx, p, s)
	if err != nil {
		return did, err
	}
	h.setWidth(p, s.Iter+2)
	s.Recentre(p)
	did.Polar = nil // it was that of another width
	return did, nil
}

// average is W ← (1-α)W + αy.
func (h *HCGS) average(_ context.Context, p *gcg.Problem, s *gcg.State) (did gcg.Moved, err error) {
	alpha := 2 / float64(s.Iter+2)
	_, at := p.Penalty.Conj(s.Polar.Value, h.zeta) // y = at·a
	keep, theta := 1-alpha, alpha*at
	if keep == 0 {
		s.W = &gcg.Iterate{M: s.W.M, N: s.W.N}
	}
	s.W.Scale(keep)
	z := make([]float64, len(s.Z))
	if theta > 0 {
		atom := s.Polar.Atoms[:1]
		s.W.Add(atom, []float64{theta})
		p.ApplyAtoms(z, atom, []float64{theta})
		did.Added = 1
	}
	s.Rho = keep*s.Rho + theta
	for i, x := range z {
		s.Z[i] = keep*s.Z[i] + x
	}
	s.MergeAtoms(h.set)
	return did, nil
}

// A wide loss has envelopes, whose width can be changed: loss.MoreauEnvelope, or a loss.Stack of some.
type wide interface{ SetWidth(beta float64) }

// setWidth gives the envelopes the width of step k.
func (h *HCGS) setWidth(p *gcg.Problem, k int) {
	if l, ok := p.Loss.(wide); ok && h.first > 0 {
		decay := h.Decay
		if decay == 0 {
			decay = 0.5
		}
		l.SetWidth(math.Max(h.first*math.Pow(float64(k), -decay), leastWidth*h.first))
	}
}

// leastWidth of the first width: a u of digits that all have cancelled says nothing.
const leastWidth = rounding.Null

// firstWidth is β_1. A problem scaled by c has the envelope (cg)_β = c g_{cβ}, so that β is c times as wide for g.
func (h *HCGS) firstWidth(p *gcg.Problem) float64 {
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
