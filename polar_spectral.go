package gcg

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
