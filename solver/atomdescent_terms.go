package solver

import (
	"github.com/seed-b18ef778/gcg"
)

// load takes the atoms of a state that someone else has made or changed.
func (a *AtomDescent) load(p *gcg.Problem, s *gcg.State) {
	if a.of != (known{s.W, s.Loss, s.Rho}) {
		a.terms = split(p, s)
		a.remember(s)
	}
}

func (a *AtomDescent) remember(s *gcg.State) { a.of = known{s.W, s.Loss, s.Rho} }
