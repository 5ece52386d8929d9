package structured

import "github.com/seed-b18ef778/gcg"

// differenced is B as an operator on a W of one column.
type differenced struct{ g Penalty }

// Dims is p×1, and the number of entries of B x.
func (o differenced) Dims() (m, n, nobs int) {
	p, size := o.g.Size()
	return p, 1, size
}

// AtomTo is z = B a from observation lo on.
func (o differenced) AtomTo(z []float64, lo int, a *gcg.Atom) {
	p, _ := o.g.Size()
	x := make([]float64, p)
	if a.LowRank() {
		for i := range x {
			for c := range a.U.K {
				x[i] += a.U.Row(i)[c] * a.V.Row(0)[c]
			}
		}
	} else {
		for e, v := range a.Vals {
			x[a.Rows[e]] += v
		}
	}
	o.partTo(z, lo, x)
}

// FactoredTo is z = B U Vᵀ from observation lo on.
func (o differenced) FactoredTo(z []float64, lo int, u, v *gcg.Factor) {
	o.AtomTo(z, lo, &gcg.Atom{U: u, V: v})
}

// partTo is part of B x.
func (o differenced) partTo(z []float64, lo int, x []float64) {
	_, size := o.g.Size()
	if len(z) == size {
		o.g.BTo(z, x)
		return
	}
	all := make([]float64, size)
	o.g.BTo(all, x)
	copy(z, all[lo:lo+len(z)])
}

// Adjoint is Bᵀr as a column.
func (o differenced) Adjoint(r []float64) gcg.Map {
	p, _ := o.g.Size()
	x := make([]float64, p)
	o.g.BTTo(x, r)
	return column(x)
}

// A column is a map of one column.
type column []float64

// Dims is p×1.
func (g column) Dims() (m, n int) { return len(g), 1 }

// MulTo is dst = x·column.
func (g column) MulTo(dst, x []float64) {
	for i, v := range g {
		dst[i] = v * x[0]
	}
}

// TMulTo is the product with the column.
func (g column) TMulTo(dst, y []float64) {
	var sum float64
	for i, v := range g {
		sum += v * y[i]
	}
	dst[0] = sum
}

// RowsTo copies entries.
func (g column) RowsTo(dst []float64, lo int) { copy(dst, g[lo:]) }
