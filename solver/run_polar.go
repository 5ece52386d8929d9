package solver

import (
	"context"

	"github.com/seed-b18ef778/gcg"
)

// polarOf asks the gauge for a polar of the present iterate. The first one of a run is checked more closely.
func (r *run) polarOf(ctx context.Context, ask gcg.Ask) (*gcg.Polar, error) {
	polar, err := polarAt(ctx, r.p, r.s, ask, r.s.Count.Polars == 0)
	if err != nil {
		return nil, err
	}
	r.s.Count.Polars++
	r.unbounded = polar.Kind == gcg.Unbounded
	return polar, nil
}

// polarAt asks the gauge for a polar of the gradient at the state, fills in what is left to the caller, and checks it before
// anything rests on it.
func polarAt(ctx context.Context, p *gcg.Problem, s *gcg.State, ask gcg.Ask, first bool) (*gcg.Polar, error) {
	g := s.Gradient(p)
	polar, err := p.Gauge.Polar(ctx, g, ask)
	if err != nil {
		return nil, err
	}
	a := admission{p: p, s: s, g: g, polar: &polar, ask: ask}
	if err := a.shapes(); err != nil {
		return nil, err
	}
	a.fill()
	if err := a.claims(); err != nil {
		return nil, err
	}
	if err := a.unitPairs(); err != nil {
		return nil, err
	}
	if first {
		err = a.closely()
	}
	return &polar, err
}
