package solver

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
)

// polarOf asks the gauge for a polar, fills in values that it left out, and checks it before the run rests on it.
func (r *run) polarOf(ctx context.Context, ask gcg.Ask) (*gcg.Polar, error) {
	g := r.s.Gradient(r.p)
	polar, err := r.p.Gauge.Polar(ctx, g, ask)
	if err != nil {
		return nil, err
	}
	r.s.Count.Polars++
	if polar.U == nil && polar.Values == nil {
		for i := range polar.Atoms {
			polar.Values = append(polar.Values, polar.Atoms[i].Dot(g))
		}
	}
	return &polar, r.admit(&polar)
}

// admit refuses a polar with atoms of the wrong size or values that are not finite, and where the gauge knows no bound, a
// gradient that is not finite.
func (r *run) admit(polar *gcg.Polar) error {
	name := r.p.Gauge.Name()
	if have, want := len(polar.Values), polar.Count(); have != want {
		return fmt.Errorf("solver: the polar of gauge %s has %d values for %d atoms", name, have, want)
	}
	m, n, _ := r.p.Operator.Dims()
	if u, v := polar.U, polar.V; u != nil && !(&gcg.Atom{U: u, V: v}).Fits(m, n) {
		return fmt.Errorf("solver: the polar of gauge %s has atoms that are no vectors of %d and %d elements", name, m, n)
	}
	for i := range polar.Atoms {
		if !polar.Atoms[i].Fits(m, n) {
			return fmt.Errorf("solver: atom %d of the polar of gauge %s is none of %d×%d matrices: it has factors of one rank and so many rows, or entries within, each with row, column and value", i+1, name, m, n)
		}
	}
	number := !math.IsNaN(polar.Value) && !math.IsInf(polar.Value, 0) && !math.IsNaN(polar.Bound)
	if number && polar.Kind != gcg.Unbounded {
		return nil
	}
	for i, x := range r.s.R {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("solver: the derivative of the loss at observation %d is %v", i+1, -x)
		}
	}
	if !number {
		return fmt.Errorf("solver: the polar of gauge %s has the value %v and the bound %v: the gradient holds numbers that are not finite or too large", name, polar.Value, polar.Bound)
	}
	return nil
}
