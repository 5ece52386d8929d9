package fixedrank

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/model"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/newton"
)

// Local lowers F over the matrices of W's rank by truncated Newton steps. It replaces the local search of [Yu17 Algorithm
// 3]: the same objective, in coordinates that do not degrade as singular values go to 0.
//
// At W = P S Qᵀ the tangent vectors are dW = P M Qᵀ + A Qᵀ + P Bᵀ with PᵀA = 0 and QᵀB = 0. On matrices of fixed rank the
// trace norm is smooth, with derivative tr M and second derivative
//
//	Σ over i<j of (M_ij - M_ji)²/(s_i + s_j) + ‖A S^-½‖² + ‖B S^-½‖²
//
// A step ends at a point of the curve (P T + A)(Q + B H⁻¹)ᵀ, T = S + M, with H the symmetric part of T; with T⁻ᵀ for H⁻¹
// that would be the orthographic retraction of [Absil and Oseledets 2015]. Conjugate gradients with a trust region find it.
// In the factors (U, V) themselves the curvature that matters for the certificate, that of M in directions of small singular
// values, is a small difference of large terms; here it is plain. Near the solution, and where passes over the observations
// are cheap beside products with k×k matrices, steps in the factors and in M alone alternate: package newton has them all.
//
// Far from the solution other steps come first: ridge regressions in one factor at a time for the squared loss, see sweeper,
// and proximal gradient steps for a W that is small, see shrinker.
type Local struct {
	Steps int // Newton steps for one call; 0 means 25
	CG    int // conjugate gradient steps for one Newton step; 0 means 400

	tol       float64         // of the run
	data      view.DataKey    // of the problem that this Local was last used on,
	sweeps    *sweeper        // and what sweeps keep of it, or nil
	gone      *gcg.Factor     // right vectors of the directions that the last sweeps dropped, or nil
	gap       float64         // the certified gap when sweeps were last taken
	seen      gcg.Certificate // the last certificate,
	seenAt    int             // and its iteration
	goal      float64         // of the last Newton steps,
	iter      int             // and their iteration
	inFloat64 bool            // the problem is too ill-conditioned for products in float32
	basis     model.Basis     // of the features

	did        gcg.Moved        // of the step before this call, and what sweeps find of its atoms
	formPolicy model.FormPolicy // of second derivatives as a matrix
	damping    float64          // of steps by that matrix
}

// Name is local.
func (l *Local) Name() string { return "local" }

// Replaces promises that factors of W are not overwritten, so that Run needs no copies of them to go back to. A type that
// embeds a Local makes the same promise.
func (l *Local) Replaces() {}

// Init needs the trace norm and a gcg.CurvedLoss.
func (l *Local) Init(p *gcg.Problem, set gcg.Settings) error {
	if l.tol = set.Tol; !view.OfGauge(p.Gauge).Spectral {
		return fmt.Errorf("solver: the local improver works on singular values; gauge %s has none: FactorDescent works on factors",
			p.Gauge.Name())
	}
	if view.OfLoss(p.Loss).Curved == nil {
		return fmt.Errorf("solver: the local improver needs a loss with second derivatives; %T has none", p.Loss)
	}
	return nil
}

// Improve takes sweeps while these gain more than Newton steps would, and then Newton steps, until the gap that is left
// within the spaces of W is a fraction of the certified one. It puts new factors in W's place.
func (l *Local) Improve(ctx context.Context, problem *gcg.Problem, s *gcg.State, did gcg.Moved) (gcg.Moved, error) {
	p := view.Of(problem)
	if s.W.Rank() == 0 {
		return did, nil
	}
	if !l.data.Of(p.Problem) {
		l.data, l.sweeps, l.basis = view.KeyOf(p.Problem), nil, model.Basis{} // formPolicy asks for itself
	}
	l.did = did
	if l.sweepFirst(ctx, p, s) {
		return l.did, nil // directions outside of W's spaces promise more than Newton steps
	}
	l.shrink(ctx, p, s)
	n := l.resume(p, s, did.Added)
	l.descend(ctx, n, s)
	l.keep(n)
	n.WriteTo(s)
	l.did.Projections = n.Projections()
	return l.did, nil
}

