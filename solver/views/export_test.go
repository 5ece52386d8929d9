package views

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// Along is F at a position of W, its slope and its second derivative along a direction that is projected onto the spheres, and F
// as a function of how far the retraction goes.
func Along(p *gcg.Problem, w *gcg.Iterate, u, v *gcg.Factor) (slope, curvature float64, f func(h float64) float64) {
	s := newSearch(view.Of(p))
	t := s.tangentAt(s.begin(w))
	d := move{u.Clone(), v.Clone()}
	t.project(d.u)
	return t.slope.dot(d), d.dot(t.hessian(d)), func(h float64) float64 {
		e := d.clone()
		e.scale(h)
		return t.retract(e).f
	}
}
