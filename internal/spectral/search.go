package spectral

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// A boundSearch brackets ‖G‖₂ of a structure while Lanczos steps on D go on. Let d be an upper bound of ‖D‖: then ‖G‖ is at most
// the norm of the 2×2 matrix [‖C‖ ‖F‖; ‖E‖ d]. From below, ‖G‖ is at least about what C, E, F and the Ritz values of D attain.
type boundSearch struct {
	s       *structure
	o       Options
	ask     gcg.Ask
	b       *krylov
	r       ritz    // of the last steps
	c, e, f float64 // ‖C‖, ‖E‖ and ‖F‖

	attained float64 // about what ‖G‖ is at least: the norm of the 2×2 matrix for d = 0, or the largest Ritz value
	want     float64 // the bound of ‖G‖ that would do
	limit    float64 // what the bound comes down to with more steps: the 2×2 norm with the largest Ritz value for d
	bound    float64 // the best bound of ‖G‖ so far
	accurate bool    // the bound would do, or it need not be better

	failure   float64 // what further random starts may use up of the probability of failure; each takes half of it
	cuts      uint64  // the number of further random starts, see deflate
	atoms     int     // the number of Ritz values above ask.Above
	manyAtoms bool    // the last steps brought many more atoms, and ask has room for more
	schedule  boundSchedule

	shift   *gcg.Shift  // that closes the solver's run, or nil
	within  *gcg.Factor // C - λO, once it was wanted
	noShift bool        // none is to be looked for any more
}

// newBoundSearch has taken no step. The run on D takes half of the probability of failure, deflate the other half.
func newBoundSearch(s *structure, o Options, ask gcg.Ask) *boundSearch {
	l := &boundSearch{s: s, o: o, ask: ask, b: startKrylov(s.complement(), ask.Seed), bound: math.Inf(1), failure: o.Failure / 2}
	l.c, l.e, l.f = s.blocks()
	return l
}

// until takes steps until the bound is good enough, or enough atoms above ask.Above have been found, or the steps are used up.
// Where atoms are found, no close bound is needed. While atoms are still to be found, and the limit of the bound would not do
// either, no bound is computed.
func (l *boundSearch) until(ctx context.Context) error {
	for steps := 4; ; {
		if err := l.b.extend(ctx, min(steps, l.o.Patience)); err != nil {
			return err
		}
		l.measure()
		if found, err := l.closes(ctx); found || err != nil {
			return err
		}
		if l.wanted() && !l.enough() && !l.outOfSteps() && !l.b.done && l.limit > l.want {
			steps += stepsAhead(steps)
			continue // a bound could not end the steps
		}
		tau := l.b.above(l.r, l.o.Failure/2)
		steps = l.schedule.next(l.b.steps, tau, l.r.top(), allowed(l.c, l.e, l.f, l.want))
		l.bound = math.Min(l.bound, l.normWith(tau))
		l.accurate = l.b.done || l.bound <= l.want || l.found(tau)
		if !l.accurate && !l.wanted() {
			if err := l.sharpen(ctx); err != nil {
				return err
			}
			if l.b.steps >= l.o.Patience {
				return nil
			}
		}
		if l.accurate || l.wanted() && l.outOfSteps() {
			return nil
		}
	}
}

// measure computes the Ritz values, and from them attained, want and limit. A bound of ask.Goal would do, as it ends the solver's
// run. Where G attains more than that, a bound would do that is ask.Tol above what G attains.
func (l *boundSearch) measure() {
	l.r = l.b.ritz()
	l.countAtoms()
	top := l.r.top()
	l.attained, l.want, l.limit = math.Max(l.normWith(0), top), l.ask.Goal, l.normWith(top)
	if l.attained > l.want {
		l.want = l.attained * (1 + l.ask.Tol)
	}
}

// normWith is the norm of [‖C‖ ‖F‖; ‖E‖ d].
func (l *boundSearch) normWith(d float64) float64 { return linalg.Norm2(l.c, l.f, l.e, d) }

// outOfSteps reports whether there have been as many steps as are allowed for atoms.
func (l *boundSearch) outOfSteps() bool { return l.b.steps >= min(l.o.Steps, l.o.Small) }

