package gcg

// A Map is a linear map G (m×n) known only through products: gradients, iterates, their sums.
type Map interface {
	Dims() (m, n int)
	MulTo(dst, x []float64)  // dst[m] = G x[n]
	TMulTo(dst, y []float64) // dst[n] = Gᵀ y[m]
}

// A BlockMap multiplies k vectors at once, which costs one pass over G instead of k.
type BlockMap interface {
	Map
	MulBlockTo(dst, x *Factor)  // dst (m×k) = G x (n×k)
	TMulBlockTo(dst, y *Factor) // dst (n×k) = Gᵀ y (m×k)
	// BothTo writes gv (m×k) = G v (n×k) and gu (n×k) = Gᵀ u (m×k), in one pass over G where that is possible.
	BothTo(gv, gu, u, v *Factor)
}

// A DenseMap can write itself out, which the polars of ℓ1 and group gauges and the exact certificate need.
type DenseMap interface {
	Map
	// RowsTo writes rows lo … lo+len(dst)/n-1 of G, row-major.
	RowsTo(dst []float64, lo int)
}

// HasRows reports whether G can write out its rows, see DenseMap.
func HasRows(g Map) bool {
	_, ok := g.(DenseMap)
	return ok
}

// RowsTo writes rows lo … lo+len(dst)/n-1 of G, row-major: as a DenseMap does, else by products with unit vectors, one a row.
func RowsTo(g Map, dst []float64, lo int) {
	if d, ok := g.(DenseMap); ok {
		d.RowsTo(dst, lo)
		return
	}
	m, n := g.Dims()
	e := make([]float64, m)
	for i := range len(dst) / n {
		e[lo+i] = 1
		g.TMulTo(dst[i*n:(i+1)*n], e)
		e[lo+i] = 0
	}
}

// DenseTo writes all of G into dst (m×n, row-major): by its rows where G is a DenseMap, else by products with unit vectors,
// which take 2mn² flops where G is dense.
func DenseTo(dst []float64, g Map) {
	m, n := g.Dims()
	if d, ok := g.(DenseMap); ok {
		d.RowsTo(dst[:m*n], 0)
		return
	}
	const block = 64
	for lo := 0; lo < n; lo += block {
		k := min(block, n-lo)
		units, columns := NewFactor(n, k), NewFactor(m, k)
		for c := range k {
			units.Row(lo + c)[c] = 1
		}
		MulBlock(g, columns, units)
		for i := range m {
			copy(dst[i*n+lo:i*n+lo+k], columns.Row(i))
		}
	}
}

// Both is G V (m×k) and Gᵀ U (n×k), in one pass over G where the map has one.
func Both(g Map, u, v *Factor) (gv, gu *Factor) {
	gv, gu = NewFactor(u.Rows, v.K), NewFactor(v.Rows, u.K)
	bothTo(g, gv, gu, u, v)
	return gv, gu
}

// MulBlock writes dst (m×k) = G x (n×k), column by column where the map has no product with blocks.
func MulBlock(g Map, dst, x *Factor) {
	if b, ok := g.(BlockMap); ok {
		b.MulBlockTo(dst, x)
		return
	}
	byColumn(dst, x, g.MulTo)
}

// TMulBlock writes dst (n×k) = Gᵀ y (m×k), column by column where the map has no product with blocks.
func TMulBlock(g Map, dst, y *Factor) {
	if b, ok := g.(BlockMap); ok {
		b.TMulBlockTo(dst, y)
		return
	}
	byColumn(dst, y, g.TMulTo)
}

// byColumn writes into each column of dst the product mul of that column of src.
func byColumn(dst, src *Factor, mul func(dst, x []float64)) {
	in, out := make([]float64, src.Rows), make([]float64, dst.Rows)
	for c := range src.K {
		src.ColumnTo(in, c)
		mul(out, in)
		dst.SetColumn(c, out, 1)
	}
}
