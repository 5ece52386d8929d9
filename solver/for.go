package solver

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge/rowscolumns"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/coordinate"
	"github.com/seed-b18ef778/gcg/solver/cur"
	"github.com/seed-b18ef778/gcg/solver/dense"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
	"github.com/seed-b18ef778/gcg/solver/structured"
	"github.com/seed-b18ef778/gcg/solver/support"
	"github.com/seed-b18ef778/gcg/solver/views"
)

// For is the method and the improver, nil for none, that suit a problem by what its gauge and loss can do, and a line that says
// why:
//
//	gauge                                             loss with second derivatives      other loss
//	sum of singular values (the trace norm), λκ       GCG and Local                     GCG and FactorDescent
//	norms of both factors, λκ                         GCG and Corrective                GCG and FactorDescent
//	atoms that span W (ℓp, Schatten-p)                GCG and Proximal                  GCG and Proximal
//	PSD cone, W of at most 256²                       GCG and Proximal                  as any other
//	simplex, no more entries than observations        GCG and Proximal                  as any other
//	rows-columns, of a sandwich with squares          WorkingSet                        -
//	rows-columns, W of few entries                    GCG and Corrective                GCG and Proximal
//	several views, every entry an observation         Splitting                         Splitting
//	several views otherwise, and labels, λκ           GCG and Dictionary                GCG and Tighten
//	several views with another penalty                GCG and Tighten                   GCG and Tighten
//	blocks of W that move alone, λκ                   coordinate.Descent                AtomDescent
//	any other, such as ℓ1, groups, one's own          GCG and Corrective                AtomDescent
//
// In place of AtomDescent, which couples no weights, a bound on κ(W) has GCG alone. The types are conditional.GCG,
// fixedrank.Local, fixedrank.FactorDescent, support.AtomDescent, cur.WorkingSet, views.Splitting, views.Dictionary and
// dense.Tighten, in folders of this package.
func For(p *gcg.Problem) (m Method, im Improver, why string) {
	if structured.Solves(p) {
		return &structured.Method{}, nil,
			"structured: the problem has a second penalty, which proximal or primal-dual steps take as it is"
	}
	name, k, curved := p.Gauge.Name(), view.OfGauge(p.Gauge), view.OfLoss(p.Loss).Curved != nil
	switch {
	case cur.Fits(p) == nil:
		return &cur.WorkingSet{}, nil, "the working set: rows of W that are 0 are left out, and ADMM with exact quadratic " +
			"steps solves for the others under gauge " + name
	case k.Spectral && curved:
		return &conditional.GCG{OutsideW: true}, &fixedrank.Local{}, "gcg with the local improver: gauge " + name +
			" is a sum of singular values, and Newton steps re-optimise W at its rank"
	case k.Dictionary != nil || k.Balanced != nil:
		return forViews(p)
	case k.Factored != nil && !curved && view.IsLinear(p.Penalty):
		return &conditional.GCG{}, &fixedrank.FactorDescent{}, fmt.Sprintf("gcg with descent on both factors: the loss %T has no "+
			"second derivatives, and gradient steps re-optimise the factors of W, whose norms gauge %s takes", p.Loss, name)
	case curved && smallSigns(p):
		return &conditional.GCG{}, &Corrective{}, "gcg with the corrective improver: W is small, the atoms of gauge " + name +
			" are blocks of signs, and Newton steps re-optimise their weights, however differently features are scaled"
	case spansMatrix(k):
		return &conditional.GCG{}, &Proximal{}, "gcg with the proximal improver: an atom of gauge " + name +
			" spans all of W, which proximal steps move as a matrix"
	case curved && splitsMatrix(p, k):
		return &conditional.GCG{}, &Proximal{}, "gcg with the proximal improver: the proximity operator of gauge " + name +
			" finds the atoms of a small W together"
	case p.Operator != nil && coordinate.Check(p) == nil && separates(p, k.BlockGauge):
		return &coordinate.Descent{}, nil, "coordinate descent on a working set: gauge " + name + " is a sum over blocks of W, " +
			"each of one column or of a row whose outputs have the same samples"
	case curved:
		return &conditional.GCG{}, &Corrective{}, "gcg with the corrective improver: Newton steps re-optimise " +
			"the weights of the atoms of gauge " + name
	case math.IsInf(p.Penalty.Max(), 1):
		return &support.AtomDescent{}, nil,
			fmt.Sprintf("atom descent: the loss %T has no second derivatives, and searches along single atoms need none", p.Loss)
	}
	return &conditional.GCG{}, nil, fmt.Sprintf("gcg without an improver: the loss %T has no second derivatives, "+
		"and the penalty %T couples all weights", p.Loss, p.Penalty)
}

