package view

import (
	"slices"

	"github.com/seed-b18ef778/gcg"
)

// A Snapshot is a place to go back to: what of a state its predictions, residual and loss follow from.
type Snapshot struct {
	W         *gcg.Iterate
	Rho       float64
	Intercept []float64 // nil without one
}

// SnapshotOf is where the state is. W is shared: who goes on to change W's factors or terms in place puts a copy in its place.
func SnapshotOf(s *gcg.State) Snapshot {
	return Snapshot{s.W, s.Rho, slices.Clone(s.Intercept)}
}

// CopyOf is pointOf with a W of its own.
func CopyOf(s *gcg.State) Snapshot {
	x := SnapshotOf(s)
	x.W = s.W.Clone()
	return x
}

// Restore moves the state back to x, and W is the state's from then on. Predictions, residual and loss are still those of the
// point that is left: RefreshWarm follows, which begins at the intercept of x. The mean predictions of a point that is far away
// are no start.
func (x Snapshot) Restore(s *gcg.State) {
	s.W, s.Rho = x.W, x.Rho
	copy(s.Intercept, x.Intercept)
}
