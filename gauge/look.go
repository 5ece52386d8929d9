package gauge

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// A look is what is known of ‖G‖ while Lanczos steps go on.
type look struct {
	s       *structure
	o       lanczosOptions
	ask     gcg.Ask
	b       *krylov
	r       ritz
	c, e, f float64
	bound   float64
	sharp   bool
	failure float64 // what is left of the probability for further random starts: each takes half
	cuts    uint64  // those starts
	atoms   int     // Ritz values above ask.Above
	growing bool    // the last steps brought more of them, and there is use for more
	pace    pace
}

// until takes steps until the bound is as sharp as asked, or ends the run, or atoms above ask.Above have been found: then no sharp
// bound is needed. Nor is it where the run goes on whatever the bound, for what G attains.
func (l *look) until(ctx context.Context) error {
	best := math.Inf(1) // of pairs that were cut out
	for steps := 4; ; {
		if err := l.b.extend(ctx, min(steps, l.o.patience)); err != nil {
			return err
		}
		l.r = l.b.ritz()
		l.count()
		top := l.r.top()
		attained := math.Max(linalg.Norm2(l.c, l.f, l.e, 0), top)
		want := l.ask.Goal
		if attained > want {
			want = attained * (1 + l.ask.Tol)
		}
		out := l.b.steps >= min(l.o.steps, l.o.small)
		if l.wanted() && !l.enough() && !out && !l.b.done && linalg.Norm2(l.c, l.f, l.e, top) > want {
			steps += far(steps)
			continue // no bound could end this
		}
		tau := l.b.above(l.r, l.o.failure/2)
		steps = l.pace.next(l.b.steps, tau, top, allowed(l.c, l.e, l.f, want))
		l.bound = math.Min(best, linalg.Norm2(l.c, l.f, l.e, tau))
		l.sharp = l.b.done || l.bound <= want || l.found(tau)
		if l.sharp || out && l.wanted() {
			return nil
		}
		if l.wanted() {
			continue
		}
		limit := linalg.Norm2(l.c, l.f, l.e, top)
		l.sharp = l.near(l.bound, limit)
		cut := l.s.promising(l.r, l.c, l.e, l.f)
		if l.better(cut.bound, limit, attained, want) || out && cut.bound < l.bound*(1-0.1*l.ask.Tol) {
			if err := l.deflate(ctx, cut.pairs, attained, want); err != nil {
				return err
			}
			l.sharp = l.sharp && l.bound <= math.Max(limit, want) // else the pairs were not yet worth their cutting
			best = l.bound
		}
		if l.sharp || l.b.steps >= l.o.patience {
			return nil
		}
	}
}

// near says that more steps would not be worth their time: a bound could at best fall to the limit.
func (l *look) near(bound, limit float64) bool {
	excess := limit - l.ask.Above
	if excess < withinReach*(l.ask.Goal-l.ask.Above) {
		return false // the run ends where the bound comes down to the goal
	}
	if bound <= limit*(1+l.ask.Tol) {
		return true
	}
	return l.ask.Fresh && excess > 0 && bound-l.ask.Above <= nearExcess*excess
}

// nearExcess is how much more than it must the bound may exceed what an atom must attain, where improvers work within the
// spaces of the iterate: the excess comes from the blocks E and F, and falls with their next steps.
const nearExcess = 1.4

// withinReach is the part of what ask.Goal allows that the limit may take for more steps to be worth their time.
const withinReach = 0.9

// better says that a bound is foretold that no more steps would come near to, and that it matters: where the run goes on whatever
// the bound, for what G attains, it does so if improvers then go all the way.
func (l *look) better(foretold, limit, attained, want float64) bool {
	above, goal := foretold-l.ask.Above, homeStretch*(l.ask.Goal-l.ask.Above)
	if l.ask.Goal > 0 && attained > l.ask.Goal*(1+l.ask.Tol) {
		return above < goal && limit-l.ask.Above > goal
	}
	return foretold <= want && limit > want || l.ask.Fresh && foretold > want && above < 0.5*(limit-l.ask.Above)
}

// homeStretch is how many times the excess of ask.Goal a bound may exceed ask.Above for improvers to go all the way.
const homeStretch = 25

// wanted says that there are atoms above ask.Above outside the spaces of the iterate.
func (l *look) wanted() bool { return l.ask.Fresh && l.r.top() > l.ask.Above*(1+l.ask.Tol) }

// foundExcess is how much more than what atoms attain beyond their price may be left open: where they are hardly worth it, what a
// bound says matters more.
const foundExcess = 8

// enough says that there are as many as asked for.
func (l *look) enough() bool {
	count := max(l.ask.Count, 1)
	return l.r.residual(0) <= 0.1*l.r.top() && l.b.count >= count+count/2+8
}

// found says that they are good enough.
func (l *look) found(tau float64) bool {
	top := l.r.top()
	return l.wanted() && l.enough() && tau <= 1.25*top && tau-l.ask.Above <= foundExcess*(top-l.ask.Above) && !l.growing
}

// growingPart of the atoms so far is how many more steps must bring for others to follow.
const growingPart = 8

// count counts the atoms that there are so far: those that a question misses are left to the next one, a whole round later. But steps that
// bring few more are not worth their time.
func (l *look) count() {
	before := l.atoms
	for l.atoms < len(l.r.values) && l.r.values[l.atoms] > l.ask.Above {
		l.atoms++
	}
	l.growing = l.ask.Together && growingPart*(l.atoms-before) > before && l.atoms < l.ask.Count
}
