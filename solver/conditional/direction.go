package conditional

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// A stepDirection is the direction of a step: one atom, or several with fixed relative weights that sum to 1.
type stepDirection struct {
	atoms   []gcg.Atom
	weights []float64
	z       []float64 // A(Σ weight·atom), centred, where the data shows its observations
	gain    float64   // ⟨Σ weight·atom, G⟩
}

// direction combines the atoms of a step by the minimum of the separable model of the loss: the weight of atom i is
// proportional to (σᵢ - h'(ρ))/Hᵢᵢ, with σᵢ what it attains and Hᵢᵢ the curvature of L along A(aᵢ). That is close to the
// best where their predictions are about orthogonal.
func (g *Method) direction(p *view.Problem, s *gcg.State) *stepDirection {
	d := &stepDirection{z: memory.Make[float64](len(s.Z))}
	if u, _ := s.Polar.Stacked(); u != nil {
		d.sideBySide(p, s)
	} else {
		atoms := s.Polar.Atoms[:s.Added]
		if g.Rule != LineSearch {
			atoms = atoms[:1]
		}
		d.atoms, d.weights = atoms, []float64{1}
		if len(atoms) > 1 {
			d.weights = separableWeights(s.Polar.Values[:len(atoms)], view.Lambda(p.Problem, s), d.curvatures(p, s))
		}
		for i, w := range d.weights {
			d.gain += w * s.Polar.Values[i]
		}
	}
	if len(d.z) > 0 {
		p.ApplyAtoms(d.z, d.atoms, d.weights)
		hessian.Centred(p, d.z)
	}
	return d
}

// sideBySide combines atoms that the polar gives as columns of two factors, and makes one atom of them.
func (d *stepDirection) sideBySide(p *view.Problem, s *gcg.State) {
	u, v, values := addedPairs(s)
	for i, w := range separableWeights(values, view.Lambda(p.Problem, s), curvaturesAlong(p, s, u, v)) {
		v.ScaleColumn(i, w)
		d.gain += w * values[i]
	}
	d.atoms, d.weights = []gcg.Atom{{U: u, V: v}}, []float64{1}
}

// factors are those of Σ weight·atom, for atoms of low rank.
func (d *stepDirection) factors(w *gcg.Iterate) (u, v *gcg.Factor) {
	if len(d.atoms) == 1 && d.weights[0] == 1 {
		return d.atoms[0].U, d.atoms[0].V
	}
	return factorsOf(w, d.atoms, d.weights)
}

// factorsOf are the factors of Σ weight·atom for atoms of low rank that have the size of W.
func factorsOf(w *gcg.Iterate, atoms []gcg.Atom, weights []float64) (u, v *gcg.Factor) {
	a := &gcg.Iterate{M: w.M, N: w.N}
	a.Add(atoms, weights)
	return a.U, a.V
}

// pairsOf are the vectors of the atoms as columns of two factors.
func pairsOf(w *gcg.Iterate, atoms []gcg.Atom) (u, v *gcg.Factor) {
	ones := make([]float64, len(atoms))
	for i := range ones {
		ones[i] = 1
	}
	return factorsOf(w, atoms, ones)
}

// addedPairs are the vectors of the s.Added first atoms of the polar, and what they attain.
func addedPairs(s *gcg.State) (u, v *gcg.Factor, values []float64) {
	u, v = s.Polar.Stacked()
	if u == nil {
		u, v = pairsOf(s.W, s.Polar.Atoms[:s.Added])
	} else if u.K > s.Added {
		u, v = u.Widen(s.Added), v.Widen(s.Added)
	}
	return u, v, s.Polar.Values[:s.Added]
}

// flatAtom is the part of the largest curvature below which one is rounding. An atom that the intercept makes redundant has
// such a curvature, attains rounding too, and would take all of the weight.
const flatAtom = 1e-12

// leastWorth is the part of what an atom attains that it is worth at least beyond λ: an atom with no weight would have been
// asked for in vain.
const leastWorth = 1e-3

// separableWeights are the weights of a direction, which sum to 1, for atoms that attain the given values and have the given
// curvatures; lambda is h'(ρ).
func separableWeights(values []float64, lambda float64, curve func(i int) float64) []float64 {
	weights := make([]float64, len(values))
	floor := 1e-300
	for i, value := range values {
		weights[i] = curve(i)
		floor = math.Max(floor, math.Max(flatAtom*weights[i], 1e-300*math.Abs(value))) // no quotient overflows
	}
	var sum float64
	for i, value := range values {
		weights[i] = math.Max(value-lambda, leastWorth*math.Abs(value)) / math.Max(weights[i], floor)
		sum += weights[i]
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights
}
