package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// unitPairs refuses atoms of low rank that are no pairs of unit vectors where their weights are read off their columns: for the
// trace norm, and for a gauge that cannot evaluate κ(W).
func (a *admission) unitPairs() error {
	_, tells := a.p.Gauge.(gcg.Compressor)
	if _, spectral := a.p.Gauge.(gcg.SpectralGauge); tells && !spectral {
		return nil
	}
	if u, v := a.polar.Stacked(); u != nil {
		nu, nv := u.ColumnNorms(), v.ColumnNorms()
		for i := range u.K {
			if err := a.unit(i, nu[i]*nv[i], "‖u‖‖v‖, for want of a Compress of its own"); err != nil {
				return err
			}
		}
	}
	for i := range a.polar.Atoms {
		x := &a.polar.Atoms[i]
		if !x.LowRank() {
			continue
		}
		var weight float64
		nu, nv := x.U.ColumnNorms(), x.V.ColumnNorms()
		for c := range x.U.K {
			weight += nu[c] * nv[c]
		}
		if err := a.unit(i, weight, "‖u‖‖v‖, for want of a Compress of its own"); err != nil {
			return err
		}
	}
	return nil
}

// unit refuses an atom whose gauge, computed in the given way, is not 1.
func (a *admission) unit(i int, kappa float64, how string) error {
	if math.Abs(kappa-1) <= longAtom {
		return nil
	}
	return a.errorf("has an atom, its %d., whose gauge is %.6g by %s; it is 1 for every atom", i+1, kappa, how)
}

// closely checks the best atom by all that is known of the gauge: what it attains, and its gauge where that can be evaluated.
func (a *admission) closely() error {
	x := a.best()
	if x == nil {
		return nil
	}
	if err := a.attains(x); err != nil {
		return err
	}
	m, n := a.g.Dims()
	switch k := a.p.Gauge.(type) {
	case gcg.SpectralGauge: // unitPairs has seen to it
	case gcg.Compressor:
		return a.unit(0, gaugeOf(a.p, &gcg.Iterate{M: m, N: n}, *x), "its Compress")
	case gcg.BlockGauge:
		if kappa, ok := blockGauge(k, x, m, n); ok {
			return a.unit(0, kappa, "BlockProxTo for t = 0")
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
// spaces of W were not left out. ⟨a, G⟩ is computed as ⟨A(a), r⟩ where there are predictions: for sparse atoms that costs much
// less.
func (a *admission) attains(x *gcg.Atom) error {
	var is, size float64
	if _, ok := a.p.Operator.(gcg.Squares); ok {
		is = x.Dot(a.g)
	} else {
		z := make([]float64, len(a.s.Z))
		a.p.ApplyAtoms(z, []gcg.Atom{*x}, []float64{1})
		is, size = kernel.Dot(z, a.s.R), gcg.Norm(z)*gcg.Norm(a.s.R)
	}
	said := []float64{a.polar.Values[0]}
	if !a.ask.OutsideW {
		said = append(said, a.polar.Value)
	}
	for _, value := range said {
		if off := math.Abs(value - is); off > attainedOff*math.Max(math.Abs(value), math.Abs(is))+claimRounding*size {
			return a.errorf("says that its first atom attains %.6g, and ⟨A(a), r⟩ is %.6g: the gauge or the operator's "+
				"adjoint is wrong, and conform.Problem finds which", value, is)
		}
	}
	return nil
}

// blockGauge is κ of an atom within one block, and false where it is no such atom.
func blockGauge(k gcg.BlockGauge, x *gcg.Atom, m, n int) (kappa float64, ok bool) {
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
