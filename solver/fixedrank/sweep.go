package fixedrank

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
)

// sweepAbove is the relative gap above which sweeps of ridge regressions precede the Newton steps. Far from the solution a
// sweep, which is exact in each factor, gains more than a Newton step, whose model holds only nearby.
const sweepAbove = 0.005

// A sweeper lowers the local objective of [Yu17 Algorithm 3],
//
//	½‖y - A(U Vᵀ)‖² + λ/2 (‖U‖² + ‖V‖²),
//
// by ridge regressions in one factor at a time. At balanced factors, UᵀU = VᵀV, that is F. It works in float32, in units in
// which y is about 1.
type sweeper struct {
	scale         float64            // of the loss
	rows, columns view.RidgeOperator // the operator, and its transpose
	target        []float64
	y, yCols      []float32
	unit          float64 // of y; a power of 4, so that the factors' unit is a power of 2
	ridge         float64 // of the λ at hand
}

// newSweeper is that of a problem. Its rows are nil where the problem has no ridge form: the loss is not the plain squared one,
// or there is an intercept.
func newSweeper(p *view.Problem) *sweeper {
	if p.Ridge == nil {
		return &sweeper{}
	}
	y := p.LeastSquares.Target()
	w := &sweeper{scale: p.LeastSquares.Scale(), rows: p.Ridge, target: y, y: memory.Make[float32](len(y)), unit: unitOf(y)}
	par.Pieces(len(y), func(lo, hi int) {
		part := memory.Borrow[float64](hi - lo)
		defer memory.Repay(part)
		copy(part, y[lo:hi])
		kernel.Scale(1/w.unit, part)
		kernel.Convert(w.y[lo:hi], part)
	})
	w.columns, w.yCols = view.Transposed(p.Ridge, w.y)
	return w
}

// setRidge takes λ of h = λx, in the sweeper's units.
func (w *sweeper) setRidge(h gcg.Penalty) {
	w.ridge = h.Deriv(0) / w.scale / w.unit
}

// unitOf is the power of 4 nearest the root mean square of y.
func unitOf(y []float64) float64 {
	rms := math.Sqrt(kernel.SumSq(y) / float64(len(y)))
	if !(rms > 0) || math.IsInf(rms, 0) {
		return 1
	}
	return math.Ldexp(1, 2*int(math.Round(math.Log2(rms)/2)))
}

// sweepOnce is one sweep. It returns the objective before it and what it gained, in the sweeper's units.
func (w *sweeper) sweepOnce(x factors) (f, gain float64) {
	norms := w.ridge / 2 * x.dot(x)
	square, first := w.columns.RidgeRows(x.v, x.u, w.yCols, w.ridge, ridgeSteps)
	_, second := w.rows.RidgeRows(x.u, x.v, w.y, w.ridge, ridgeSteps)
	return square/2 + norms, first + second
}

// These say when sweeps end, see partToGain.
const (
	// sweepGain is the part of all that was gained, or of what there is to gain, that one more sweep must gain. Measured from
	// 0.0003 to 0.05; more leaves work to the Newton steps, which cost more.
	sweepGain = 0.001
	// growthGain takes its place while many atoms come in at a time, as the next ones gain more than the last sweeps would, and
	// where none come in, as Newton steps do.
	growthGain = 0.01
	// wideFrom is the rank from which on a sweep costs more than the polar that gives the next atoms, in proportion to the rank.
	// Where more atoms are likely, as a step brought as many as it may or few beside the rank, it has to gain as much more: at a
	// rank of 300, of MovieLens-1M at a small λ, half of the time went to sweeps that gained less than the first ones with the
	// next atoms.
	wideFrom = 32
	// sweepLimit bounds the sweeps of one call.
	sweepLimit = 20
	// ridgeSteps are the conjugate gradient steps on a row.
	ridgeSteps = 2
)

// enoughPart says when W is taken to have all directions that belong: when its core drops one in enoughPart of them, or more.
// Where it drops one or two of sixteen, more are often to come, which Newton steps find one by one: on MovieLens-1M at λ = 40,
// of rank 21, in six times the time.
const enoughPart = 4

// sweepWhileGood takes sweeps until one gains little beside all before it, or beside what F is expected to fall by: in a round
// that added little all gains are little, and sweeps would go on for what no certificate shows. (Without that the weighted
// trace norm takes 1.8 times as long.) It reports whether the problem allows sweeps.
func (l *Local) sweepWhileGood(ctx context.Context, p *view.Problem, s *gcg.State, expected float64) bool {
	if !view.IsLinear(p.Penalty) {
		return false
	}
	end := ending{part: partToGain(p, s), expected: expected, limit: sweepLimit}
	if p.Squares != nil {
		sweepSquares(ctx, p, s, end)
		return true
	}
	if l.sweeps == nil {
		l.sweeps = newSweeper(p)
	}
	w := l.sweeps
	if w.rows == nil {
		return false
	}
	w.setRidge(p.Penalty)
	if s.Added == s.W.Rank() {
		end.solveCore = func(x factors) (factors, bool) {
			y, gone := w.solveCore(x)
			if enoughPart*gone.K >= x.u.K {
				l.gone, s.Added = gone, 0 // nor are there likely to be more that belong
			}
			return y, s.Added == 0
		}
	}
	runSweeps(ctx, p, s, w.unit, end, w.sweepOnce)
	return true
}

// partToGain is the part of all that sweeps gained that one more must gain.
func partToGain(p *view.Problem, s *gcg.State) float64 {
	rank := s.W.Rank()
	many := rankGrowing(s.Added, rank)
	switch {
	case s.Added > 0 && rank > wideFrom && (!many || s.Added >= p.MostAtoms()):
		return growthGain * float64(rank) / wideFrom
	case s.Added == 0 || many:
		return growthGain
	}
	return sweepGain
}

// sweepSquares takes sweeps on data that keeps its observations to itself.
func sweepSquares(ctx context.Context, p *view.Problem, s *gcg.State, end ending) {
	q := p.Squares
	ridge := p.Penalty.Deriv(0) / q.Scale()
	runSweeps(ctx, p, s, 1, end, func(x factors) (f, gain float64) {
		norms := ridge / 2 * x.dot(x)
		square, first := q.RidgeColumns(x.v, x.u, ridge, ridgeSteps)
		_, second := q.RidgeRows(x.u, x.v, ridge, ridgeSteps)
		return square/2 + norms, first + second
	})
}

// runSweeps repeats a sweep over both factors until the ending, in units of which one is unit in W, and brings the state to
// the new W. W stays where rounding to float32 cost more than the sweeps gained.
func runSweeps(ctx context.Context, p *view.Problem, s *gcg.State, unit float64, end ending,
	sweep func(x factors) (f, gain float64)) {
	old, start := *s.W, s.Objective(p.Problem)
	x := newFactors(s.W.U, s.W.V, 1/math.Sqrt(unit))
	end.expected /= unit * unit * p.LeastSquares.Scale()
	x = extrapolated(ctx, x, end, sweep)
	u, v := x.wide(math.Sqrt(unit))
	x.repay()
	s.W.U, s.W.V = u, v
	s.Rho = p.GaugeOf(s.W)
	factor.RepayFormer(u, v, s.W)
	s.Refresh(p.Problem)
	if !(s.Objective(p.Problem) <= start) {
		*s.W = old
		s.Rho = p.GaugeOf(s.W)
		s.Refresh(p.Problem)
	}
}
