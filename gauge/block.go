package gauge

import "github.com/seed-b18ef778/gcg"

// mulBlock is dst = G x; a transposed map is none of blocks, but what it transposes may be.
func mulBlock(g gcg.Map, dst, x *gcg.Factor) {
	if t, ok := g.(transpose); ok {
		tmulBlock(t.Map, dst, x)
		return
	}
	gcg.MulBlock(g, dst, x)
}

// tmulBlock is dst = Gᵀ y.
func tmulBlock(g gcg.Map, dst, y *gcg.Factor) {
	if t, ok := g.(transpose); ok {
		mulBlock(t.Map, dst, y)
		return
	}
	gcg.TMulBlock(g, dst, y)
}
