package hessian

import (
	"github.com/seed-b18ef778/gcg/internal/view"
)

// Centred takes off z, the predictions of some matrix D, their means over the observations of each constant of the
// intercept, and returns these means; without an intercept it returns nil. As W moves by θD, predictions then move by θz and
// the constants by -θ times the means: the level of the predictions stays, and a search along z depends on how features
// vary, not on how far from 0 they lie.
func Centred(p *view.Problem, z []float64) (means []float64) {
	if !p.Intercept {
		return nil
	}
	e := p.InterceptMap()
	means = e.Means(z)
	e.AddTo(z, -1, means)
	return means
}
