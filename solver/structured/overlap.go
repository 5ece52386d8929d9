package structured

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// An overlap takes rounds of primal-dual steps on few entries of x, for groups that overlap: those of x that are not 0, and the
// largest of q + Bᵀu beyond θ. There u is sought, too: it is that of the steps on these entries, and of all other groups moves
// until |q + Bᵀu| ≤ θ, or nearly so.
type overlap struct {
	*Method
	g       *Groups
	merge   mergeable
	p       *gcg.Problem
	s       *gcg.State
	whole   *primalDual // of all of x, once most of it is needed
	ax      []float64
	shifted []float64 // q + Bᵀu
	theta   float64   // of the entries of the last round
	more    int       // entries that a round adds at most
	left    float64   // the gap of all of x
	last    *part     // entries stay: u of those that x does not need says what others may be
}

const (
	// firstEntries are those of the first round; each later one may double them.
	firstEntries = 2000
	// severalFrom is the number of features from which on rounds gain: with 600, steps of all of x are faster.
	severalFrom = 5 * firstEntries / 2
	// sweeps over the groups end where no entry is beyond θ; what is left after so many is for the next round.
	sweeps = 100
)

// newOverlap begins at x, which u = 0 belongs to.
func newOverlap(m *Method, g *Groups, op mergeable, p *gcg.Problem, s *gcg.State) *overlap {
	o := &overlap{Method: m, g: g, merge: op, p: p, s: s, ax: make([]float64, len(m.f.s.Z)), shifted: make([]float64, g.P),
		theta: m.h.lambda, more: firstEntries}
	m.f.apply(o.ax, m.x)
	o.settle(make([]float64, len(m.second.u))) // u is the state's
	return o
}

// settle finds u and the gap for x, whose A x is known. θ is a little above that of the entries: exactly there, few u are left,
// and sweeps are slow to find one.
func (o *overlap) settle(u []float64) {
	o.f.value(o.ax)
	q := make([]float64, len(o.x))
	o.f.gradientTo(q)
	o.g.BTTo(o.shifted, u)
	kernel.Axpy(1, q, o.shifted)
	size := linalg.SumAbs(o.x)
	if room := o.h.reach(size); o.left > 0 && !math.IsInf(o.left, 1) && room > 0 {
		o.theta += innerPart * o.left / room
	}
	for range sweeps {
		if !o.g.sweep(u, o.shifted, o.theta) {
			break
		}
	}
	o.left = o.h.known(kernel.Dot(q, o.x)+o.g.value(o.x)+o.h.excess(linalg.MaxAbs(o.shifted), size), size)
}

// sweep moves u, and shifted = q + Bᵀu with it, group by group to where shifted is nearest to the box of |shifted_i| ≤ θ: u_g is
// -soft(a, θ), shortened to w_g, for the a that shifted is without it. It reports whether an entry was outside.
func (g *Groups) sweep(u, shifted []float64, theta float64) (outside bool) {
	g.each(func(k, from, to int, members []int32) {
		isOut := false
		for _, i := range members {
			isOut = isOut || math.Abs(shifted[i]) > theta
		}
		if !isOut {
			return
		}
		outside = true
		own, square := u[from:to], 0.0
		for c, i := range members {
			shifted[i] -= own[c]
			own[c] = -linalg.Soft(shifted[i], theta)
			square += own[c] * own[c]
		}
		if size := math.Sqrt(square); size > g.Weight[k] {
			kernel.Scale(g.Weight[k]/size, own)
		}
		for c, i := range members {
			shifted[i] += own[c]
		}
	})
	return outside
}

// round moves x, and finds u for it.
func (o *overlap) round(ctx context.Context) error {
	if o.whole != nil {
		o.whole.steps(ctx, primalDualSteps)
		return nil
	}
	t, numbers := o.entries()
	if float64(len(t.scale)) > smallPart*float64(len(o.x)) {
		o.whole = newPrimalDual(o.Method)
		o.whole.steps(ctx, primalDualSteps)
		return nil
	}
	o.more = max(firstEntries, len(t.scale))
	op := o.merge.Merged(t.place, t.scale)
	f, err := newSmooth(op, o.second.loss, o.p, o.s)
	if err != nil {
		return err
	}
	own, h := t.exact.(*Groups), *o.h
	sub := &Method{second: &minorant{g: own, u: make([]float64, t.duals), op: op, loss: o.second.loss}, f: f, h: &h, x: t.from(o.x)}
	for e, at := range numbers {
		sub.second.u[e] = o.second.u[at]
	}
	d, shifted := newPrimalDual(sub), make([]float64, len(sub.x))
	for range innerMost / primalDualSteps {
		d.steps(ctx, primalDualSteps)
		f.apply(d.ax, sub.x)
		f.value(d.ax)
		f.gradientTo(d.grad)
		own.BTTo(shifted, sub.second.u)
		kernel.Axpy(1, d.grad, shifted)
		o.theta = math.Max(o.h.lambda, linalg.MaxAbs(shifted))
		if ctx.Err() != nil || kernel.Dot(d.grad, sub.x)+own.value(sub.x)+h.excess(o.theta, linalg.SumAbs(sub.x)) <= innerPart*o.left {
			break
		}
	}
	t.to(o.x, sub.x)
	o.take(t, numbers, sub.second.u)
	o.f.apply(o.ax, o.x)
	o.settle(o.second.u)
	return nil
}

// take makes u that of the entries of a part; where a group has others, theirs is shortened to what w_g leaves.
func (o *overlap) take(t *part, numbers []int32, own []float64) {
	u := o.second.u
	for e, at := range numbers {
		u[at] = own[e]
	}
	o.g.each(func(k, from, to int, members []int32) {
		var inside, outside float64
		for c, i := range members {
			if v := u[from+c]; t.place[i] >= 0 {
				inside += v * v
			} else {
				outside += v * v
			}
		}
		w := o.g.Weight[k]
		if inside+outside <= w*w {
			return
		}
		by := 0.0
		if inside < w*w {
			by = math.Sqrt((w*w - inside) / outside)
		}
		for c, i := range members {
			if t.place[i] < 0 {
				u[from+c] *= by
			}
		}
	})
	o.g.ProjectTo(u) // of what is rounding
}

// entries are those of x that are not 0, those before, and the largest of shifted beyond θ; numbers has the places of their u
// among all.
func (o *overlap) entries() (t *part, numbers []int32) {
	var sizes []float64
	needed := func(i int) bool { return o.x[i] != 0 || o.last != nil && o.last.place[i] >= 0 }
	for i, r := range o.shifted {
		if r = math.Abs(r); !needed(i) && r > o.theta {
			sizes = append(sizes, r)
		}
	}
	least := math.Max(atLeast(sizes, o.more), o.theta)
	t = &part{place: make([]int32, o.g.P)}
	for i, r := range o.shifted {
		t.place[i] = -1
		if r = math.Abs(r); needed(i) || r > o.theta && r >= least {
			t.place[i], t.scale = int32(len(t.scale)), append(t.scale, 1)
		}
	}
	own := &Groups{P: len(t.scale)}
	o.g.each(func(k, from, _ int, members []int32) {
		var kept []int32
		for c, i := range members {
			if t.place[i] >= 0 {
				kept, numbers = append(kept, t.place[i]), append(numbers, int32(from+c))
			}
		}
		if kept != nil {
			own.Member, own.Weight = append(own.Member, kept), append(own.Weight, o.g.Weight[k])
		}
	})
	t.exact, t.duals, t.units = own, len(numbers), len(t.scale)
	o.last = t
	return t, numbers
}
