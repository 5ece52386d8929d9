package fixedrank

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/newton"
)

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
	if rankGrowing(s.Added, n.K()) {
		steps, cg = min(steps, newton.GrowthSteps), min(cg, newton.GrowthCG)
	}
	return steps, cg
}

// setGoal is the gap within the spaces of W to go for: the tolerance, or a part of the certified gap while more atoms may be
// to come.
func setGoal(s *gcg.State) float64 {
	goal := goalPart * s.Tol
	if s.Added > 0 {
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
	if s.Added == 0 && s.Polar != nil {
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
