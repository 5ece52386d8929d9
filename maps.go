package gcg

// Both is G V (m×k) and Gᵀ U (n×k), in one pass over G where the map can.
func Both(g Map, u, v *Factor) (gv, gu *Factor) {
	gv, gu = NewFactor(u.Rows, v.K), NewFactor(v.Rows, u.K)
	if b, ok := g.(BilateralMap); ok && u.K == v.K {
		b.BothTo(gv, gu, u, v)
		return gv, gu
	}
	MulBlock(g, gv, v)
	TMulBlock(g, gu, u)
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

func byColumn(dst, src *Factor, mul func(dst, x []float64)) {
	in, out := make([]float64, src.Rows), make([]float64, dst.Rows)
	for c := range src.K {
		src.ColumnTo(in, c)
		mul(out, in)
		dst.SetColumn(c, out, 1)
	}
}
