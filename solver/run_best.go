package solver

import "github.com/seed-b18ef778/gcg/internal/view"

// best is the point of the lowest objective so far. Its W is nil where the method descends, as the current iterate is the best
// then.
type best struct {
	view.Snapshot
	objective float64
}

// keepBest remembers the iterate with the lowest objective so far.
func (r *run) keepBest() {
	if f := r.s.Cert.Objective; f < r.best.objective {
		r.best.objective = f
		if r.descends() {
			return // the current iterate stays the best
		}
		r.best.Snapshot = view.CopyOf(r.s)
	}
}
