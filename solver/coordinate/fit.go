package coordinate

import (
	"context"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// A fit lowers F on a working set, by the minimisers of models.
type fit struct {
	p       *view.Problem
	base    *view.Problem // without a ridge, whose observations come first
	mu      float64       // of the ridge, or 0
	s       *gcg.State
	u       *set
	blocks  []int
	lambda  float64
	damping *float64 // the part of D that is the bound of ∇²L
}

const (
	mostModels = 20  // of a step
	modelPart  = 0.3 // of the gap that a model begins with, to which it is solved, as the next one is another
)

// run goes from model to model until the gap on the working set is at the goal.
func (f *fit) run(ctx context.Context, to goal) {
	if f.u.fixed != nil {
		f.runSquared(ctx, to)
		return
	}
	for range mostModels {
		m := f.model()
		first := m.minimise(ctx, goal{math.Inf(1), math.Inf(1), 0}) // one sweep, which says how far it is
		if first > to.tight && !to.met(first, m.work) {
			enough := math.Max(modelPart*first, to.tight)
			m.minimise(ctx, goal{enough, enough, 0})
		}
		if !f.take(m) || to.met(first, m.work) || ctx.Err() != nil {
			return
		}
		to.budget -= m.work
	}
}

// runSquared minimises the model of a squared loss: by the columns, until that has taken as long as forming X̃ᵀX̃ does.
func (f *fit) runSquared(ctx context.Context, to goal) {
	u := f.u
	for {
		m := f.squared()
		_, formed := m.products.(*byGram)
		if u.gram != nil && !formed {
			m.most = u.gram.cost(u.scaled) - u.direct
		}
		gap := m.minimise(ctx, to)
		f.take(m)
		if formed && len(u.x) > 0 {
			u.direct = m.work / m.cost(0) * float64(u.values) / float64(len(u.column)) // by the columns it would have been that
		} else {
			u.direct += m.work
		}
		if formed || m.work < m.most || to.met(gap, m.work) || ctx.Err() != nil {
			return
		}
	}
}

// squared is the model of a squared loss, whose columns are kept.
func (f *fit) squared() *model {
	u := f.u
	m := f.newModel()
	if u.gram != nil && u.gram.cost(u.scaled) <= u.direct {
		u.gram.extend(u.scaled)
		u.direct = 0
	}
	if u.gram != nil && u.gram.count == len(u.scaled) {
		b := &byGram{h: u.gram, d: u.fixed, g: make([]float64, len(u.x))}
		m.each(func(e, i int) { b.g[e] = m.g0[i] })
		m.products = b
	} else {
		m.slopesBy(u.fixed, func(e int) scaled { return u.scaled[e] })
	}
	m.shapes = make([]shape, len(f.blocks))
	for len(u.shapes) < len(u.blocks) {
		u.shapes = append(u.shapes, shape{})
	}
	for t, b := range f.blocks {
		if u.shapes[b].measured {
			m.shapes[t] = u.shapes[b].plus(f.mu)
			continue
		}
		u.shapes[b] = m.measure(t, func(e int) float64 { return u.fixed.c * u.scaled[e].square })
		m.shapes[t] = u.shapes[b].plus(f.mu)
	}
	if b, ok := m.products.(*direct); ok {
		m.packed = b.pack(m, nil)
	}
	return m
}

// metric is D at the state: second derivatives, less flat by a part of their bound.
func (f *fit) metric() metric {
	d := slices.Clone(f.p.HessDiagonal(f.s)[:f.u.order.n])
	top := f.base.Curved.Curvature()
	for i := range d {
		d[i] += *f.damping * (top - d[i])
	}
	return f.u.metric(1, d)
}

// model is the model at the state.
func (f *fit) model() *model {
	if !f.base.Separable {
		return f.coupledModel()
	}
	metric := f.metric()
	u, d := f.u, &metric
	m := f.newModel()
	total := 0
	m.each(func(e, _ int) { total += len(u.column[e].values) })
	if len(u.room) < total {
		u.room = memory.Make[float64](total)
	}
	all := u.room[:total]
	room := all
	b := m.slopesBy(d, func(e int) scaled {
		n := len(u.column[e].values)
		to := room[:n:n]
		room = room[n:]
		return d.scale(&u.column[e], to)
	})
	m.shapes = make([]shape, len(f.blocks))
	for t := range m.shapes {
		m.shapes[t] = m.measure(t, func(e int) float64 { return d.c * b.columns[b.place[e]].square }).plus(f.mu)
	}
	m.packed = b.pack(m, all)
	return m
}

const (
	leastStep    = 1e-6 // part of the way to the minimiser of a model below which it is given up
	leastDamping = 1e-3 // of a loss whose second derivatives vanish in places, so that no column is flat where it is not
	dampingRatio = 10   // by which damping grows after a step that is cut, and falls after a whole one
)

// take goes to the minimiser of a model, in halves until F does not rise, and reports whether it fell.
func (f *fit) take(m *model) bool {
	p, s, u := f.p.Problem, f.s, f.u
	step, b0 := make([]float64, u.order.n), slices.Clone(s.Intercept)
	m.each(func(e, i int) {
		if by := m.x[i] - m.x0[i]; by != 0 {
			u.column[e].addTo(step, by)
		}
	})
	shift := m.means(step) // which the intercept takes off
	step = u.order.out(step)
	z0, rho0, f0 := slices.Clone(s.Z), s.Rho, s.Objective(p)
	rounding := view.Rounding * s.RoundingScale(f0)
	for part := 1.0; part > leastStep; part /= 2 {
		m.each(func(e, i int) { u.x[e] = m.x0[i] + part*(m.x[i]-m.x0[i]) })
		s.Rho = u.rho()
		copy(s.Z, z0)
		kernel.Axpy(part, step, s.Z[:u.order.n])
		f.observe()
		if p.Intercept {
			copy(s.Intercept, b0)
			kernel.Axpy(-part, shift, s.Intercept)
			p.InterceptMap().AddTo(s.Z, -part, shift)
		}
		s.Recentre(p)
		if now := s.Objective(p); now <= f0+rounding {
			f.learn(part)
			return now < f0-rounding
		}
	}
	m.each(func(e, i int) { u.x[e] = m.x0[i] })
	s.Rho = rho0
	copy(s.Z, z0)
	copy(s.Intercept, b0)
	s.Recentre(p)
	f.learn(0)
	return *f.damping < 1 && u.fixed == nil
}

// learn adapts the damping to the part of a step that could be taken.
func (f *fit) learn(part float64) {
	switch {
	case part == 1:
		if *f.damping /= dampingRatio; *f.damping < leastDamping && f.base.Bent == nil {
			*f.damping = 0
		}
	case part < 0.5:
		*f.damping = math.Max(leastDamping, dampingRatio**f.damping)
	}
	if f.base.Bent != nil {
		*f.damping = math.Max(leastDamping, *f.damping)
	}
	*f.damping = math.Min(1, *f.damping)
}

// newModel is a model at the state.
func (f *fit) newModel() *model {
	return newModel(f.u, f.blocks, f.lambda, f.mu, f.s.R[:f.u.order.n])
}

// observe writes the entries of W into the predictions that a ridge has of them.
func (f *fit) observe() {
	if f.mu > 0 {
		f.u.observe(f.s.Z)
	}
}
