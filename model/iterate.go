package model

import (
	"fmt"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/internal/rounding"
)

// Of is the model of an iterate, such as solver.Result.State.W: its singular value decomposition, or its entries where its atoms
// are sparse. problem is what evaluation and prediction take it for, "completion" or the name of one on features. What else was
// taken off the data (Global, offsets, scales), ids and Info are the caller's to add. An iterate with atoms of both kinds is an
// error. Where ranks share the rows they call it together, and each has its own rows of U, see Model.Whole.
func Of(problem string, w *gcg.Iterate) (*Model, error) {
	m := &Model{Problem: problem, Rows: w.M, Cols: w.N}
	switch {
	case w.Rank() > 0 && len(w.Terms) > 0:
		return nil, fmt.Errorf("model: the iterate has %d columns of factors and %d sparse atoms, and a model holds one or the other",
			w.Rank(), len(w.Terms))
	case w.Rank() > 0:
		u, s, v := gcg.SVD(w.U, w.V, Negligible)
		m.Rank, m.U, m.S, m.V, m.shared = len(s), Packed(u), s, Packed(v.Whole()), u.Shared
	case len(w.Terms) > 0:
		rows, cols, values := w.Entries()
		m.Entries = &Entries{Rows: rows, Cols: cols, Values: values}
	}
	return m, nil
}

// Negligible, 1e-14, is the singular value over the largest up to which it is rounding, and in no model.
const Negligible = rounding.Sum

// Packed is a factor row by row, as models and checkpoints hold it: Rows×K, without padding, of the rows that are here.
func Packed(f *gcg.Factor) []float64 {
	x := make([]float64, 0, f.Rows*f.K)
	for i := range f.Rows {
		x = append(x, f.Row(i)[:f.K]...)
	}
	return x
}

// Unpacked is the factor of rows×k packed numbers.
func Unpacked(x []float64, rows, k int) *gcg.Factor {
	f := gcg.NewFactor(rows, k)
	for i := range rows {
		copy(f.Row(i), x[i*k:(i+1)*k])
	}
	return f
}

// unpackedOf is the factor of all rows, or of those of this rank where ranks share them.
func unpackedOf(shared *cluster.Rows, x []float64, rows, k int) *gcg.Factor {
	if shared != nil {
		lo, hi := shared.OwnRows()
		rows = hi - lo
	}
	f := Unpacked(x, rows, k)
	f.Shared = shared
	return f
}
