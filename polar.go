package gcg

import (
	"fmt"
	"math"
)

// Kind says what the bound of a polar is worth. Its zero value says that nothing is known.
type Kind int

const (
	Unbounded   Kind = iota // no bound is known
	Proven                  // the bound holds, up to rounding
	Probable                // the bound holds but for the stated probability
	Approximate             // the bound is the value over a guaranteed ratio alpha
)

// String is the name of the kind in lower case.
func (k Kind) String() string {
	names := [...]string{"unbounded", "proven", "probable", "approximate"}
	if k < 0 || int(k) >= len(names) {
		return fmt.Sprintf("kind %d", int(k))
	}
	return names[k]
}

// An Ask says what is wanted of a polar.
type Ask struct {
	Count    int         // atoms wanted, at least 1
	Above    float64     // atoms after the first are wanted only if they attain more than this
	OutsideW bool        // atoms are wanted from outside the spaces of W, whose own weights are optimised otherwise
	Tol      float64     // relative accuracy that is wanted of the value and of the bound
	Goal     float64     // a bound at or below this ends the solver's run; 0 where it is not known
	Exact    bool        // the bound must be Proven
	W        *Iterate    // the current iterate: near a solution its own spaces hold the top of G's spectrum
	Seed     uint64      // of random starts
	Spectral SpectralAsk // what only the trace norm is asked for
}

// A Polar is the answer: atoms that (nearly) maximise ⟨a, G⟩, best first, and what is known of the maximum κ°(G). Every gauge
// gives Atoms, Value, Bound and Kind; the zero value of each says that nothing is known. A gauge that leaves Kind at 0 has no
// bound, and a run with it has no certificate.
type Polar struct {
	Atoms []Atom
	// Value is what the first atom attains. Where Ask.OutsideW leaves out the atoms of W's own spaces, it is what these attain, if
	// that is more. It is at most κ°(G). 0 leaves it to the caller, who takes ⟨a₁, G⟩.
	Value float64
	Bound float64 // ≥ κ°(G): what a certificate must use. It means nothing where Kind is Unbounded; there it is 0 or +Inf
	Kind  Kind    // what Bound is worth

	Failure float64   // probability that a Probable bound, or an Approximate one that rests on chance, does not hold
	Alpha   float64   // of an Approximate bound: the guaranteed Value/κ°, in (0, 1]; else 0 or 1
	Values  []float64 // ⟨aᵢ, G⟩; nil where it is left to the caller to compute them

	Spectral *Spectral // what only the trace norm is asked for, or nil

	counted bool // Failure is part of a certificate's
}

// UpperBound is the bound of κ°(G) that a certificate may rest on: Bound, or +Inf where none is known.
func (p *Polar) UpperBound() float64 {
	if p.Kind == Unbounded {
		return math.Inf(1)
	}
	return p.Bound
}

// Count is the number of atoms.
func (p *Polar) Count() int {
	if u, _ := p.Stacked(); u != nil {
		return u.K
	}
	return len(p.Atoms)
}

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

// A SpectralAsk is what only the trace norm is asked for. P (m×k) and Q (n×k) are orthonormal bases of the column and row spaces
// of W. D = (I-PPᵀ) G (I-QQᵀ) is the complement, the part of G outside both.
type SpectralAsk struct {
	Right int // right singular vectors of D that are wanted in Complement.Right
	// Stacked says that atoms of rank one may come side by side in Spectral.U and Spectral.V, and not in Polar.Atoms: with
	// millions of rows this takes an eighth of the memory.
	Stacked     bool
	Projections *Projections // of W and the present G, where they are known, or nil; the polar may take them over
	Shift       *ShiftAsk    // or nil
}

// A ShiftAsk asks for a Shift that closes a run.
type ShiftAsk struct {
	Level float64 // to which singular values of G are brought down
	// Enough is the σ₁(Y) that would do for a change of ‖U Vᵀ‖² = square; 0 where that is too much.
	Enough func(square float64) float64
	// At is the shift by U Vᵀ with σ₁(Y) ≤ norm; nil where it does not close the run.
	At func(u, v *Factor, norm float64) *Shift
}

// Projections are products at W that an improver has last computed, and with which a polar would begin.
type Projections struct {
	P, Q   *Factor // orthonormal bases (m×k and n×k) of the column and row spaces of W
	GQ, GP *Factor // G Q and Gᵀ P
}

// A Spectral is what the polar of the trace norm gives beyond atoms, value and bound.
type Spectral struct {
	// the vectors of rank-one atoms side by side, in place of Polar.Atoms, if SpectralAsk.Stacked allowed it; else nil
	U, V       *Factor
	Complement Complement
	Shift      *Shift // or nil
}

// A Complement is what is known of D = (I-PPᵀ) G (I-QQᵀ). Improvers that work within the spaces of W use it, also after a step
// has moved W.
type Complement struct {
	Norm float64 // about σ₁(D), or 0; improvers choose their tolerance by it
	Next float64 // about the first singular value of D after those of the atoms, if it is at most Ask.Above; else 0
	// Right has about the right vectors (n×d) of the leading singular pairs of D, except those of the atoms. It is nil where they
	// were not wanted or are not known. Improvers add them to their spaces.
	Right *Factor
}

// Stacked are the vectors of rank-one atoms side by side, or nil where the atoms are in Polar.Atoms.
func (p *Polar) Stacked() (u, v *Factor) {
	if p.Spectral == nil {
		return nil, nil
	}
	return p.Spectral.U, p.Spectral.V
}

// Complement is what the polar found out about D = (I-PPᵀ) G (I-QQᵀ), or the zero value.
func (p *Polar) Complement() Complement {
	if p.Spectral == nil {
		return Complement{}
	}
	return p.Spectral.Complement
}