// sharpen is called where the bound would not do and there are no atoms to be had. It accepts a bound that is near what more
// steps could bring. It cuts pairs out of D where that promises a better bound.
func (l *boundSearch) sharpen(ctx context.Context) error {
	l.accurate = l.settled()
	cut := l.s.promising(l.r, l.c, l.e, l.f)
	if !l.worthCutting(cut.bound) && !(l.outOfSteps() && cut.bound < l.bound*(1-0.1*l.ask.Tol)) {
		return nil
	}
	if err := l.deflate(ctx, cut.pairs, l.attained, l.want); err != nil {
		return err
	}
	// else the pairs were cut out too early: more steps on D do better
	l.accurate = l.accurate && l.bound <= math.Max(l.limit, l.want)
	return nil
}

// settled reports whether a closer bound would not be worth more steps: it could not end the solver's run, and the best so far is
// near the limit already.
func (l *boundSearch) settled() bool {
	excess := l.limit - l.ask.Above
	if excess < withinReach*(l.ask.Goal-l.ask.Above) {
		return false // the run ends where the bound comes down to the goal
	}
	if l.bound <= l.limit*(1+l.ask.Tol) {
		return true
	}
	return l.ask.OutsideW && excess > 0 && l.bound-l.ask.Above <= nearExcess*excess
}

// nearExcess is the largest quotient (bound - ask.Above)/(limit - ask.Above) at which a bound is accepted where improvers work
// within the spaces of the iterate. Much of this excess comes from the blocks E and F, and falls with the next steps of the
// improvers. At 1 the bound would have to reach the limit. A larger value saves steps and leaves a larger bound.
const nearExcess = 1.4

// withinReach is the quotient (limit - ask.Above)/(ask.Goal - ask.Above) below which more steps are taken in any case: the bound
// may then come down to the goal, which ends the solver's run.
const withinReach = 0.9

// worthCutting reports whether the bound predicted for D with pairs cut out matters, and more steps would not come near it. Where
// G attains more than ask.Goal it does not matter: the solver's run goes on whatever the bound is.
func (l *boundSearch) worthCutting(predicted float64) bool {
	if l.ask.Goal > 0 && l.attained > l.ask.Goal*(1+l.ask.Tol) {
		return false
	}
	return predicted <= l.want && l.limit > l.want || l.ask.OutsideW && predicted > l.want &&
		predicted-l.ask.Above < 0.5*(l.limit-l.ask.Above)
}

// wanted reports whether atoms from outside the spaces of the iterate are asked for, and some attain more than ask.Above.
func (l *boundSearch) wanted() bool { return l.ask.OutsideW && l.r.top() > l.ask.Above*(1+l.ask.Tol) }

// foundExcess is the largest quotient (τ - ask.Above)/(θ - ask.Above), of the bound τ of ‖D‖ and the largest Ritz value θ, at
// which atoms end the steps. Where atoms attain hardly more than they must, a close bound matters more than they do.
const foundExcess = 8

// enough reports whether there have been enough steps for as many atoms as are asked for. For c atoms the basis has at least 3c/2
// + 8 columns, and the residual of the leading Ritz pair is at most a tenth of its value.
func (l *boundSearch) enough() bool {
	count := max(l.ask.Count, 1)
	return l.r.residual(0) <= 0.1*l.r.top() && l.b.count >= count+count/2+8
}

// found reports whether the atoms so far are good enough to end the steps. tau is a bound of ‖D‖.
func (l *boundSearch) found(tau float64) bool {
	top := l.r.top()
	return l.wanted() && l.enough() && tau <= 1.25*top && tau-l.ask.Above <= foundExcess*(top-l.ask.Above) && !l.manyAtoms
}

// manyPart is the number of old atoms for which steps must bring more than one new atom, if others are to follow. A larger value
// takes more steps and finds more atoms.
const manyPart = 8

// countAtoms counts the Ritz values above ask.Above, and notes whether the last steps brought many. An atom that this polar
// misses has to wait for the next polar, a whole round later. But steps that bring few more atoms are not worth their time.
func (l *boundSearch) countAtoms() {
	before := l.atoms
	for l.atoms < len(l.r.values) && l.r.values[l.atoms] > l.ask.Above {
		l.atoms++
	}
	l.manyAtoms = l.ask.Spectral.Stacked && manyPart*(l.atoms-before) > before && l.atoms < l.ask.Count
}