// forViews is For a gauge of several views.
func forViews(p *gcg.Problem) (m Method, im Improver, why string) {
	name := p.Gauge.Name()
	splits := view.OfGauge(p.Gauge).Balanced != nil && view.OfOperator(p.Operator).Identity && !view.HoldsGauge(p.Penalty)
	if splits && !p.Intercept && gcg.Separable(p.Loss) {
		return &views.Splitting{}, nil, "splitting: gauge " + name +
			" is the largest trace norm of W with weighed views, and the loss a sum over the entries of W"
	}
	if views.Improves(p) {
		return &conditional.GCG{}, &views.Dictionary{},
			"gcg with the dictionary improver: Newton steps re-optimise both factors of W, whose columns " +
				"are atoms of gauge " + name
	}
	return &conditional.GCG{}, &dense.Tighten{}, "gcg with the tightening improver: gauge " + name +
		" evaluates κ(W), which the weights of atoms only bound"
}

// fewSigns are the entries of a W up to which blocks of signs stay few enough for Newton steps on all of their weights. Proximal
// steps are faster on larger ones, and open after seconds where features differ by factors of thousands.
const fewSigns = 128

// smallSigns says that atoms are blocks of signs, and that W is small.
func smallSigns(p *gcg.Problem) bool {
	if _, ok := p.Gauge.(rowscolumns.Gauge); !ok || p.Operator == nil {
		return false
	}
	m, n, _ := p.Operator.Dims()
	return m <= fewSigns/n
}

// separates says that a block of W is a minimisation of its own: W has one column, or blocks are single entries, or they are in
// rows of W whose outputs have the same samples, so that the loss curves alike along all entries of a row. Where they curve
// unlike, as those of tasks or at the bends of a loss, Newton steps that couple all weights are faster at small λ; so they are
// for rows of classes, which a loss couples, unless there are more features than samples.
func separates(p *gcg.Problem, k gcg.BlockGauge) bool {
	p, _ = view.Unridged(p) // a ridge curves alike along all entries
	m, n, nobs := p.Operator.Dims()
	rows, _ := k.Block(1, m, n)
	switch {
	case n == 1:
		return true
	case view.OfLoss(p.Loss).Bent != nil:
		return false
	case len(rows) == 1:
		return true
	case !gcg.Separable(p.Loss) && m <= nobs/n:
		return false
	}
	for _, i := range rows {
		if i != rows[0] {
			return false
		}
	}
	return view.Of(p).Columns.Columns([]int32{0}, []int32{0})[0].Stride == n
}

// spansMatrix says that an atom of the gauge has all entries or singular values of W: κ can be evaluated and has a proximity
// operator, and is a sum neither over blocks nor over singular values.
func spansMatrix(k view.GaugeCapabilities) bool {
	return k.Compressor != nil && k.Prox != nil && k.BlockGauge == nil && !k.Spectral
}

// splitEntries are those of a W that is decomposed whole in about the time of a polar, which is itself whole up to 256 rows.
const splitEntries = 256 * 256

// splitsMatrix says that the gauge takes a small W apart into atoms, which are no blocks of their own. So it does with blocks
// that are held together, as on the simplex, where W has no more entries than there are observations: Newton steps that couple
// all weights end slowly where W fits the data, and are quicker where most of W is 0 for want of data. A problem that has no
// operator yet has no size.
func splitsMatrix(p *gcg.Problem, k view.GaugeCapabilities) bool {
	if k.Prox == nil || k.Splitter == nil || k.Spectral || p.Operator == nil {
		return false
	}
	m, n, nobs := p.Operator.Dims()
	if k.BlockGauge != nil {
		return m*n <= nobs
	}
	return m*n <= splitEntries
}
