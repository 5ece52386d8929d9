package gcg

// Kind says what the bound of a polar is worth.
type Kind int

const (
	Proven      Kind = iota // the bound holds, up to rounding
	Probable                // the bound holds but for the stated probability
	Approximate             // the bound is the value over a guaranteed ratio alpha
	Unbounded               // no bound is known
)

func (k Kind) String() string {
	return [...]string{"proven", "probable", "approximate", "unbounded"}[k]
}

// An Ask says what is wanted of a polar.
type Ask struct {
	Count int      // atoms wanted, at least 1
	Above float64  // atoms after the first are wanted only if they attain more than this
	Fresh bool     // atoms are wanted from outside the spaces of W, whose own weights are optimised otherwise
	Tol   float64  // relative accuracy wanted of the value and of the bound
	Goal  float64  // a bound at or below it ends the run; 0 where that is not known
	Reach float64  // a bound below it, though above Goal, lets the improver that follows go all the way; 0 where that is not known
	Exact bool     // the bound must be Proven
	W     *Iterate // the current iterate: near a solution its own spaces hold the top of G's spectrum
	Seed  uint64   // of random starts
	Near  int      // pairs outside the spaces of W wanted in Polar.Near
	// Together says that atoms of rank one may come side by side in Polar.U and Polar.V, and not in Polar.Atoms: of millions of
	// rows that is an eighth of the memory.
	Together bool
	Sides    *Sides // of W and the present G, where they are known, or nil; they are given away
}

// Sides are what an improver that ended at W has last computed there, which a polar would begin with.
type Sides struct {
	P, Q   *Factor // orthonormal bases (m×k and n×k) of the column and row spaces of W
	GQ, GP *Factor // G Q and Gᵀ P
}

// A Polar is the answer: atoms that (nearly) maximise ⟨a, G⟩, best first.
type Polar struct {
	Atoms  []Atom
	U, V   *Factor   // the atoms' vectors side by side, instead of Atoms, where that is allowed and was done
	Values []float64 // ⟨aᵢ, G⟩; nil where whoever asks may compute them
	Value  float64   // ≤ κ°(G): what the first atom attains, or, where Ask.Fresh left that one out, what the spaces of W do
	Bound  float64   // ≥ κ°(G), +Inf where none is known: what a certificate must use
	Rest   float64   // about what G attains outside the spaces of W, or 0: improvers within them aim by it
	// Near are about the right vectors (n×d) of the leading singular pairs of G outside the spaces of W, but for those of the atoms; nil where
	// they were not wanted or are not known. Improvers within those spaces turn towards them.
	Near    *Factor
	Kind    Kind
	Failure float64 // probability that a Probable bound does not hold
	Alpha   float64 // guaranteed Value/κ° of an Approximate polar; 1 otherwise
}

// Seen is what of a polar still tells an improver something once a step has moved W.
type Seen struct {
	Rest, Bound float64 // Polar's
	Near        *Factor // Polar's
}

// Seen is that of p.
func (p *Polar) Seen() Seen { return Seen{Rest: p.Rest, Bound: p.Bound, Near: p.Near} }

// Count is the number of atoms.
func (p *Polar) Count() int {
	if p.U != nil {
		return p.U.K
	}
	return len(p.Atoms)
}
