package gcg

// A SpectralAsk is what only the trace norm is asked for. P (m×k) and Q (n×k) are orthonormal bases of the column and row
// spaces of W, and D = (I-PPᵀ)G(I-QQᵀ) is the part of G outside both, the complement.
type SpectralAsk struct {
	Right int // right singular vectors of D that are wanted in Complement.Right
	// Stacked says that atoms of rank one may come side by side in Spectral.U and Spectral.V, and not in Polar.Atoms: with
	// millions of rows this takes an eighth of the memory.
	Stacked bool
	// a bound below this, though above Ask.Goal, lets the improver that follows go all the way; 0 where it is not known
	LooseGoal   float64
	Projections *Projections // of W and the present G, where they are known, or nil; the polar may take them over
}

// Projections are products at W that an improver has last computed, and with which a polar would begin.
type Projections struct {
	P, Q   *Factor // orthonormal bases (m×k and n×k) of the column and row spaces of W
	GQ, GP *Factor // G Q and Gᵀ P
}

// A Spectral is what the trace norm's polar knows beyond atoms, value and bound.
type Spectral struct {
	// the vectors of rank-one atoms side by side, in place of Polar.Atoms, if SpectralAsk.Stacked allowed it; else nil
	U, V       *Factor
	Complement Complement
}

// A Complement is about what G attains outside the spaces of W. It is of use to improvers within these spaces after a step has
// moved W too.
type Complement struct {
	Norm float64 // about σ₁(D), or 0: improvers aim by it
	Next float64 // about what D attains outside of all atoms that attain more than Ask.Above, or 0
	// Right has about the right vectors (n×d) of the leading singular pairs of D, except those of the atoms; nil where they
	// were not wanted or are not known. Improvers turn towards them.
	Right *Factor
}

// Stacked are the vectors of rank-one atoms side by side, or nil where the atoms are in Polar.Atoms.
func (p *Polar) Stacked() (u, v *Factor) {
	if p.Spectral == nil {
		return nil, nil
	}
	return p.Spectral.U, p.Spectral.V
}

// Complement is what the polar knows of G outside the spaces of W, or its zero value.
func (p *Polar) Complement() Complement {
	if p.Spectral == nil {
		return Complement{}
	}
	return p.Spectral.Complement
}
