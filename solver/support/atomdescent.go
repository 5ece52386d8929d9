package support

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// AtomDescent is greedy coordinate descent on the weights θ ≥ 0 of all atoms of a gauge [Dudik12 Algorithm 3], which lifts
// the problem to
//
//	minimise over θ ≥ 0   ψ(θ) = L(Σθᵢ A(aᵢ)) + h(Σθᵢ),     ∂ᵢψ = h'(Σθ) - ⟨aᵢ, -∇ℓ(W)⟩
//
// Per iteration, with the atom a of the polar, whose ∂ψ = g = h' - κ°(-∇ℓ(W)) is the steepest of all,
//
//	g ≤ -ε/2                θ_a ← θ_a + δ                                       a new coordinate
//	else |∂ᵢψ| > ε          θ ← an ε-solution of min ψ over the weights at hand   for some i with θᵢ > 0
//	else                    θ is an ε-solution: halve ε, or stop
//
// For the trace norm it is R1D [Dudik12 Algorithm 1], for ℓ1 coordinate descent, for groups block coordinate descent. The
// step is δ = -g/(H‖A(a)‖²) with the loss's curvature H, which lowers ψ by g²/(2H‖A(a)‖²) at least [Dudik12 Prop 3.4], and
// from there a search finds the minimum along a. h must be finite everywhere: a bound on κ couples the weights, and a single
// one could not move on it.
//
// The weights at hand are re-optimised by Newton steps, whose quadratic model costs t² and not Nt a sweep for t atoms; where
// L has no second derivatives, by cyclic coordinate descent on the predictions. Blocks of a gcg.BlockGauge are re-optimised
// whole, in all directions and after every step, as their model is kept and cheap beside a gradient. Atoms of other gauges
// are merged only once they are many times the singular pairs of W: writing W by these lowers ψ at once, but took twice the
// iterations, as fewer atoms span a narrower cone.
//
// ε starts at |g| and is halved whenever it is reached, down to Epsilon [Dudik12 Theorem 3.6]: a small ε from the start
// takes many small steps along new atoms before it looks at the old ones. Where the solution has a high rank, weights alone
// are a slow way to it: on softmax of 100 classes, to a gap of 1e-3, they took 15 times the CPU time of gcg with the Local
// improver at rank 16, and at rank 50 ended at 2e-2 after as much. Run's Improver may be Local here too.
type AtomDescent struct {
	// Epsilon > 0 stops at an ε-solution, in the units of λ; 0 leaves it to the gap to end the run.
	Epsilon float64
	// Atoms is the number of coordinates that one polar offers; 1 is the paper's, 0 means 4, or for a gcg.BlockGauge 32 and more
	// as blocks are added. Each takes a step of its own, if its derivative is still below -ε/2.
	Atoms int
	// CurvatureStep takes δ as it is, without the search along the atom.
	CurvatureStep bool

	epsilon float64 // at present
	terms   []gcg.Term
	of      known      // what terms belong to
	block   Corrective // re-optimises blocks
	width   float64    // curvature of the last search, where the loss states none
}

// A known recognises a state that nobody else has changed since.
type known struct {
	w         *gcg.Iterate
	loss, rho float64
}

// Name is atomdescent.
func (a *AtomDescent) Name() string { return "atomdescent" }

// Descends reports true: no step raises F.
func (a *AtomDescent) Descends() bool { return true }

// Init refuses a penalty that bounds κ and an ε that is negative or not a number.
func (a *AtomDescent) Init(p *gcg.Problem, s *gcg.State) error {
	if !math.IsInf(p.Penalty.Max(), 1) {
		return fmt.Errorf("solver: atomdescent needs a penalty that is finite for every κ; %T bounds it: use gcg", p.Penalty)
	}
	if a.Epsilon < 0 || math.IsNaN(a.Epsilon) {
		return fmt.Errorf("solver: the ε of atomdescent is %v; it is positive, in the units of λ, or 0", a.Epsilon)
	}
	a.epsilon, a.terms, a.of, a.width = 0, nil, known{}, 0
	return nil
}

