package task

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
)

// An OtherModelError is of a model to start from that has other features or outputs than the data, which What says.
type OtherModelError struct{ What, Why string }

func (e *OtherModelError) Error() string {
	return e.Why + "; a start is a model of the same " + e.What
}

// Start is the W of a model with the same features and outputs on the problem of Whole, f, whose penalty is set, in atoms of
// the gauge, whichever it was fitted with. It is nil where nothing of W is left that is a start. An error is for a model of
// other features or outputs.
func (l *PreparedLinear) Start(f *selection.Fitting, m *model.Model) (selection.Start, error) {
	rows, cols, err := l.places(m)
	if err != nil {
		return selection.Start{}, err
	}
	at := selection.Start{W: inAtoms(l.task.Gauge, m, rows, cols)}
	if m.ColOffset != nil {
		at.Intercept = make([]float64, len(cols))
		for j, x := range m.ColOffset {
			at.Intercept[cols[j]] = x
		}
	}
	// which W = 0 is no start for, nor what a gauge without some of its entries leaves
	if h, ok := f.Problem.Penalty.(gauge.Equal); ok {
		if rho := at.W.Weights(); rho > 0 {
			at.W.Scale(h.Zeta / rho)
		} else {
			at.W = nil
		}
	}
	return at, nil
}

// matches is an error where a model is of other features or outputs.
func (l *PreparedLinear) matches(m *model.Model) error {
	_, _, err := l.places(m)
	return err
}

// places are where the data has the features and the outputs of a model.
func (l *PreparedLinear) places(m *model.Model) (rows, cols []int32, err error) {
	p, n := l.schema.Width, len(l.schema.Outputs)
	if m.Rows != p || m.Cols != n {
		return nil, nil, &OtherModelError{"features and outputs",
			fmt.Sprintf("has %d features and %d outputs (%s); the data has %d and %d", m.Rows, m.Cols, m.Info.Data, p, n)}
	}
	if rows, err = placesOf("feature", m.RowIDs, l.schema.Features, p); err != nil {
		return nil, nil, err
	}
	cols, err = placesOf("output", m.ColIDs, l.schema.Outputs, n)
	return rows, cols, err
}

// inAtoms is W of a model by the places of its rows and columns, in atoms of a gauge.
func inAtoms(k gcg.Gauge, m *model.Model, rows, cols []int32) *gcg.Iterate {
	w := &gcg.Iterate{M: len(rows), N: len(cols)}
	e, u, v := placed(m, rows, cols)
	switch {
	case selection.Sparse(k) && e == nil:
		w.Terms = sparseTerms(k, product(u, v), w.M, w.N)
	case selection.Sparse(k):
		w.Terms = sparseTerms(k, e, w.M, w.N)
	case e != nil:
		w.U, w.V = decomposed(e, w.M, w.N)
	default:
		w.U, w.V = u, v
	}
	return w
}

// placesOf is where the data has each of n features or outputs of the model, which their names tell where both have some.
func placesOf(what string, model, data []string, n int) ([]int32, error) {
	places := make([]int32, n)
	at := map[string]int32{}
	for i := range places {
		places[i] = int32(i)
		if i < len(data) {
			at[data[i]] = int32(i)
		}
	}
	if len(model) == 0 || len(data) == 0 || slices.Equal(model, data) {
		return places, nil
	}
	for i, name := range model {
		to, ok := at[name]
		if !ok {
			return nil, &OtherModelError{what + "s", fmt.Sprintf("its %s %q is not among those of the data", what, name)}
		}
		places[i] = to
	}
	return places, nil
}

