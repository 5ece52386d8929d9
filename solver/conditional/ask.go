package conditional

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// Ask wants as many atoms as a step can use, which are more as the rank grows. Where the last step lowered nothing although
// the gap is wide, atoms may come from within the spaces of W too.
func (g *Method) Ask(problem *gcg.Problem, s *gcg.State) gcg.Ask {
	p := view.Of(problem)
	count := g.Atoms
	if count == 0 {
		count = 1
		if p.BlockGauge != nil {
			count = max(32, len(s.W.Terms))
		} else if p.Dictionary != nil && s.Improved {
			count = columnsAtOnce
		} else if g.OutsideW {
			count = min(max(leastAtoms(p), growth(p)*s.W.Rank(), quarter(p)), p.MostAtoms())
		}
	}
	f := s.Objective(p.Problem)
	g.gain = g.last - f
	g.stuck, g.last = g.OutsideW && s.Iter > 0 && f >= g.last-view.Rounding*math.Abs(f) && s.Cert.Relative > stuckAbove, f
	right := min(s.W.Rank()/4, view.MaxOutside)
	if s.W.Rank() < outsideFrom {
		right = 0
	}
	return gcg.Ask{Count: count, Above: view.Lambda(p.Problem, s), OutsideW: g.OutsideW && !g.stuck,
		Spectral: gcg.SpectralAsk{Right: right, Stacked: g.Rule == LineSearch}}
}

// columnsAtOnce are the atoms that W gets in a step where the improver moves them all.
const columnsAtOnce = 24

// outsideFrom is the rank from which on pairs outside the spaces of W are asked for. Below it products with blocks cost more
// than they save.
const outsideFrom = 24

// growth is how many times its own rank W may grow by in a step. Work of the improver at far too low a rank is lost; so is
// work on atoms that turn out to be too many, which weighs more where data are so large that no predictions are kept.
func growth(p *view.Problem) int {
	if p.Squares != nil && !p.FreeDual() {
		return 1
	}
	return 4
}

// leastAtoms is how many atoms are asked for while the rank is low: half of the most where a gap closes while some are missing.
func leastAtoms(p *view.Problem) int {
	if p.FreeDual() {
		return p.MostAtoms() / 2
	}
	return 16
}

// Limited reports that W has come to MaxRank, which keeps out atoms that would close the gap, and that the last step gained
// hardly anything beside the tolerance.
func (g *Method) Limited(p *gcg.Problem, s *gcg.State) bool {
	return g.MaxRank > 0 && s.W.Rank() >= g.MaxRank && s.Added == 0 && s.Polar.Count() > 0 &&
		g.gain < limitedGain*s.Tol*math.Abs(s.Objective(p))
}

// limitedGain is the part of the tolerance that a step at MaxRank must gain to be worth another.
const limitedGain = 0.01

// quarter is a quarter of all directions that W can have where the loss is not quadratic, and 0 else. The Newton steps of
// Local then take about as many products for many directions as for few, and each round costs several passes; sweeps prefer
// few.
func quarter(p *view.Problem) int {
	if p.Quadratic() {
		return 0
	}
	m, n, _ := p.Operator.Dims()
	return min(m, n) / 4
}

// stuckAbove is the gap above which an improver that lowers nothing has not come to rounding but is stuck.
const stuckAbove = 1e-7
