package spca

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// stepsBetween is the number of steps of alternating directions between bounds, each of which costs about as much as one.
const stepsBetween = 3

// Name is sparse-pca.
func (m *Splitting) Name() string { return "sparse-pca" }

// Descends is true: X is the best so far.
func (m *Splitting) Descends() bool { return true }

// Ask wants one atom.
func (m *Splitting) Ask(*gcg.Problem, *gcg.State) gcg.Ask { return gcg.Ask{Count: 1} }

// Step works on the component of the largest bound. First it weighs the leading vector of soft(C, λ) there, which is the
// solution where that has no entries of the wrong sign; else it takes steps of alternating directions.
func (m *Splitting) Step(ctx context.Context, p *gcg.Problem, s *gcg.State) error {
	b := m.widest()
	if !b.tried {
		b.tried = true
		polar := s.Polar
		better := m.take(b, m.ofVector(b, b.known.space[0]), p, s)
		s.Polar = polar // C - U has not moved
		if better || b.n == 1 {
			return nil
		}
	}
	if m.loss.Lambda == 0 {
		return nil // the leading vector is the solution
	}
	if b.split == nil {
		b.split = newSplitting(b, m.loss.Lambda, b.known.space[0])
	}
	for range stepsBetween {
		if ctx.Err() != nil {
			break
		}
		b.split.step(ctx)
	}
	b.dirty, b.limit = true, math.Inf(1)
	var best candidate
	for i, c := range b.split.candidates(ctx) {
		if i == 0 || c.worth > best.worth {
			best = c
		}
	}
	if !m.take(b, best, p, s) {
		s.Evaluate(p)
	}
	return nil
}

// widest is the component of the largest bound.
func (m *Splitting) widest() *block {
	var top *block
	for _, b := range m.op.blocks {
		if !b.dirty && (top == nil || b.known.upper > top.known.upper) {
			top = b
		}
	}
	return top
}

// take moves W to an X of a component if that is the best so far, by more than rounding.
func (m *Splitting) take(b *block, x candidate, p *gcg.Problem, s *gcg.State) bool {
	if !(x.worth > m.best+view.Rounding*math.Abs(m.best)) {
		return false
	}
	m.best = x.worth
	w := &gcg.Iterate{M: m.op.n, N: m.op.n, U: gcg.NewFactor(m.op.n, len(x.vectors))}
	for c, v := range x.vectors {
		root := math.Sqrt(x.values[c])
		for i, at := range b.vars {
			w.U.Row(at)[c] = root * v[i]
		}
	}
	w.V = w.U.Clone()
	s.W, s.Rho = w, 1
	s.Refresh(p)
	return true
}
