package support

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// load takes the atoms of the state, unless they are those that this AtomDescent left there.
func (a *AtomDescent) load(p *view.Problem, s *gcg.State) {
	if a.of != (known{s.W, s.Loss, s.Rho}) {
		a.terms = split(p, s)
		a.remember(s)
	}
}

// remember marks the state as one whose atoms are known.
func (a *AtomDescent) remember(s *gcg.State) { a.of = known{s.W, s.Loss, s.Rho} }
