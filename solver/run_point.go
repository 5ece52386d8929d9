package solver

import (
	"slices"

	"github.com/seed-b18ef778/gcg"
)

// A point is a place to go back to: what of a state its predictions, residual and loss follow from.
type point struct {
	w         *gcg.Iterate
	rho       float64
	intercept []float64 // nil without one
}

// pointOf is where the state is. W is shared: who goes on to change W's factors or terms in place puts a copy in its place.
func pointOf(s *gcg.State) point {
	return point{s.W, s.Rho, slices.Clone(s.Intercept)}
}

// copyOf is pointOf with a W of its own.
func copyOf(s *gcg.State) point {
	x := pointOf(s)
	x.w = s.W.Clone()
	return x
}

// restore moves the state back to x, and W is the state's from then on. Predictions, residual and loss are still those of the
// point that is left: RefreshNear follows, which begins at the intercept of x. The mean predictions of a point that is far away
// are no start.
func (x point) restore(s *gcg.State) {
	s.W, s.Rho = x.w, x.rho
	copy(s.Intercept, x.intercept)
}