// sweepFirst takes sweeps while the certified gap is wide. It says whether nothing else is worth doing before the next atoms
// are added.
func (l *Local) sweepFirst(ctx context.Context, p *view.Problem, s *gcg.State) bool {
	l.gone = nil
	expected := l.expectedDecrease(s)
	if l.did.Added == 0 { // Newton steps follow, however little is left
		expected = 0
	}
	if s.Cert.Relative > sweepAbove {
		falling := s.Iter <= 1 || s.Cert.Relative < fallingBelow*l.gap
		l.gap = s.Cert.Relative
		swept := l.sweepWhileGood(ctx, p, s, expected)
		if swept && l.did.Added > 0 && (falling && !nearlyFound(l.did.Added, s.W.Rank()) || rankGrowing(l.did.Added, s.W.Rank())) {
			return true
		}
	}
	l.sweeps = nil // the transpose is as large as the data; it is made anew if sweeps are wanted again
	return false
}

// resume begins Newton steps at W, with what is known from the last call and from the polar. added is how many atoms came in
// since.
func (l *Local) resume(p *view.Problem, s *gcg.State, added int) *newton.Iteration {
	n := newton.New(p, s)
	l.formPolicy.Of(p)
	n.Basis, n.FormPolicy, n.Damping = &l.basis, &l.formPolicy, l.damping
	if n.ComplementRight = l.did.Complement.Right; added == 0 {
		n.ComplementNorm = l.did.Complement.Norm // near a degenerate solution certificates do not close without
	}
	if n.RankUnproven = added > 0 && l.did.Added == 0; n.RankUnproven && l.gone != nil {
		n.RememberDropped(l.gone)
	}
	if n.InFloat64 = l.inFloat64; n.InFloat64 {
		n.Model.UseFloat64()
	}
	return n
}

// keep remembers what the next resume needs.
func (l *Local) keep(n *newton.Iteration) {
	l.inFloat64, l.damping = n.InFloat64, n.Damping
	l.formPolicy.Spent += float64(n.Products) * l.formPolicy.Product(n.K())
}

// descend takes Newton steps down to the goal. While atoms come in it ends earlier, when steps become slow: directions outside
// of W's spaces then promise more; and so does a rank that sweeps found to be enough, but no certificate has: that names all
// missing directions at once. Where the operator observes L W Rᵀ, the last step while the rank grows is in the factors: after
// steps in M alone polars would name directions that W has but for turning, and the choice of λ for MovieLens-1M took up to twice
// as long.
func (l *Local) descend(ctx context.Context, n *newton.Iteration, s *gcg.State) {
	steps, cg := l.work(n, s)
	start, gapAll, turning := n.F, n.GapAll, n.Framed() && rankGrowing(l.did.Added, n.K())
	for it := range steps {
		if n.K() == 0 || ctx.Err() != nil {
			return
		}
		if n.Linearise(); it == 0 {
			n.Goal = l.setGoal(s)
			l.lowerGoal(n, s)
		}
		if n.GapWithin <= n.Goal || n.RankUnproven && (it == 0 && n.GapWithin > sweepAbove || n.Products > unprovenProducts) {
			return
		}
		if it > 0 {
			n.LearnModelError()
			n.Joint = n.Joint || n.GapAll > gapAll/2
		}
		before := n.F
		gapAll, n.InFactors = n.GapAll, turning && it == steps-1
		if !n.Step(ctx, n.LimitCG(cg, l.did.Added > 0)) {
			return
		}
		slow := it > 0 && before-n.F < slowStep*(start-n.F) && !n.LeavesFactors()
		if slow && l.did.Added > 0 && n.GapWithin <= s.Cert.Relative {
			return
		}
	}
}

// fallingBelow is the part of the gap before the last sweeps below which the next atoms are asked for with no Newton steps
// between.
const fallingBelow = 0.8

