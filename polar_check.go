package gcg

import (
	"fmt"
	"math"
)

// A PolarError says what cannot be in the answer of a gauge. A certificate is as good as the polar that it rests on. So a mistake
// in a gauge must end in an error that names it, and not in a proof.
type PolarError struct{ Gauge, Reason string }

// Error names the gauge.
func (e *PolarError) Error() string { return "gcg: the polar of gauge " + e.Gauge + " " + e.Reason }

const (
	// claimRounding is the part of its value that a polar's bound may be below it for rounding.
	claimRounding = 1e-9
	// unitRounding is how far the gauge of an atom may be from 1 for rounding.
	unitRounding = 1e-6
)

// admit fills in what is left to the caller, and refuses what cannot be.
func (p *Polar) admit(k Gauge, g Map) error {
	reason := p.shapes(g)
	if reason == "" {
		p.fill(g)
		reason = p.claims()
	}
	if reason == "" {
		reason = p.unitPairs(k)
	}
	if reason == "" {
		return nil
	}
	return &PolarError{k.Name(), reason}
}

// shapes refuses atoms of another size than G's, and values of another number than the atoms.
func (p *Polar) shapes(g Map) string {
	m, n := g.Dims()
	if u, v := p.Stacked(); u != nil && !(&Atom{U: u, V: v}).Fits(m, n) {
		return fmt.Sprintf("has atoms that are no vectors of %d and %d elements", m, n)
	}
	for i := range p.Atoms {
		if !p.Atoms[i].Fits(m, n) {
			return fmt.Sprintf("has an atom, its %d., that is none of %d×%d matrices: these have factors of one rank and so many "+
				"rows, or entries within, each with row, column and value", i+1, m, n)
		}
	}
	have, want := len(p.Values), p.Count()
	if left := len(p.Atoms) == want && p.Values == nil; have != want && !left {
		return fmt.Sprintf("has %d values for %d atoms", have, want)
	}
	return ""
}

// fill computes the values that were left out, and a bound that is not known is +Inf.
func (p *Polar) fill(g Map) {
	if p.Values == nil {
		for i := range p.Atoms {
			p.Values = append(p.Values, p.Atoms[i].Dot(g))
		}
	}
	if p.Value == 0 && len(p.Values) > 0 {
		p.Value = p.Values[0]
	}
	if p.Kind == Unbounded && p.Bound == 0 {
		p.Bound = math.Inf(1)
	}
}

// claims refuses values that are no numbers, and a bound that is below the value or of no known worth.
func (p *Polar) claims() string {
	attains := p.Value
	if len(p.Values) > 0 {
		attains = math.Max(attains, p.Values[0])
	}
	switch {
	case math.IsNaN(attains) || math.IsInf(attains, 0) || math.IsNaN(p.Bound):
		return fmt.Sprintf("has the value %v and the bound %v: the gradient holds numbers that are not finite or too large", p.Value,
			p.Bound)
	case p.Kind < Unbounded || p.Kind > Approximate:
		return fmt.Sprintf("has a bound of %s; there are proven, probable and approximate ones", p.Kind)
	case p.Kind == Unbounded && !math.IsInf(p.Bound, 1):
		return fmt.Sprintf("has the bound %v and says not what it is worth: its Kind is to be Proven, Probable or Approximate", p.Bound)
	case !(p.Failure >= 0 && p.Failure <= 1) || p.Kind == Probable && p.Failure == 0:
		return fmt.Sprintf("has a %s bound that fails with the probability %v, which Failure is to state", p.Kind, p.Failure)
	case p.Kind == Approximate && !(p.Alpha >= 0 && p.Alpha <= 1):
		return fmt.Sprintf("has an approximate bound of the ratio %v; Alpha is at most 1", p.Alpha)
	case p.Bound < attains-claimRounding*math.Abs(attains):
		return fmt.Sprintf("has the bound %v, which is below what its first atom attains, %v", p.Bound, attains)
	}
	return ""
}

// unitPairs refuses atoms of low rank that are no pairs of unit vectors where their weights are read off their columns. That is
// so for the trace norm, and for a gauge that cannot evaluate κ(W).
func (p *Polar) unitPairs(k Gauge) string {
	if _, tells := k.(Compressor); tells && !IsTraceNorm(k) {
		return ""
	}
	if u, v := p.Stacked(); u != nil {
		nu, nv := u.ColumnNorms(), v.ColumnNorms()
		for i := range u.K {
			if reason := notUnit(i, nu[i]*nv[i]); reason != "" {
				return reason
			}
		}
	}
	for i := range p.Atoms {
		a := &p.Atoms[i]
		if !a.LowRank() {
			continue
		}
		weight, nu, nv := 0.0, a.U.ColumnNorms(), a.V.ColumnNorms()
		for c := range a.U.K {
			weight += nu[c] * nv[c]
		}
		if reason := notUnit(i, weight); reason != "" {
			return reason
		}
	}
	return ""
}

// notUnit says that atom i has another gauge than 1.
func notUnit(i int, kappa float64) string {
	if math.Abs(kappa-1) <= unitRounding {
		return ""
	}
	return fmt.Sprintf("has an atom, its %d., whose gauge is %.6g by ‖u‖‖v‖, for want of a Compress of its own; "+
		"it is 1 for every atom", i+1, kappa)
}
