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