// unprovenProducts are the products of Newton steps after which a certificate, which costs about ten, is asked whether the rank
// that sweeps found is enough. Where directions are missing the gap within the spaces of W goes up and down and does not close:
// MovieLens-1M at λ = 45 takes 1.4 times as long without, MovieLens-100k with weights 1.5 to 2.2 times, by the seed.
const unprovenProducts = 60

// slowStep is the part of all that Newton steps gained that one more must gain while atoms come in.
const slowStep = 0.05

// WithoutPredictions reports that Newton steps and sweeps need no predictions.
func (l *Local) WithoutPredictions() bool { return true }

const (
	defaultSteps = 25  // Newton steps for a call: more only where the last ones gained much
	defaultCG    = 400 // conjugate gradient steps for a Newton step, which the forecast ends long before
	growingPart  = 3   // the rank is growing where more than a third of W's directions came in at once
	foundPart    = 8   // and nearly found where an eighth or less did
)

// rankGrowing says that the rank is still to be found: the gap is that of directions to come, and nothing within the spaces
// of W lowers it.
func rankGrowing(added, rank int) bool { return growingPart*added > rank }

// nearlyFound says that the spaces of W are found but for a few directions.
func nearlyFound(added, rank int) bool { return foundPart*added <= rank }

// work is the number of Newton steps, and of conjugate gradient steps for each: few while the rank is still to be found.
func (l *Local) work(n *newton.Iteration, s *gcg.State) (steps, cg int) {
	steps, cg = l.Steps, l.CG
	if steps == 0 {
		steps = defaultSteps
	}
	if cg == 0 {
		cg = defaultCG
	}
	if rankGrowing(l.did.Added, n.K()) {
		steps, cg = min(steps, newton.GrowthSteps), min(cg, newton.GrowthCG)
		if n.Framed() {
			steps++ // in the factors
		}
	}
	return steps, cg
}

// setGoal is the gap within the spaces of W to go for: the tolerance, or a part of the certified gap while more atoms may be
// to come.
func (l *Local) setGoal(s *gcg.State) float64 {
	goal := goalPart * l.tol
	if l.did.Added > 0 {
		goal = math.Max(goal, goalWhileAdding*math.Min(s.Cert.Relative, 1))
	}
	return goal
}

const (
	goalPart        = 0.9 // of the tolerance, as a certificate sees a little more than the gap within the spaces of W
	goalWhileAdding = 0.3 // of the certified gap: more is lost as soon as the next atoms come in
	goalFall        = 0.3 // of the last goal, below which the next one does not fall at once: products are dear
	goalMargin      = 0.8 // of the goal at which the certificate would close if both gaps fell alike
)

// lowerGoal lowers the goal where the last one did not close the certificate: by as much as the certified gap is above the gap
// within the spaces of W, and a little more. Where W meets the goal from the start, it becomes a part of what W has. After
// sweeps, which forget the polar, the certificate is that of another W and says nothing of this one.
func (l *Local) lowerGoal(n *newton.Iteration, s *gcg.State) {
	if l.did.Added == 0 && s.Polar != nil {
		if l.goal > 0 && s.Iter == l.iter+1 {
			n.Goal = math.Min(n.Goal, math.Max(goalFall*l.goal, goalMargin*n.Goal*n.GapWithin/s.Cert.Relative))
		}
		if n.GapWithin <= n.Goal {
			n.Goal = goalFall * n.GapWithin
		}
	}
	l.goal, l.iter = n.Goal, s.Iter
}

// expectedDecrease is about how far F is above its minimum, by the last two certificates, and 0 at the first. The gap is of
// first order in the error of W and F of second: what F has left is to what it fell by as the square of the gap left is to
// that of the gap before.
func (l *Local) expectedDecrease(s *gcg.State) (expected float64) {
	if s.Iter > 1 && s.Iter == l.seenAt+1 {
		fallen := math.Max(0, l.seen.Objective-s.Cert.Objective)
		by := s.Cert.Relative / l.seen.Relative
		expected = fallen * math.Min(1, by*by)
	}
	l.seen, l.seenAt = s.Cert, s.Iter
	return expected
}
