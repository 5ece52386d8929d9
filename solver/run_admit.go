package solver

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// An admission is the close check of the first polar of a run, by all that is known of the gauge and the operator.
type admission struct {
	p     *view.Problem
	s     *gcg.State
	g     gcg.Map // of the polar
	polar *gcg.Polar
	ask   gcg.Ask
}

// longAtom is how far the gauge of an atom may be from 1, and the part of ρ that κ(W) may exceed it by, for rounding.
const longAtom = 1e-6

const (
	// attainedOff is how far ⟨a, G⟩ may be from what the polar says of it, as part of that: room for gradients in float32.
	attainedOff = 1e-3
	// attainedRounding is the part of ‖A(a)‖‖r‖ that ⟨a, G⟩ may be off by where its terms cancel.
	attainedRounding = 1e-9
)

// errorf is an error that names the gauge.
func (a *admission) errorf(format string, args ...any) error {
	return &gcg.PolarError{Gauge: a.p.Gauge.Name(), Reason: fmt.Sprintf(format, args...)}
}

// unit refuses an atom whose gauge, computed in the given way, is not 1.
func (a *admission) unit(kappa float64, how string) error {
	if math.Abs(kappa-1) <= longAtom {
		return nil
	}
	return a.errorf("has a first atom whose gauge is %.6g by %s; it is 1 for every atom", kappa, how)
}

// check is for the best atom: what it attains, and its gauge where that can be evaluated.
func (a *admission) check() error {
	x := a.best()
	if x == nil {
		return nil
	}
	if err := a.attains(x); err != nil {
		return err
	}
	m, n := a.g.Dims()
	switch k := a.p; {
	case k.Spectral: // the oracle has seen to it
	case k.Compressor != nil:
		return a.unit(a.p.GaugeOfAtom(*x, m, n), "its Compress")
	case k.BlockGauge != nil:
		if kappa, ok := gaugeOfBlock(k.BlockGauge, x, m, n); ok {
			return a.unit(kappa, "BlockProxTo for t = 0")
		}
	}
	return nil
}

// best is the best atom, or nil where there is none.
func (a *admission) best() *gcg.Atom {
	switch u, v := a.polar.Stacked(); {
	case a.polar.Count() == 0:
		return nil
	case u != nil:
		left, right := make([]float64, u.Rows), make([]float64, v.Rows)
		u.ColumnTo(left, 0)
		v.ColumnTo(right, 0)
		x := gcg.RankOne(left, right)
		return &x
	default:
		return &a.polar.Atoms[0]
	}
}

// attains refuses a polar whose best atom attains something else than it says, or less than its value although the atoms of the
// spaces of W were not left out.
func (a *admission) attains(x *gcg.Atom) error {
	if a.ask.OutsideW && a.polar.Values[0] <= attainedRounding*a.polar.UpperBound() {
		return nil // nothing is outside the spaces of W, and the atom is rounding
	}
	got := a.attained(x)
	said := []float64{a.polar.Values[0]}
	if !a.ask.OutsideW {
		said = append(said, a.polar.Value)
	}
	for _, value := range said {
		off := math.Abs(value - got)
		if off <= attainedOff*math.Max(math.Abs(value), math.Abs(got)) {
			continue
		}
		if size := a.overObservations(x, func(z, r float64) float64 { return math.Abs(z * r) }); off > attainedRounding*size {
			return a.errorf("says that its first atom attains %.6g, and ⟨A(a), r⟩ is %.6g: the gauge or the operator's "+
				"adjoint is wrong, and conform.Problem finds which", value, got)
		}
	}
	return nil
}

// attained is ⟨a, G⟩, computed as ⟨A(a), r⟩ where there are predictions: for sparse atoms that costs much less.
func (a *admission) attained(x *gcg.Atom) float64 {
	if a.p.Squares != nil {
		return x.Dot(a.g)
	}
	return a.overObservations(x, func(z, r float64) float64 { return z * r })
}

// overObservations is the sum of f over the predictions A(a) and the residual, without a vector of all predictions.
func (a *admission) overObservations(x *gcg.Atom, f func(z, r float64) float64) float64 {
	return a.p.Sum(func(lo, hi int) (sum float64) {
		z := make([]float64, hi-lo)
		a.p.Operator.AtomTo(z, lo, x)
		for i, r := range a.s.R[lo:hi] {
			sum += f(z[i], r)
		}
		return sum
	})
}

// gaugeOfBlock is κ of an atom within one block, and false where it is no such atom.
func gaugeOfBlock(k gcg.BlockGauge, x *gcg.Atom, m, n int) (kappa float64, ok bool) {
	if x.LowRank() || x.Key == 0 {
		return 0, false
	}
	rows, cols := k.Block(x.Key, m, n)
	at := make(map[[2]int32]int, len(rows))
	for e := range rows {
		at[[2]int32{rows[e], cols[e]}] = e
	}
	y := make([]float64, len(rows))
	for e, v := range x.Vals {
		b, ok := at[[2]int32{x.Rows[e], x.Cols[e]}]
		if !ok {
			return 0, false
		}
		y[b] += v
	}
	return k.BlockProxTo(y, y, x.Key, 0), true
}
