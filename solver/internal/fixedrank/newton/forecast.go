package newton

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// norms are the spectral norms of a gradient's M, A and B.
type norms struct{ m, a, b float64 }

// measure sets GapWithin, the relative gap that would be certified if ‖D‖ were assumedNorm():
//
//	((bound of ‖G‖) - λ) ρ + λρ - ⟨W, G⟩, over |F|
//
// with the block bound of the trace polar. There C counts where ‖C‖ exceeds λ; where it falls short, only λρ - ⟨W, G⟩ knows.
func (n *Iteration) measure() {
	g := n.norms
	g.m = n.normExcess
	n.GapWithin = math.Max(n.excess(g), n.small(g)) + math.Max(n.complementarity, 0)/n.scale()
	n.GapAll = n.excess(n.norms)
}

// small is a gap for a W that is far too small, whose trace norm says little of how far F may fall: (e/(1+e))² where ‖G‖ is
// (1+e)λ. Near the solution that is of second order.
func (n *Iteration) small(g norms) float64 {
	if n.active || !(n.lambda > 0) {
		return 0
	}
	e := math.Max(n.above(g), 0) / n.lambda
	return math.Pow(e/(1+e), 2)
}

// excess is the relative gap, without λρ - ⟨W, G⟩, that a gradient with these norms leaves: above·largestNorm/|F|. Steps
// lower all of it; where C falls short of λ, directions are on their way to 0.
func (n *Iteration) excess(g norms) float64 {
	return n.above(g) * n.largestNorm() / n.scale()
}

// scale is |F|, or the least number above 0.
func (n *Iteration) scale() float64 { return math.Max(math.Abs(n.F), math.SmallestNonzeroFloat64) }

// above is what ‖G‖ exceeds λ by, for a gradient of these norms and ‖D‖ = assumedNorm(), by the block bound of the trace
// polar. The off-diagonal blocks count by their product.
func (n *Iteration) above(g norms) float64 {
	return linalg.Norm2(n.lambda+g.m, g.a, g.b, n.assumedNorm()) - n.lambda
}

// largestNorm is the trace norm that a certificate multiplies the excess by: that of W, or in a ball the largest there is.
func (n *Iteration) largestNorm() float64 {
	if zeta := n.p.Penalty.Max(); !math.IsInf(zeta, 1) {
		return zeta
	}
	return n.rho()
}

// belowLambda is how far ‖D‖ is taken to be below λ, in parts of λ. A guess that is too far costs another certificate.
const belowLambda = 0.04

// assumedNorm is what ‖D‖ is taken to be, below λ: what the last certificate saw, if no atoms were added since. At high rank
// spectra have no gap below λ, and what is dropped goes there too: it is nearer to λ by three quarters. It is nearer still
// where a preconditioner has seen D there since, but not so near that a certificate would rather cut pairs out.
func (n *Iteration) assumedNorm() float64 {
	below := math.Min(belowLambda*n.lambda, math.Max(0, n.lambda-n.ComplementNorm))
	if n.K() >= splitFrom {
		below /= 4
	}
	if n.fittedNorm > 0 {
		below = math.Min(below, math.Max(n.lambda-n.fittedNorm, cutBelow*n.Goal*math.Abs(n.F)/n.rho()))
	}
	return n.lambda - below
}

// cutBelow is the distance of ‖D‖ from λ below which a certificate cuts pairs out of D, in multiples of the gap that is
// wanted over ρ.
const cutBelow = 15

// A kind is one of the coordinates that steps are taken in; kinds is how many there are.
type kind int

// The kinds, each with its model.
const (
	inTangents kind = iota // quadratic
	inFactors              // bilinear
	inCore                 // core
	kinds
)

// lowers is the part of the norms that steps of this kind lower.
func (k kind) lowers(g norms) norms {
	switch k {
	case inFactors:
		g.m = 0
	case inCore:
		g.a, g.b = 0, 0
	}
	return g
}

// A forecast is what conjugate gradients in one kind of coordinates are to reach and what the model predicts, of the part of the
// excess that these coordinates lower.
type forecast struct {
	kind       kind
	before     float64 // that part at the start
	target     float64 // what it is to come to
	modelError float64 // the part of before that the model is taken to be wrong by
	predicted  float64 // what the model says that it has come to; +Inf before it is first asked
}

// The part of the excess that a quadratic model is taken to be wrong by: a prediction below that is as good as 0. A larger one
// ends conjugate gradients earlier and takes more Newton steps. After a step it is what the last model of the same kind was wrong
// by, within these bounds. (Without learning MovieLens-1M to 1e-6 takes 1.17 times as long: docs/ablation.md.)
const (
	firstModelError = 0.15 // before the first step of a kind
	leastModelError = 0.02 // so that one lucky model does not make the next conjugate gradients exact
	mostModelError  = 0.2  // so that a step is worth its evaluations
)

// targetPart is the part of the target that a prediction is to meet, as the next point keeps about that much of what was
// predicted.
const targetPart = 0.7

// The accuracy of the Newton equation, in the metric of the preconditioner, is what the target needs, within these bounds.
const (
	loosestForcing = 0.2  // a step with less is not worth the evaluations that it takes
	finestForcing  = 1e-3 // products with more are lost: the quadratic model is not that good
)

// forecastFor begins a forecast. Its target is the goal less the part of the excess that these coordinates leave, but half of
// the goal at least.
func (n *Iteration) forecastFor(of kind) *forecast {
	before := n.excess(of.lowers(n.norms))
	if n.modelErrors[of] == 0 {
		n.modelErrors[of] = firstModelError
	}
	n.last = forecast{
		kind: of, before: before, target: math.Max(n.Goal-math.Max(n.GapAll-before, 0), n.Goal/2), modelError: n.modelErrors[of],
		predicted: math.Inf(1),
	}
	return &n.last
}

// LearnModelError sets what the next model of the same kind is taken to be wrong by: as much as the last one was [Eisenstat and
// Walker 1996, choice 1]. Call it where the gradient of the new point is known.
func (n *Iteration) LearnModelError() {
	if e := n.last; !math.IsInf(e.predicted, 1) && e.before > 0 {
		now := n.excess(e.kind.lowers(n.norms))
		n.modelErrors[e.kind] = math.Min(mostModelError, math.Max(leastModelError, math.Abs(now-e.predicted)/e.before))
	}
}

// enough says that the prediction meets the target, or is as little as the model may be wrong by.
func (e *forecast) enough() bool {
	return e.predicted <= math.Max(targetPart*e.target, e.modelError*e.before)
}

// forcing is the accuracy of the Newton equation.
func (e *forecast) forcing() float64 {
	return math.Min(loosestForcing, math.Max(finestForcing, e.target/e.before))
}
