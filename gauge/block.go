package gauge

import "github.com/seed-b18ef778/gcg"

// mulBlock is dst = G x, column by column where the map has no product with blocks.
func mulBlock(g gcg.Map, dst, x *gcg.Factor) {
	switch b := g.(type) {
	case transpose:
		tmulBlock(b.Map, dst, x)
	case gcg.BlockMap:
		b.MulBlockTo(dst, x)
	default:
		byColumn(dst, x, g.MulTo)
	}
}

// tmulBlock is dst = Gᵀ y.
func tmulBlock(g gcg.Map, dst, y *gcg.Factor) {
	switch b := g.(type) {
	case transpose:
		mulBlock(b.Map, dst, y)
	case gcg.BlockMap:
		b.TMulBlockTo(dst, y)
	default:
		byColumn(dst, y, g.TMulTo)
	}
}

func byColumn(dst, src *gcg.Factor, mul func(dst, x []float64)) {
	in, out := make([]float64, src.Rows), make([]float64, dst.Rows)
	for c := range src.K {
		src.ColumnTo(in, c)
		mul(out, in)
		dst.SetColumn(c, out, 1)
	}
}
