package cli

import (
	"slices"
	"strings"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/baseline"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/coordinate"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
	"github.com/seed-b18ef778/gcg/solver/sliding"
	"github.com/seed-b18ef778/gcg/solver/support"
	"github.com/seed-b18ef778/gcg/solver/views"
)

// A Method is a word of --solver.
type Method struct {
	Name, About string
	// New is the solver with its improver, nil for none.
	New func(f *RunFlags, p *gcg.Problem) (solver.Method, solver.Improver)
}

// methods are for every PROBLEM; Init may add to them.
var methods = []Method{
	{"gcg", "", (*RunFlags).stepped},
	{"atomdescent", "[Dudik12] (r1d is its name for the trace norm)", (*RunFlags).descending},
	{"r1d", "", (*RunFlags).descending},
	{"contr1d", "with continuation over λ", (*RunFlags).descending},
	{"sliding", "[Cheung15] (several polars for each gradient)", (*RunFlags).sliding},
	{"sliding-refined", "(--inner-steps of them)", (*RunFlags).sliding},
}

// Rivals are the baselines of the papers for problems of one matrix with the trace norm.
func Rivals() []Method { return rivals(false) }

// VertexRivals are those for gauges whose atoms are the vertices of a polytope.
func VertexRivals() []Method { return rivals(true) }

func rivals(polytope bool) (all []Method) {
	for _, r := range baseline.Rivals {
		if r.Polytope != polytope {
			continue
		}
		make := func(_ *RunFlags, p *gcg.Problem) (solver.Method, solver.Improver) { return r.New(p) }
		about := strings.Replace(r.About, "κ ≤ ζ", "--constrain", 1)
		all = append(all, Method{r.Name, about, make})
	}
	return all
}

// checkRival refuses what a baseline is not for.
func (f *RunFlags) checkRival() error {
	r, is := baseline.Named(f.Solver)
	switch {
	case !is || f.Problem == "cur" || f.Solver == "dhm":
		return nil
	case r.Ball && f.Constrain == 0:
		return Usagef("--solver %s: is for a bound on the gauge; give --constrain ζ", f.Solver)
	case !r.Ball && (f.Constrain > 0 || !f.linear()):
		return Usagef("--solver %s: is for λ times the gauge, not for --constrain or --penalty square", f.Solver)
	case f.Intercept && f.Solver != "apg":
		return Usagef("--solver %s: fits no --intercept", f.Solver)
	case r.Polytope && !Contains("l1 positive-l1 simplex group-inf", strings.SplitN(f.Gauge, ":", 2)[0]):
		return Usagef("--solver %s: is for --gauge l1, positive-l1, simplex or group-inf, whose atoms are vertices", f.Solver)
	case !r.Polytope && f.Gauge != "trace" && f.Solver != "apg":
		return Usagef("--solver %s: is for --gauge trace", f.Solver)
	}
	return nil
}

// solverWords are the words of --solver.
func (f *RunFlags) solverWords() string {
	names := make([]string, len(f.methods))
	for i, m := range f.methods {
		names[i] = m.Name
	}
	return strings.Join(names, " ")
}

// solverUsage is the help of --solver.
func (f *RunFlags) solverUsage() string {
	var about []string
	for _, m := range f.methods {
		if m.Name != "r1d" { // which atomdescent names
			about = append(about, strings.TrimSpace(m.Name+" "+m.About))
		}
	}
	return strings.Join(about, ", ")
}

// describeSolvers puts the words of --solver into its help, and where gcg compare reads them.
func (f *RunFlags) describeSolvers() {
	f.Cmd.Flags().Lookup("solver").Usage = f.solverUsage()
	SolverWords(f.Cmd.Flags(), strings.Fields(f.solverWords()))
}

// MethodOf is the solver with its improver.
func (f *RunFlags) MethodOf(p *gcg.Problem) (solver.Method, solver.Improver) {
	i := slices.IndexFunc(f.methods, func(m Method) bool { return m.Name == f.Solver })
	return f.methods[i].New(f, p)
}

// descends says that the solver is atom descent, under any of its names.
func (f *RunFlags) descends() bool { return Contains("atomdescent r1d contr1d", f.Solver) }

// descending is atom descent. It re-optimises the weights of its atoms itself.
func (f *RunFlags) descending(p *gcg.Problem) (solver.Method, solver.Improver) {
	_, im := f.gcgOf(p)
	if f.Improve != "local" || !f.Cmd.Flags().Changed("improve") {
		im = nil
	}
	return &support.AtomDescent{Atoms: f.Atoms}, im
}

