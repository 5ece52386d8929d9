package solver

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
)

// An admission is the check of what a gauge answered. A certificate is as good as the polar that it rests on, so that a mistake
// in a gauge must end in an error that names it, and not in a proof.
type admission struct {
	p     *gcg.Problem
	s     *gcg.State
	g     gcg.Map // of the polar
	polar *gcg.Polar
	ask   gcg.Ask
}

// claimRounding is the part of its value that a polar's bound may be below it for rounding.
const claimRounding = 1e-9

// longAtom is how far the gauge of an atom may be from 1, and the part of ρ that κ(W) may exceed it by, for rounding.
const longAtom = 1e-6

// attainedOff is how far ⟨a, G⟩ may be from what the polar says of it, as part of that: room for gradients in float32.
const attainedOff = 1e-3

// errorf is an error that begins with the name of the gauge.
func (a *admission) errorf(format string, args ...any) error {
	return fmt.Errorf("solver: the polar of gauge %s "+format, append([]any{a.p.Gauge.Name()}, args...)...)
}

// shapes refuses atoms of another size than W's, and values of another number than the atoms.
func (a *admission) shapes() error {
	m, n, _ := a.p.Operator.Dims()
	if u, v := a.polar.Stacked(); u != nil && !(&gcg.Atom{U: u, V: v}).Fits(m, n) {
		return a.errorf("has atoms that are no vectors of %d and %d elements", m, n)
	}
	for i := range a.polar.Atoms {
		if !a.polar.Atoms[i].Fits(m, n) {
			return a.errorf("has an atom, its %d., that is none of %d×%d matrices: these have factors of one rank and so "+
				"many rows, or entries within, each with row, column and value", i+1, m, n)
		}
	}
	have, want := len(a.polar.Values), a.polar.Count()
	if left := len(a.polar.Atoms) == want && a.polar.Values == nil; have != want && !left {
		return a.errorf("has %d values for %d atoms", have, want)
	}
	return nil
}

// fill computes the values that were left out, and a bound that is not known is +Inf.
func (a *admission) fill() {
	p := a.polar
	if p.Values == nil {
		for i := range p.Atoms {
			p.Values = append(p.Values, p.Atoms[i].Dot(a.g))
		}
	}
	if p.Value == 0 && len(p.Values) > 0 {
		p.Value = p.Values[0]
	}
	if p.Kind == gcg.Unbounded && p.Bound == 0 {
		p.Bound = math.Inf(1)
	}
}

// claims refuses values that are no numbers, a bound that is below the value or of no known worth, and where the gauge knows no
// bound, a gradient that is not finite.
func (a *admission) claims() error {
	p := a.polar
	number := !math.IsNaN(p.Value) && !math.IsInf(p.Value, 0) && !math.IsNaN(p.Bound)
	if !number || p.Kind == gcg.Unbounded {
		for i, x := range a.s.R {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("solver: the derivative of the loss at observation %d is %v", i+1, -x)
			}
		}
	}
	switch {
	case !number:
		return a.errorf("has the value %v and the bound %v: the gradient holds numbers that are not finite or too large",
			p.Value, p.Bound)
	case p.Kind < gcg.Unbounded || p.Kind > gcg.Approximate:
		return a.errorf("has a bound of %s; there are proven, probable and approximate ones", p.Kind)
	case p.Kind == gcg.Unbounded && !math.IsInf(p.Bound, 1):
		return a.errorf("has the bound %v and says not what it is worth: its Kind is to be Proven, Probable or Approximate",
			p.Bound)
	case !(p.Failure >= 0 && p.Failure <= 1) || p.Kind == gcg.Probable && p.Failure == 0:
		return a.errorf("has a %s bound that fails with the probability %v, which Failure is to state", p.Kind, p.Failure)
	case p.Kind == gcg.Approximate && !(p.Alpha >= 0 && p.Alpha <= 1):
		return a.errorf("has an approximate bound of the ratio %v; Alpha is at most 1", p.Alpha)
	}
	attains := p.Value
	if len(p.Values) > 0 {
		attains = math.Max(attains, p.Values[0])
	}
	if p.Bound < attains-claimRounding*math.Abs(attains) {
		return a.errorf("has the bound %v, which is below what its first atom attains, %v", p.Bound, attains)
	}
	return nil
}
