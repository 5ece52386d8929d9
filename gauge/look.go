package gauge

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// A look is what is known of ‖G‖ while Lanczos steps on D go on. With what is known of D, ‖G‖ is that of [‖C‖ ‖F‖; ‖E‖ ‖D‖] at most, and at
// least about what these attain.
type look struct {
	s       *structure
	o       lanczosOptions
	ask     gcg.Ask
	b       *krylov
	r       ritz
	c, e, f float64 // ‖C‖, ‖E‖ and ‖F‖

	attained float64 // what ‖G‖ is at least
	want     float64 // the bound that would do
	limit    float64 // what the bound comes down to with more steps
	bound    float64 // the best so far
	sharp    bool    // it does, or need not be better

	failure float64 // what is left of the probability for further random starts: each takes half
	cuts    uint64  // those starts
	atoms   int     // Ritz values above ask.Above
	growing bool    // the last steps brought more of them, and there is use for more
	pace    pace
}

func newLook(s *structure, o lanczosOptions, ask gcg.Ask) *look {
	l := &look{s: s, o: o, ask: ask, b: startKrylov(s.complement(), ask.Seed), bound: math.Inf(1), failure: o.failure / 2}
	l.c, l.e, l.f = s.blocks()
	return l
}

// until takes steps until the bound is as sharp as asked, or ends the run, or atoms above ask.Above have been found: then no sharp
// bound is needed. Nor is it where the run goes on whatever the bound, for what G attains.
func (l *look) until(ctx context.Context) error {
	for steps := 4; ; {
		if err := l.b.extend(ctx, min(steps, l.o.patience)); err != nil {
			return err
		}
		l.measure()
		if l.wanted() && !l.enough() && !l.out() && !l.b.done && l.limit > l.want {
			steps += far(steps)
			continue // no bound could end this
		}
		tau := l.b.above(l.r, l.o.failure/2)
		steps = l.pace.next(l.b.steps, tau, l.r.top(), allowed(l.c, l.e, l.f, l.want))
		l.bound = math.Min(l.bound, l.norm(tau))
		l.sharp = l.b.done || l.bound <= l.want || l.found(tau)
		if !l.sharp && !l.wanted() {
			if err := l.sharpen(ctx); err != nil {
				return err
			}
			if l.b.steps >= l.o.patience {
				return nil
			}
		}
		if l.sharp || l.wanted() && l.out() {
			return nil
		}
	}
}

// measure reads the Ritz values, and with them what ‖G‖ attains and what bound is wanted of it.
func (l *look) measure() {
	l.r = l.b.ritz()
	l.count()
	top := l.r.top()
	l.attained, l.want, l.limit = math.Max(l.norm(0), top), l.ask.Goal, l.norm(top)
	if l.attained > l.want {
		l.want = l.attained * (1 + l.ask.Tol)
	}
}

// norm is that of [‖C‖ ‖F‖; ‖E‖ d].
func (l *look) norm(d float64) float64 { return linalg.Norm2(l.c, l.f, l.e, d) }

// out says that there have been as many steps as atoms are worth.
func (l *look) out() bool { return l.b.steps >= min(l.o.steps, l.o.small) }

// sharpen, where no atoms are wanted, is content with a bound that is near what more steps could bring, and cuts out pairs of D where that promises a
// better one.
func (l *look) sharpen(ctx context.Context) error {
	l.sharp = l.near(l.bound)
	cut := l.s.promising(l.r, l.c, l.e, l.f)
	if !l.better(cut.bound) && !(l.out() && cut.bound < l.bound*(1-0.1*l.ask.Tol)) {
		return nil
	}
	if err := l.deflate(ctx, cut.pairs, l.attained, l.want); err != nil {
		return err
	}
	l.sharp = l.sharp && l.bound <= math.Max(l.limit, l.want) // else the pairs were not yet worth their cutting
	return nil
}

// near says that more steps would not be worth their time.
func (l *look) near(bound float64) bool {
	excess := l.limit - l.ask.Above
	if excess < withinReach*(l.ask.Goal-l.ask.Above) {
		return false // the run ends where the bound comes down to the goal
	}
	if bound <= l.limit*(1+l.ask.Tol) {
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
// the bound, for what G attains, it does so for improvers that can then go all the way.
func (l *look) better(foretold float64) bool {
	if l.ask.Goal > 0 && l.attained > l.ask.Goal*(1+l.ask.Tol) {
		return foretold < l.ask.Reach && l.limit > l.ask.Reach
	}
	return foretold <= l.want && l.limit > l.want || l.ask.Fresh && foretold > l.want && foretold-l.ask.Above < 0.5*(l.limit-l.ask.Above)
}

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
