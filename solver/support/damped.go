package support

import (
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// damped is a loss with the second derivatives (1-t)∇²L + t·c·I, where c bounds ∇²L: at t = 1 its quadratic model is above L
// everywhere. Where second derivatives vanish, as those of a Huber loss do far from its targets, they do not say how far a
// step may go.
type damped struct {
	gcg.CurvedLoss
	part  float64 // t, from 0 to 1
	bound float64 // c
}

// leastDamping is the first t after a step that was too long: ten times as much follows where that was not enough.
const leastDamping = 1e-4

// shortPart is the part of a step below which the first t is flatDamping: so short a step says that the model knows no curvature.
const shortPart = 0.1

// Separable is that of the loss.
func (l damped) Separable() bool { return gcg.Separable(l.CurvedLoss) }

func (l damped) HessTo(dst []float64, lo int, z, e []float64) {
	whole := append([]float64(nil), e[:len(dst)]...)
	l.CurvedLoss.HessTo(dst, lo, z, e)
	bound := l.part * l.bound
	for i, x := range whole {
		dst[i] = (1-l.part)*dst[i] + bound*x
	}
}

// flat says that an observation with a derivative has no curvature: nothing in the model of the loss keeps its minimiser
// near.
func flat(p *view.Problem, s *gcg.State) bool {
	for i, d := range p.SeparableHess(s) {
		if d == 0 && s.R[i] != 0 {
			return true
		}
	}
	return false
}

// kinked says that a separable loss has observations without curvature.
func kinked(p *view.Problem, s *gcg.State) bool {
	return hessian.TakesSecants(p) && slices.Contains(p.SeparableHess(s), 0)
}

// flatDamping is t where the loss is flat. Of 45 constrained problems with Huber and hinge losses most took 2 to 30 times as
// long undamped; 0.02 and 1 are about as good.
const flatDamping = 0.1
