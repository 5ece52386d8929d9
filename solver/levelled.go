package solver

import "github.com/seed-b18ef778/gcg"

// levelled takes off z, the predictions of some matrix, their means in the places of the intercept, and returns these; nil without
// an intercept. As W moves by θ times that matrix and the constants by -θ times the means, the level of the predictions stays: what
// searches along it, and its length, depend on how features vary, not on how far from 0 they are.
func levelled(p *gcg.Problem, z []float64) (means []float64) {
	if !p.Intercept {
		return nil
	}
	e := p.Places()
	means = e.Means(z)
	e.AddTo(z, -1, means)
	return means
}