// placed is W of a model by the places of its rows and columns: its entries, or its factors, whose columns share the singular
// values.
func placed(m *model.Model, rows, cols []int32) (e *model.Entries, u, v *gcg.Factor) {
	if m.Entries != nil {
		e = &model.Entries{Values: m.Entries.Values}
		for t := range e.Values {
			e.Rows, e.Cols = append(e.Rows, rows[m.Entries.Rows[t]]), append(e.Cols, cols[m.Entries.Cols[t]])
		}
		return e, nil, nil
	}
	side := func(x []float64, places []int32) *gcg.Factor {
		f := gcg.NewFactor(len(places), m.Rank)
		for i, to := range places {
			copy(f.Row(int(to)), x[i*m.Rank:(i+1)*m.Rank])
		}
		return f
	}
	u, v = side(m.U, rows), side(m.V, cols)
	scaleByRoots(m.S, u, v)
	return nil, u, v
}

// product is the entries of U Vᵀ.
func product(u, v *gcg.Factor) *model.Entries {
	e := &model.Entries{}
	for i := range u.Rows {
		for j := range v.Rows {
			var x float64
			for c, y := range u.Row(i)[:u.K] {
				x += y * v.Row(j)[c]
			}
			e.Rows, e.Cols, e.Values = append(e.Rows, int32(i)), append(e.Cols, int32(j)), append(e.Values, x)
		}
	}
	return e
}

// decomposed is factors of a p×n W of some entries: its singular vectors, which share the singular values.
func decomposed(e *model.Entries, p, n int) (u, v *gcg.Factor) {
	u, v = gcg.NewFactor(p, min(p, n)), gcg.NewFactor(n, min(p, n)) // W and a unit matrix, or that and Wᵀ
	unit := v
	if n > p {
		unit = u
	}
	for c := range unit.K {
		unit.Row(c)[c] = 1
	}
	for t, x := range e.Values {
		if i, j := int(e.Rows[t]), int(e.Cols[t]); unit == v {
			u.Row(i)[j] = x
		} else {
			v.Row(j)[i] = x
		}
	}
	u, s, v := gcg.SVD(u, v, model.Negligible)
	scaleByRoots(s, u, v)
	return u, v
}

// scaleByRoots gives both factors the roots of singular values.
func scaleByRoots(s []float64, u, v *gcg.Factor) {
	roots := make([]float64, u.Stride)
	for c, x := range s {
		roots[c] = math.Sqrt(x)
	}
	u.ScaleColumns(roots)
	v.ScaleColumns(roots)
}

// sparseTerms writes entries of W as atoms of a gauge: of the blocks that they are in, or all as one.
func sparseTerms(k gcg.Gauge, e *model.Entries, p, n int) []gcg.Term {
	if b := view.OfGauge(k).BlockGauge; b != nil {
		return blockTerms(b, e, p, n)
	}
	return []gcg.Term{{Atom: gcg.Atom{Rows: e.Rows, Cols: e.Cols, Vals: e.Values}, Weight: 1}}
}

// blockTerms writes entries of W as atoms of the blocks that they are in; those that no atom has are left out.
func blockTerms(b gcg.BlockGauge, e *model.Entries, p, n int) []gcg.Term {
	value := map[int64]float64{}
	for t, x := range e.Values {
		value[int64(e.Rows[t])*int64(n)+int64(e.Cols[t])] = x
	}
	var terms []gcg.Term
	for key := int64(1); key <= int64(b.Blocks(p, n)) && len(value) > 0; key++ {
		if term, ok := blockTerm(b, key, value, p, n); ok {
			terms = append(terms, term)
		}
	}
	return terms
}

// blockTerm is the block of a key as an atom, and takes its entries out of value; ok says whether there are any, of which the
// gauge has atoms.
func blockTerm(b gcg.BlockGauge, key int64, value map[int64]float64, p, n int) (term gcg.Term, ok bool) {
	rows, cols := b.Block(key, p, n)
	x := make([]float64, len(rows))
	for t := range rows {
		place := int64(rows[t])*int64(n) + int64(cols[t])
		x[t] = value[place]
		delete(value, place)
	}
	weight := b.BlockProxTo(x, x, key, 0)
	if weight == 0 {
		return gcg.Term{}, false
	}
	a := gcg.Atom{Rows: rows, Cols: cols, Key: key}
	for _, v := range x {
		a.Vals = append(a.Vals, v/weight)
	}
	return gcg.Term{Atom: a, Weight: weight}, true
}