// Ask wants atoms whose derivative is below -ε/2, and a bound that is within ε/4 of what they attain.
func (a *AtomDescent) Ask(problem *gcg.Problem, s *gcg.State) gcg.Ask {
	p := view.Of(problem)
	lambda := view.Lambda(p.Problem, s)
	ask := gcg.Ask{Count: a.Atoms, Above: lambda + a.epsilon/2}
	if a.Atoms < 1 {
		ask.Count = 4
		if p.BlockGauge != nil {
			ask.Count = max(32, len(s.W.Terms))
		}
	}
	if a.Epsilon > 0 && lambda > 0 {
		ask.Tol = boundPart * a.Epsilon / (lambda + a.Epsilon)
	}
	return ask
}

// boundPart is the part of ε that the polar's bound may be above what its atom attains: an ε-solution is told by the bound.
const boundPart = 0.25

// leastEpsilon is the part of λ that derivatives are rounded by, and below which ε is not halved.
const leastEpsilon = 1e-15

// Step takes steps along the new atoms, or re-optimises the weights of the old ones, or halves ε until one of the two is
// worthwhile. It leaves the state as it is where that is an ε-solution for the ε that is asked for.
func (a *AtomDescent) Step(ctx context.Context, problem *gcg.Problem, s *gcg.State) error {
	p := view.Of(problem)
	a.load(p, s)
	defer a.remember(s)
	s.Added = 0
	g := view.Lambda(p.Problem, s) - s.Polar.Value
	if a.epsilon == 0 {
		a.epsilon = math.Max(a.Epsilon, math.Abs(g))
	}
	off := -1.0 // measured only when it is needed: it costs a gradient
	for floor := leastEpsilon * view.Lambda(p.Problem, s); a.epsilon > floor; a.epsilon = math.Max(a.epsilon/2, a.Epsilon) {
		if g <= -a.epsilon/2 {
			a.descend(p, s)
			_, err := a.blocks(ctx, p, s)
			return err
		}
		if off < 0 {
			off = a.deviation(p, s)
		}
		switch {
		case off > a.epsilon:
			return a.reoptimise(ctx, p, s)
		case a.epsilon == a.Epsilon: // an ε-solution, but for a loose bound of the polar: Run counts the steps without progress
			return nil
		}
	}
	return nil
}

// descend takes a step along each atom of the polar whose derivative is still below -ε/2, and along the first in any case.
func (a *AtomDescent) descend(p *view.Problem, s *gcg.State) {
	atoms := s.Polar.Atoms
	z := make([]float64, len(s.Z))
	for i := range atoms {
		l := newLine(p, s, z, atoms[i])
		g := l.slope(0)
		if i > 0 && g > -a.epsilon/2 {
			continue
		}
		theta := a.coordinateStep(l, g, 0)
		if theta == 0 {
			continue
		}
		s.W.Add(atoms[i:i+1], []float64{theta})
		a.terms = append(a.terms, gcg.Term{Atom: atoms[i], Weight: theta})
		l.move(theta)
		s.Added++
	}
	if s.W.Rank() == 0 { // the iterate has merged what merges
		a.terms = append(a.terms[:0], s.W.Terms...)
	}
}

// Solved reports whether θ, and so W [Dudik12 Theorem D.3], is an ε-solution for the ε that is asked for. It costs a
// gradient where the polar does not deny it.
func (a *AtomDescent) Solved(problem *gcg.Problem, s *gcg.State) bool {
	p := view.Of(problem)
	if !(a.Epsilon > 0) || s.Polar == nil || s.Polar.Bound-view.Lambda(p.Problem, s) > a.Epsilon {
		return false
	}
	a.load(p, s)
	return a.deviation(p, s) <= a.Epsilon
}
