package solver

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/structured"
	"github.com/seed-b18ef778/gcg/solver/view"
)

// For is the method and the improver, nil for none, that suit a problem by what its gauge and loss can do, and a line that says
// why:
//
//	gauge                                             loss with second derivatives      other loss
//	sum of singular values (the trace norm)           GCG and Local                     AtomDescent
//	atoms that span W (ℓp, Schatten-p)                GCG and Proximal                  GCG and Proximal
//	any other, such as ℓ1, groups, one's own          GCG and Corrective                AtomDescent
//
// In place of AtomDescent, which couples no weights, a bound on κ(W) has GCG alone.
func For(p *gcg.Problem) (m Method, im Improver, why string) {
	if structured.Solves(p) {
		return &Structured{}, nil, "structured: the problem has a second penalty, which proximal or primal-dual steps take as it is"
	}
	name, k, curved := p.Gauge.Name(), view.OfGauge(p.Gauge), view.OfLoss(p.Loss).Curved != nil
	switch {
	case k.Spectral && curved:
		return &GCG{OutsideW: true}, &Local{}, "gcg with the local improver: gauge " + name +
			" is a sum of singular values, and Newton steps re-optimise W at its rank"
	case spansMatrix(k):
		return &GCG{}, &Proximal{}, "gcg with the proximal improver: an atom of gauge " + name +
			" spans all of W, which proximal steps move as a matrix"
	case curved:
		return &GCG{}, &Corrective{}, "gcg with the corrective improver: Newton steps re-optimise " +
			"the weights of the atoms of gauge " + name
	case math.IsInf(p.Penalty.Max(), 1):
		return &AtomDescent{}, nil,
			fmt.Sprintf("atom descent: the loss %T has no second derivatives, and searches along single atoms need none", p.Loss)
	}
	return &GCG{}, nil, fmt.Sprintf("gcg without an improver: the loss %T has no second derivatives, "+
		"and the penalty %T couples all weights", p.Loss, p.Penalty)
}

// spansMatrix says that an atom of the gauge has all entries or singular values of W: κ can be evaluated and has a proximity
// operator, and is a sum neither over blocks nor over singular values.
func spansMatrix(k view.GaugeCapabilities) bool {
	return k.Compressor != nil && k.Prox != nil && k.BlockGauge == nil && !k.Spectral
}
