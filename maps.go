package gcg

// Both is G V (m×k) and Gᵀ U (n×k), in one pass over G where the map can.
func Both(g Map, u, v *Factor) (gv, gu *Factor) {
	gv, gu = NewFactor(u.Rows, v.K), NewFactor(v.Rows, u.K)
	switch b := g.(type) {
	case BilateralMap:
		if u.K == v.K {
			b.BothTo(gv, gu, u, v)
			return gv, gu
		}
		b.MulBlockTo(gv, v)
		b.TMulBlockTo(gu, u)
	case BlockMap:
		b.MulBlockTo(gv, v)
		b.TMulBlockTo(gu, u)
	default:
		byColumn(gv, v, g.MulTo)
		byColumn(gu, u, g.TMulTo)
	}
	return gv, gu
}

func byColumn(dst, src *Factor, mul func(dst, x []float64)) {
	in, out := make([]float64, src.Rows), make([]float64, dst.Rows)
	for c := range src.K {
		src.ColumnTo(in, c)
		mul(out, in)
		dst.SetColumn(c, out, 1)
	}
}
