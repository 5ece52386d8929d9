// Package baseline lists what the papers compare conditional gradient with, each a method of solver.Run in a package of its own,
// on the same clock and with the same certificate.
package baseline

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/baseline/als"
	"github.com/seed-b18ef778/gcg/internal/baseline/am"
	"github.com/seed-b18ef778/gcg/internal/baseline/apg"
	"github.com/seed-b18ef778/gcg/internal/baseline/dhm"
	"github.com/seed-b18ef778/gcg/internal/baseline/ir"
	"github.com/seed-b18ef778/gcg/internal/baseline/js"
	"github.com/seed-b18ef778/gcg/internal/baseline/mmbs"
	"github.com/seed-b18ef778/gcg/internal/baseline/polytope"
	"github.com/seed-b18ef778/gcg/internal/baseline/proxplus"
	"github.com/seed-b18ef778/gcg/solver"
)

// A Rival is a baseline by the word that the papers have for it.
type Rival struct {
	Name, About string
	Ball        bool // it is for κ ≤ ζ
	Polytope    bool // its gauges are those of polytope.Fits, and not the trace norm
	// New is the method, and the improver or nil. What it does not take its Init refuses.
	New func(*gcg.Problem) (solver.Method, solver.Improver)
}

// Rivals are those of problems of one matrix with the trace norm; apg is for any gauge with a proximity operator, away and
// pairwise are for polytopes.
var Rivals = []Rival{
	{"dhm", "([Dudik12] as [Yu17] runs it)", false, false,
		func(*gcg.Problem) (solver.Method, solver.Improver) { return dhm.New() }},
	{"mmbs", "(trust regions on U B Vᵀ)", false, false, alone(func() solver.Method { return &mmbs.Method{} })},
	{"js", "(Jaggi and Sulovský, for κ ≤ ζ)", true, false, alone(func() solver.Method { return &js.Method{} })},
	{"apg", "(accelerated proximal gradient, W as a matrix)", false, false, alone(func() solver.Method { return &apg.Method{} })},
	{"prox++", "(the same on factors)", false, false,
		alone(func() solver.Method { return &proxplus.Method{} })},
	{"ir", "(iterative rescaling)", false, false, alone(func() solver.Method { return &ir.Method{} })},
	{"am", "(alternating minimization)", false, false, alternating},
	{"away", "(away steps on a polytope, for κ ≤ ζ)", true, true, alone(func() solver.Method { return &polytope.Method{} })},
	{"pairwise", "(pairwise steps, likewise)", true, true,
		alone(func() solver.Method { return &polytope.Method{Pairwise: true} })},
}

// alternating is alternating minimization: of squares by regressions, the usual way to do it, and else by steps of gradients.
func alternating(p *gcg.Problem) (solver.Method, solver.Improver) {
	if als.Fits(p) {
		return &als.Method{}, nil
	}
	return &am.Method{}, nil
}

// alone is a method without an improver.
func alone(m func() solver.Method) func(*gcg.Problem) (solver.Method, solver.Improver) {
	return func(*gcg.Problem) (solver.Method, solver.Improver) { return m(), nil }
}

// Named is the rival of a word.
func Named(name string) (r Rival, is bool) {
	for _, r := range Rivals {
		if r.Name == name {
			return r, true
		}
	}
	return Rival{}, false
}
