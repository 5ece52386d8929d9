package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/memory"
)

// A stepDirection is the direction of a step: one atom, or several with fixed relative weights that sum to 1.
type stepDirection struct {
	atoms   []gcg.Atom
	weights []float64
	z       []float64 // A(Σ weight·atom), levelled, where the data shows its observations
	gain    float64   // ⟨Σ weight·atom, G⟩
}

// direction weighs several atoms by the minimum of the separable model of the loss, θᵢ = (σᵢ-h'(ρ))/Hᵢᵢ, with Hᵢᵢ the
// curvature along A(aᵢ): exact for one atom, and close for orthogonal ones.
func (g *GCG) direction(p *gcg.Problem, s *gcg.State) *stepDirection {
	d := &stepDirection{z: memory.Make[float64](len(s.Z))}
	if s.Polar.U != nil {
		d.sideBySide(p, s)
	} else {
		atoms := s.Polar.Atoms[:s.Added]
		if g.Rule != LineSearch {
			atoms = atoms[:1]
		}
		d.atoms, d.weights = atoms, []float64{1}
		if len(atoms) > 1 {
			d.weights = separableWeights(s.Polar.Values[:len(atoms)], Slope(p, s), d.curvatures(p, s))
		}
		for i, w := range d.weights {
			d.gain += w * s.Polar.Values[i]
		}
	}
	if len(d.z) > 0 {
		p.ApplyAtoms(d.z, d.atoms, d.weights)
		levelled(p, d.z)
	}
	return d
}

// sideBySide makes one atom of those that came side by side.
func (d *stepDirection) sideBySide(p *gcg.Problem, s *gcg.State) {
	u, v, values := addedSides(s)
	for i, w := range separableWeights(values, Slope(p, s), curvaturesAlong(p, s, u, v)) {
		v.ScaleColumn(i, w)
		d.gain += w * values[i]
	}
	d.atoms, d.weights = []gcg.Atom{{U: u, V: v}}, []float64{1}
}

// factors are those of Σ weight·atom, which one atom has already.
func (d *stepDirection) factors(w *gcg.Iterate) (u, v *gcg.Factor) {
	if len(d.atoms) == 1 && d.weights[0] == 1 {
		return d.atoms[0].U, d.atoms[0].V
	}
	return factorsOf(w, d.atoms, d.weights)
}

// factorsOf are those of Σ weight·atom, of the sizes of W.
func factorsOf(w *gcg.Iterate, atoms []gcg.Atom, weights []float64) (u, v *gcg.Factor) {
	a := &gcg.Iterate{M: w.M, N: w.N}
	a.Add(atoms, weights)
	return a.U, a.V
}

// sides are the atoms' vectors side by side.
func sides(w *gcg.Iterate, atoms []gcg.Atom) (u, v *gcg.Factor) {
	ones := make([]float64, len(atoms))
	for i := range ones {
		ones[i] = 1
	}
	return factorsOf(w, atoms, ones)
}

// addedSides are the vectors of the atoms that are added, with their values.
func addedSides(s *gcg.State) (u, v *gcg.Factor, values []float64) {
	u, v = s.Polar.U, s.Polar.V
	if u == nil {
		u, v = sides(s.W, s.Polar.Atoms[:s.Added])
	} else if u.K > s.Added {
		u, v = u.Widen(s.Added), v.Widen(s.Added)
	}
	return u, v, s.Polar.Values[:s.Added]
}

// flatAtom is the part of the largest curvature below which one is rounding: of an atom that the intercept makes redundant, which attains
// rounding too, and whose weight would be all of the direction.
const flatAtom = 1e-12

// separableWeights are those of atoms that attain the given values, with the curvatures along them.
func separableWeights(values []float64, slope float64, curve func(i int) float64) []float64 {
	weights := make([]float64, len(values))
	floor := 1e-300
	for i, value := range values {
		weights[i] = curve(i)
		floor = math.Max(floor, math.Max(flatAtom*weights[i], 1e-300*math.Abs(value))) // no quotient overflows
	}
	var sum float64
	for i, value := range values {
		weights[i] = math.Max(value-slope, 1e-3*math.Abs(value)) / math.Max(weights[i], floor)
		sum += weights[i]
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights
}