// sliding is gradient sliding, with an improver where one is named.
func (f *RunFlags) sliding(p *gcg.Problem) (solver.Method, solver.Improver) {
	m := &sliding.Method{Refined: f.Solver == "sliding-refined", Steps: f.innerSteps, Printed: f.printed}
	if !f.Cmd.Flags().Changed("improve") || f.Improve == "auto" {
		return m, nil
	}
	_, im := f.gcgOf(p)
	return m, im
}

// checkSliding refuses flags of gradient sliding that do not belong together.
func (f *RunFlags) checkSliding() error {
	if f.printed && f.Solver == "sliding-refined" && f.innerSteps == 1 {
		return Usagef("--inner-steps 1: --as-printed takes at least 2, as the weights of [Cheung15 eq 37] leave the start only " +
			"with more than one")
	}
	return nil
}

// stepped is generalized conditional gradient with the step rule of --step.
func (f *RunFlags) stepped(p *gcg.Problem) (solver.Method, solver.Improver) {
	if m, ok := f.suited(p); ok {
		f.Solver = Coordinate.Name
		return m, nil
	}
	g, im := f.gcgOf(p)
	rules := map[string]conditional.Rule{"line-search": conditional.LineSearch, "open-loop": conditional.OpenLoop,
		"open-loop-1": conditional.OpenLoop1, "constant": conditional.ConstantStep, "quadratic-bound": conditional.QuadraticBound}
	g.Rule, g.Atoms, g.Horizon, g.MaxRank = rules[f.Step], f.Atoms, max(f.MaxIter, 1), f.MaxRank
	return g, im
}

// Coordinate is coordinate descent, which a problem that it suits has by default.
var Coordinate = Method{"coordinate", "(ℓ1 and groups)",
	func(*RunFlags, *gcg.Problem) (solver.Method, solver.Improver) {
		return &coordinate.Descent{}, nil
	}}

// suited is coordinate descent where that suits the problem, and nothing is asked for that only gcg has.
func (f *RunFlags) suited(p *gcg.Problem) (m *coordinate.Descent, ok bool) {
	for _, flag := range []string{"solver", "improve", "step", "atoms", "max-rank"} {
		if f.Cmd.Flags().Changed(flag) {
			return nil, false
		}
	}
	of, _, _ := solver.For(p)
	m, ok = of.(*coordinate.Descent)
	return m, ok
}

// gcgOf is GCG with the improver that --improve names: auto is that of solver.For.
func (f *RunFlags) gcgOf(p *gcg.Problem) (*conditional.GCG, solver.Improver) {
	switch f.Improve {
	case "local":
		if of := view.OfGauge(p.Gauge); of.Factored != nil && !of.Spectral {
			return &conditional.GCG{}, &fixedrank.FactorDescent{}
		}
		return &conditional.GCG{OutsideW: true}, &fixedrank.Local{}
	case "corrective":
		return &conditional.GCG{}, &solver.Corrective{}
	case "proximal":
		return &conditional.GCG{}, &solver.Proximal{}
	case "none":
		return &conditional.GCG{}, nil
	}
	m, im, _ := solver.For(p)
	if g, ok := m.(*conditional.GCG); ok {
		return g, im
	}
	if view.OfGauge(p.Gauge).Balanced != nil {
		return &conditional.GCG{}, &views.Dictionary{}
	}
	if _, ok := m.(*coordinate.Descent); ok {
		return &conditional.GCG{}, &solver.Corrective{}
	}
	return &conditional.GCG{}, nil // --solver gcg is asked for
}

// improverFor is the name of the improver for a gauge. The problem is not there yet: squares stand for its loss, as every loss
// of the command has second derivatives.
func (f *RunFlags) improverFor(k gcg.Gauge) string {
	if _, im := f.gcgOf(&gcg.Problem{Gauge: k, Loss: &loss.Squared{}}); im != nil {
		return im.Name()
	}
	return "none"
}

// CheckImprover refuses one that is not for the gauge.
func (f *RunFlags) CheckImprover(k gcg.Gauge) error {
	can := view.OfGauge(k)
	switch improver := f.improverFor(k); {
	case improver == "local" && !can.Spectral:
		return Usagef("--improve local works on singular values or factors, of which --gauge %s has neither; take corrective or none",
			f.Gauge)
	case improver == "factors" && (f.Constrain > 0 || !f.linear()):
		return Usagef("--improve local: under --gauge %s it is for λ times the gauge, not for --constrain or --penalty square", f.Gauge)
	case improver == "proximal" && (can.Prox == nil || can.BlockGauge != nil && can.Splitter == nil):
		return Usagef("--improve proximal is for gauges of W as a whole, such as trace, simplex, lp:p and schatten:p; for --gauge "+
			"%s take corrective or none", f.Gauge)
	case improver == "proximal" && f.MaxRank > 0:
		return Usagef("--max-rank: proximal steps keep W at no rank; the trace norm's --improve local does")
	}
	return nil
}
