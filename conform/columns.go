package conform

import (
	"math"
	"math/rand/v2"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// columns is how far the columns of some entries are from what A makes of the unit matrices e_ij, as a sparse atom and as an
// outer product. They are asked for together: in no order, one of them twice, and with others of its row and of its column, which
// an operator that extracts features once may mix up.
func columns(op view.ColumnOperator, rng *rand.Rand) float64 {
	m, n, nobs := op.Dims()
	var rows, cols []int32
	for range 3 {
		rows, cols = append(rows, int32(rng.IntN(m))), append(cols, int32(rng.IntN(n)))
	}
	rows = append(rows, rows[0], rows[1], int32(rng.IntN(m)))
	cols = append(cols, cols[0], int32(rng.IntN(n)), cols[1])
	all := op.Columns(rows, cols)
	if len(all) != len(rows) {
		return math.Inf(1)
	}
	var worst float64
	want, got := make([]float64, nobs), make([]float64, nobs)
	u, v := make([]float64, m), make([]float64, n)
	for t := range all {
		clear(got)
		if !scatter(got, &all[t]) {
			return math.Inf(1)
		}
		i, j := rows[t], cols[t]
		u[i], v[j] = 1, 1
		for _, a := range []gcg.Atom{{Rows: []int32{i}, Cols: []int32{j}, Vals: []float64{1}}, gcg.RankOne(u, v)} {
			op.AtomTo(want, 0, &a)
			worst = math.Max(worst, distance(want, got))
		}
		u[i], v[j] = 0, 0
	}
	return worst
}

// bounds is by how much |A*(r)_ij| is above its bound, or that above ‖A(e_ij)‖‖r‖, as parts of the bound: also for r = A(e_ij),
// for which they are equal.
func bounds(op view.BoundingOperator, rng *rand.Rand) (worst float64) {
	m, n, nobs := op.Dims()
	r, dst, g := make([]float64, nobs), make([]float64, m*n), make([]float64, m*n)
	i, j := int32(rng.IntN(m)), int32(rng.IntN(n))
	unit := &gcg.Atom{Rows: []int32{i}, Cols: []int32{j}, Vals: []float64{1}}
	op.AtomTo(r, 0, unit)
	norm := gcg.Norm(r)
	for _, scale := range []float64{0, 1, 1e-3} {
		for e := range r {
			r[e] += scale * rng.NormFloat64()
		}
		op.AdjointBoundTo(dst, r)
		gcg.DenseTo(g, op.Adjoint(r))
		for e, x := range g {
			worst = math.Max(worst, (math.Abs(x)-dst[e])/math.Max(dst[e], math.SmallestNonzeroFloat64))
		}
		if most := norm * gcg.Norm(r); most > 0 {
			worst = math.Max(worst, dst[int(i)*n+int(j)]/most-1)
		}
	}
	return worst
}

// scatter writes a column out; it reports whether its observations are distinct and within.
func scatter(z []float64, c *gcg.Column) bool {
	if c.Index != nil && len(c.Index) != len(c.Values) {
		return false
	}
	seen := make([]bool, len(z))
	for t, x := range c.Values {
		at := c.At(t)
		if at < 0 || at >= len(z) || seen[at] {
			return false
		}
		z[at], seen[at] = x, true
	}
	return true
}
