package solver

import (
	"context"
	"math"
	"reflect"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// A support is the part of W that Corrective works on for a gcg.BlockGauge: the blocks that atoms have touched, as one
// vector x of entries with their columns A(e). On it the totally corrective problem [Yu17 eq 42], in which atoms of one
// block merge, is
//
//	minimise over x   L(z₀ + Σ xₛ A(eₛ)) + h(Σ_b κ_b(x_b))
//
// Proximal Newton steps solve it: the quadratic model of L is minimised by coordinate descent over blocks, see
// blockmodel.go. A squared loss takes one.
type support struct {
	op    gcg.ColumnOperator
	loss  gcg.CurvedLoss
	gauge gcg.BlockGauge

	place      map[int64]int // of a key among the blocks
	keys       []int64
	start      []int // entries of block b are start[b] … start[b+1]-1
	rows, cols []int32
	columns    []gcg.Column
	x          []float64
	hess       *parts  // of L in x
	known      int     // entries that hess holds; a quadratic loss keeps them
	kept       bool    // the last step kept what H had promised, which may serve at another point
	promised   float64 // by it, or +Inf
	earlier    bool    // the last step's H was that of an earlier point
	top        float64 // of its products, at the last model
	multiplier float64 // μ of the last model's minimiser, where h is not λx; +Inf before the first
	reach      float64 // of secants, or 0 before the first step
	damping    float64 // how much of the loss's model is the bound of its curvature, see damped
	dense      bool    // the columns are dense and the loss couples their classes, see denseOfClass
	gaveWay    float64 // products that a model took before H was formed
	faced      float64 // products of all models of a gauge with faces: for Newton steps on these H is formed
}

// maxSupport bounds the entries of a part: their second derivatives take 8t² bytes, and about half as much more while they are formed.
const maxSupport = 20000

// tooWide says that there is no room for H, formed part by part, with the second derivatives of the blocks' gauges, and that it is not
// better left unformed.
func (u *support) tooWide(p *gcg.Problem, s *gcg.State) bool {
	t := len(u.x)
	if t <= maxSupport || u.byProducts(p) {
		return false
	}
	if !gcg.Separable(p.Loss) {
		return true
	}
	u.extract()
	room := maxSupport * maxSupport
	for _, part := range newGroups(t, joined(p, s, u.columns)).members {
		room -= len(part) * len(part)
	}
	for b := range u.keys {
		w := u.start[b+1] - u.start[b]
		room -= w * w
	}
	return room < 0
}

// supportFor is the support that c has for this problem, or a new one, or nil where the problem has no blocks.
func (c *Corrective) supportFor(p *gcg.Problem) *support {
	gauge, ok := p.Gauge.(gcg.BlockGauge)
	if !ok {
		return nil
	}
	op, ok := p.Operator.(gcg.ColumnOperator)
	if !ok {
		return nil
	}
	if c.blocks == nil || !same(c.blocks.op, op) || !same(c.blocks.loss, p.Loss) {
		c.blocks = &support{op: op, loss: p.Loss.(gcg.CurvedLoss), gauge: gauge, place: map[int64]int{}, start: []int{0}, multiplier: math.Inf(1)}
		c.blocks.dense = !gcg.Separable(p.Loss) && denseOfClass(p, &op.Columns([]int32{0}, []int32{0})[0])
	}
	c.blocks.gauge = gauge
	return c.blocks
}

// same tells whether two interfaces hold the same value. Of a type that Go does not compare, as a loss that is a struct with a slice
// in it, no two do.
func same(a, b any) bool {
	return reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.ValueOf(a).Comparable() && a == b
}

// load takes W into x, new blocks included; it reports whether every atom of W is in the block of its key.
func (u *support) load(w *gcg.Iterate) bool {
	if w.Rank() > 0 {
		return false
	}
	clear(u.x)
	var fresh []int64
	for i := range w.Terms {
		key := w.Terms[i].Atom.Key
		if key == 0 {
			return false
		}
		if _, ok := u.place[key]; !ok {
			u.place[key] = len(u.keys) + len(fresh)
			fresh = append(fresh, key)
		}
	}
	u.grow(fresh, w.M, w.N)
	for i := range w.Terms {
		t := &w.Terms[i]
		b := u.place[t.Atom.Key]
		lo, hi := u.start[b], u.start[b+1]
		at := lo
		for e, v := range t.Atom.Vals { // most are in the order of the block
			there := func() bool { return u.rows[at] == t.Atom.Rows[e] && u.cols[at] == t.Atom.Cols[e] }
			for tries := hi - lo; tries > 1 && !there(); tries-- {
				if at++; at == hi {
					at = lo
				}
			}
			if !there() {
				return false
			}
			u.x[at] += t.Weight * v
		}
	}
	return true
}

// tightened is κ(W), as closely as the gauge can tell. Sparse atoms of one block become one: their weights alone are more.
func tightened(p *gcg.Problem, s *gcg.State) float64 {
	if g, ok := p.Gauge.(gcg.BlockGauge); ok {
		u := &support{gauge: g, place: map[int64]int{}, start: []int{0}}
		if u.load(s.W) && len(u.keys) < len(s.W.Terms) {
			u.store(s)
			return u.rho(u.x)
		}
	}
	return p.GaugeOf(s.W)
}

// grow adds blocks.
func (u *support) grow(keys []int64, m, n int) {
	if len(keys) == 0 {
		return
	}
	first := len(u.rows)
	for _, key := range keys {
		rows, cols := u.gauge.Block(key, m, n)
		u.keys = append(u.keys, key)
		u.rows, u.cols = append(u.rows, rows...), append(u.cols, cols...)
		u.start = append(u.start, len(u.rows))
	}
	u.x = append(u.x, make([]float64, len(u.rows)-first)...)
}

// block is x_b.
func (u *support) block(x []float64, b int) []float64 { return x[u.start[b]:u.start[b+1]] }

// values is κ of every block; a prox of step 0 measures and leaves x as it is.
func (u *support) rho(x []float64) float64 {
	var sum float64
	for b, key := range u.keys {
		y := u.block(x, b)
		sum += u.gauge.BlockProxTo(y, y, key, 0)
	}
	return sum
}

// rhoAt is κ(x + y).
func (u *support) rhoAt(x, y []float64) float64 {
	z := append([]float64(nil), x...)
	kernel.Axpy(1, y, z)
	return u.rho(z)
}

// improve re-optimises the blocks until the model is exact enough for the certificate that is wanted.
func (u *support) improve(ctx context.Context, p *gcg.Problem, s *gcg.State, steps int) {
	_, quadratic := p.Loss.(gcg.Quadratic)
	goal := math.Max(0.05*s.Tol, 0.02*math.Min(s.Cert.Relative, 1))
	u.promised = math.Inf(1)
	for range steps {
		if ctx.Err() != nil {
			break
		}
		before := s.Objective(p)
		if !u.step(ctx, p, s, goal) {
			break
		}
		if fell := before - s.Objective(p); !u.earlier && fell <= 0.1*goal*math.Abs(before) || quadratic && fell <= goal*math.Abs(before) {
			break
		}
	}
	u.store(s)
	u.prune()
}

// step is a proximal Newton step; it reports whether F fell. Where the whole step is too long, or none is short enough, the
// model is damped, the more the further: at 1 it is above F, and every step falls.
func (u *support) step(ctx context.Context, p *gcg.Problem, s *gcg.State, goal float64) bool {
	_, quadratic := p.Loss.(gcg.Quadratic)
	ball, jumped := !math.IsInf(p.Penalty.Max(), 1), false
	for {
		if u.damping == 0 && !quadratic && ball && !u.secants(p) && flat(p, s) {
			u.damping = flatDamping
		}
		m := u.model(u.curved(p, s), s)
		u.earlier = m.earlier // whose step may be short where second derivatives have become small
		x := m.minimise(ctx, p.Penalty, goal)
		promised, f := m.promise(x, p.Penalty), s.Objective(p)
		if u.kept = false; m.earlier && !(promised <= keptFall*u.promised && promised > atRounding*s.Grain(f)) {
			continue // with H of this point
		}
		if promised < -lostModel*s.Grain(f) && u.damping < 1 && ctx.Err() == nil {
			u.damping = min(1, math.Max(flatDamping, 10*u.damping))
			continue
		}
		if !quadratic && !ball && promised <= atRounding*s.Grain(f) {
			if u.damping == 0 && !linear(p.Penalty) && flat(p, s) { // along a flat block the minimiser jumps in μ: no μ is that of its κ
				u.damping, jumped = flatDamping, true
				continue
			}
			if jumped {
				u.damping = 0
			} else if u.damping == 0 {
				u.polish(p, s, x)
			}
			return false
		}
		part := u.move(p, s, x)
		switch fell := f - s.Objective(p); {
		case part == 1:
			u.promised = promised
			u.kept = u.damping == 0 && goal > looseGoal && linear(p.Penalty) && fell > promised/2 && fell < mostKept*promised
			if u.damping /= 10; u.damping < leastDamping {
				u.damping = 0
			}
			return true
		case part > 0 && m.earlier:
			return true
		case m.earlier:
			continue
		case part > 0:
			if quadratic && u.damping == 0 && fell <= atRounding*s.Grain(f) {
				u.polish(p, s, m.minimise(ctx, p.Penalty, sharper*goal))
			}
			u.damping = min(1, math.Max(leastDamping, 4*u.damping))
			if part < shortPart && !ball { // the model says next to nothing of how far a step may go
				u.damping = math.Max(u.damping, flatDamping)
			}
			return true
		case quadratic:
			u.polish(p, s, x)
			return false
		case u.damping == 1 || ctx.Err() != nil:
			return false
		}
		u.damping = min(1, math.Max(flatDamping, 10*u.damping))
	}
}

// atRounding is the part of the grain of F below which no step is told from rounding: a damped one would be no better. Within a ball the promise itself
// is rounded by more, as is the multiplier that its minimiser comes from.
const atRounding = 1e-15

// lostModel is the part of the grain of F by which a model that is hardly curved may rise where it ought to be least, before it is damped.
const lostModel = 1e-12

// keptFall is what a step with second derivatives of an earlier point may promise at most of what the last one did: they are good for three
// quarters of the way then.
const keptFall = 0.1

// mostKept is how many times what a model promised a step may lower F for it to count as kept: where second derivatives have become far smaller than
// the model has them it is twice.
const mostKept = 1.5

// sharper is the part of the goal to which a model is minimised where steps fall by rounding: what it leaves of the gradient is left of the gap.
const sharper = 1e-3

// polish goes to the minimiser x of a model that promises less than rounding lets F tell, but of what F cannot tell the gap is the root: to second
// order nothing of the gradient is left there. It stays where F rises by more than rounding.
func (u *support) polish(p *gcg.Problem, s *gcg.State, x []float64) {
	f := s.Objective(p)
	to, back, _ := u.along(p, s, x)
	if !(to(1) <= f+8*atRounding*s.Grain(f)) {
		back()
	}
}

// curved is p with the second derivatives of the model: secants over the length of the last step where those of the loss vanish, and damped.
func (u *support) curved(p *gcg.Problem, s *gcg.State) *gcg.Problem {
	q := *p
	if u.secants(p) && kinked(p, s) {
		q = *secantAt(p, s.Z, u.reach)
	}
	if u.damping > 0 {
		q.Loss = damped{q.Loss.(gcg.CurvedLoss), u.damping, gcg.CurvatureAt(u.loss, s.Z)}
	}
	return &q
}

// secants says that there are such.
func (u *support) secants(p *gcg.Problem) bool { return u.reach > 0 && bends(p) }

// move goes to x, or the best part of the way that quarters of it reach, so that F falls; it reports which part, 0 if none.
func (u *support) move(p *gcg.Problem, s *gcg.State, x []float64) (part float64) {
	best := s.Objective(p)
	to, back, length := u.along(p, s, x)
	for step := 1.0; step > 1e-4 && part < 1; step /= 4 {
		next := to(step)
		if next >= best && part > 0 {
			to(part)
			break
		}
		if next < best {
			best, part = next, step
		}
	}
	if part == 0 {
		back()
		return 0
	}
	u.reach = reachPart * part * length
	return part
}

// along is the way to x: to goes a part of it and returns F there, back returns to where it begins. Its length is the root mean square of what
// it changes in z.
func (u *support) along(p *gcg.Problem, s *gcg.State, x []float64) (to func(part float64) float64, back func(), length float64) {
	old, z, rho, intercept := slices.Clone(u.x), slices.Clone(s.Z), s.Rho, slices.Clone(s.Intercept)
	by := slices.Clone(x)
	kernel.Axpy(-1, old, by)
	way := make([]float64, len(z)) // A(x - old)
	u.predict(p, way, by)
	means := levelled(p, way)
	to = func(part float64) float64 {
		for t := range x {
			u.x[t] = old[t] + part*(x[t]-old[t])
		}
		s.Rho = math.Min(u.rho(u.x), p.Penalty.Max())
		for i := range z {
			s.Z[i] = z[i] + part*way[i]
		}
		copy(s.Intercept, intercept)
		kernel.Axpy(-part, means, s.Intercept)
		s.Recentre(p)
		return s.Objective(p)
	}
	return to, func() {
		copy(u.x, old)
		copy(s.Z, z)
		copy(s.Intercept, intercept)
		s.Rho = rho
		s.Evaluate(p)
	}, gcg.Norm(way) / math.Sqrt(float64(len(way)))
}

// store writes x into W, one atom for each block that is not 0.
func (u *support) store(s *gcg.State) {
	s.W.Terms = nil
	for b, key := range u.keys {
		x := u.block(u.x, b)
		weight := u.gauge.BlockProxTo(x, x, key, 0)
		if weight == 0 {
			continue
		}
		a := gcg.Atom{Key: key}
		for e, v := range x {
			if v != 0 {
				at := u.start[b] + e
				a.Rows, a.Cols = append(a.Rows, u.rows[at]), append(a.Cols, u.cols[at])
				a.Vals = append(a.Vals, v/weight)
			}
		}
		s.W.Terms = append(s.W.Terms, gcg.Term{Atom: a, Weight: weight})
	}
}

// prune forgets the blocks at 0 when they are most of the support.
func (u *support) prune() {
	zero := 0
	for b := range u.keys {
		if isZero(u.block(u.x, b)) {
			zero++
		}
	}
	if zero < 100 || 2*zero < len(u.keys) {
		return
	}
	kept := &support{place: map[int64]int{}, start: []int{0}}
	extracted := len(u.columns) == len(u.x)
	for b, key := range u.keys {
		if isZero(u.block(u.x, b)) {
			continue
		}
		lo, hi := u.start[b], u.start[b+1]
		kept.place[key] = len(kept.keys)
		kept.keys = append(kept.keys, key)
		kept.rows, kept.cols = append(kept.rows, u.rows[lo:hi]...), append(kept.cols, u.cols[lo:hi]...)
		kept.x = append(kept.x, u.x[lo:hi]...)
		if extracted {
			kept.columns = append(kept.columns, u.columns[lo:hi]...)
		}
		kept.start = append(kept.start, len(kept.rows))
	}
	kept.op, kept.loss, kept.gauge, kept.dense = u.op, u.loss, u.gauge, u.dense
	kept.reach, kept.damping, kept.multiplier, kept.top, kept.gaveWay, kept.faced = u.reach, u.damping, u.multiplier, u.top, u.gaveWay, u.faced
	*u = *kept
}

func isZero(x []float64) bool {
	for _, v := range x {
		if v != 0 {
			return false
		}
	}
	return true
}
