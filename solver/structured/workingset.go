package structured

import (
	"context"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/operator"
)

// A part is a problem of fewer unknowns d, of which x is made: x_i is scale·d at place[i], or 0 where that is negative.
type part struct {
	exact
	place []int32
	scale []float64 // of each unknown
	duals int       // u that belong to the unknowns
	units int       // groups or cells
}

// from is the d of an x that has one.
func (t *part) from(x []float64) []float64 {
	d := make([]float64, len(t.scale))
	for i, c := range t.place {
		if c >= 0 {
			d[c] = x[i] / t.scale[c]
		}
	}
	return d
}

// to writes the x of d.
func (t *part) to(x, d []float64) {
	for i, c := range t.place {
		if x[i] = 0; c >= 0 {
			x[i] = t.scale[c] * d[c]
		}
	}
}

// A mergeable operator has an operator of sums of features, in fewer numbers.
type mergeable interface {
	Merged(place []int32, scale []float64) *operator.Design
}

// A workingSet takes rounds of descents in few unknowns: those that x needs, and those that a proximal step of all of x would
// add. In these the curvature is less, too. Where most of x is needed, or the operator cannot be divided, they are all of x.
type workingSet struct {
	*Method
	divisible
	p    *gcg.Problem
	s    *gcg.State
	full *descent // of all of x
	away bool     // x moved since full did
	step float64  // of the proximal step that adds unknowns: larger ones add fewer
	more int      // units that a round adds at most
	left float64  // the gap of all of x
}

const (
	// firstUnits are the groups or cells that the first round has; each later one may double them.
	firstUnits = 500
	// innerPart is the part of the gap that a round leaves among its unknowns: those that are missing have the rest.
	innerPart = 0.1
	// innerSteps are the proximal steps between gaps, each of which costs about one, and innerMost all of a round.
	innerSteps, innerMost = 20, 2000
	// smallPart is the part of the unknowns from which on they are all taken: the copy would cost as much as it saves.
	smallPart = 0.5
)

// newWorkingSet begins at x.
func newWorkingSet(m *Method, g divisible, p *gcg.Problem, s *gcg.State) *workingSet {
	w := &workingSet{Method: m, divisible: g, p: p, s: s, full: newDescent(g, m.f, m.h, m.x), more: firstUnits}
	w.step = 1 / w.full.bound
	w.settle(make([]float64, len(m.second.u))) // u is the state's
	return w
}

// settle finds u and the gap for x.
func (w *workingSet) settle(u []float64) { w.left = w.h.known(w.full.gap(u), linalg.SumAbs(w.x)) }

// round moves x, and finds u for it.
func (w *workingSet) round(ctx context.Context) error {
	d, t, err := w.chosen()
	if err != nil {
		return err
	}
	u := make([]float64, len(w.second.u))
	if t != nil {
		u = u[:t.duals]
	}
	for range innerMost / innerSteps {
		if !d.steps(ctx, innerSteps) || d.gap(u) <= innerPart*w.left {
			break
		}
	}
	w.step = 1 / d.bound
	if w.away = t != nil; w.away {
		t.to(w.x, d.x)
		w.f.apply(w.full.ax, w.x)
	}
	w.settle(w.second.u)
	return nil
}

// chosen is the descent of a round, and its part of x; nil for all of it.
func (w *workingSet) chosen() (*descent, *part, error) {
	if w.away {
		w.full.restart()
	}
	op, ok := w.second.op.(mergeable)
	if !ok {
		return w.full, nil, nil
	}
	next, target := make([]float64, len(w.x)), make([]float64, len(w.x))
	for i, v := range w.x {
		target[i] = v - w.step*w.full.grad[i]
	}
	w.proxTo(next, target, w.step, w.h)
	t := w.part(w.x, next, w.more)
	if float64(len(t.scale)) > smallPart*float64(len(w.x)) {
		return w.full, nil, nil
	}
	w.more = max(firstUnits, t.units)
	f, err := newSmooth(op.Merged(t.place, t.scale), w.second.loss, w.p, w.s)
	if err != nil {
		return nil, nil, err
	}
	h := *w.h
	return newDescent(t, f, &h, t.from(w.x)), t, nil
}

// part keeps whole groups, and entries of none.
func (g *Groups) part(x, next []float64, most int) *part {
	units := g.units()
	var scores []float64
	for _, members := range units {
		if needed, score := unitOf(members, x, next); !needed && score > 0 {
			scores = append(scores, score)
		}
	}
	least := atLeast(scores, most)
	t, own := &part{place: make([]int32, g.P)}, &Groups{}
	for i := range t.place {
		t.place[i] = -1
	}
	for k, members := range units {
		if needed, score := unitOf(members, x, next); !needed && !(score > 0 && score >= least) {
			continue
		}
		t.units++
		numbers := make([]int32, len(members))
		for c, i := range members {
			numbers[c] = int32(len(t.scale))
			t.place[i], t.scale = numbers[c], append(t.scale, 1)
		}
		if k < len(g.Member) {
			own.Member, own.Weight = append(own.Member, numbers), append(own.Weight, g.Weight[k])
		}
	}
	own.P = len(t.scale)
	t.exact = own
	_, t.duals = own.Size()
	return t
}

// units are the groups, and then every entry of none alone.
func (g *Groups) units() [][]int32 {
	grouped := make([]bool, g.P)
	for _, members := range g.Member {
		for _, i := range members {
			grouped[i] = true
		}
	}
	all := append([][]int32(nil), g.Member...)
	for i, is := range grouped {
		if !is {
			all = append(all, []int32{int32(i)})
		}
	}
	return all
}

// unitOf says whether x is not 0 in a unit, and has ‖next‖² there.
func unitOf(members []int32, x, next []float64) (needed bool, score float64) {
	for _, i := range members {
		needed = needed || x[i] != 0
		score += next[i] * next[i]
	}
	return needed, score
}

// part cuts x into cells where it changes.
func (g *Differences) part(x, next []float64, most int) *part {
	var scores []float64
	for i := 1; i < g.P; i++ {
		if jump := math.Abs(next[i] - next[i-1]); jump > 0 && x[i] == x[i-1] {
			scores = append(scores, jump)
		}
	}
	least := atLeast(scores, most)
	t, own := &part{place: make([]int32, g.P)}, &cells{weight: g.Weight, width: []float64{1}}
	for i := 1; i < g.P; i++ {
		if jump := math.Abs(next[i] - next[i-1]); x[i] != x[i-1] || jump > 0 && jump >= least {
			own.width = append(own.width, 0)
		}
		t.place[i] = int32(len(own.width) - 1)
		own.width[t.place[i]]++
	}
	own.root, t.scale = make([]float64, len(own.width)), make([]float64, len(own.width))
	for b, width := range own.width {
		own.root[b] = math.Sqrt(width)
		t.scale[b] = 1 / own.root[b]
	}
	t.exact, t.units, t.duals = own, len(own.width), len(own.width)-1
	return t
}

// atLeast is the score from which on so many of the scores are, in any order; 0 where there are no more.
func atLeast(scores []float64, most int) float64 {
	if len(scores) <= most {
		return 0
	}
	slices.Sort(scores)
	return scores[len(scores)-most]
}
