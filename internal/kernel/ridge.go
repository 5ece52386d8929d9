package kernel

// RidgeBegin, RidgeStep and RidgeLast are what conjugate gradients do on vectors to lower ½‖x - P u‖² + ridge/2 ‖u‖² over each of
// several rows u at once. Each row has a matrix P of its own and as many observations x as counts says. The preconditioner M is
// the inverse of diag(ridge + counts·mean), as if P had the same mean squares for all rows. Products with P are the work of
// others, [GradientRows], [CoreRows] and [DotRows]:
//
//	g = Pᵀ(x - P u), RidgeBegin; h += PᵀP d, RidgeStep, as often as wanted; squares = ‖P d‖², RidgeLast
//
// u, g, d and h are matrices of len(ridge) rows of stride k, whose padding stays zero; counts, ridge and old have an element a
// row, old for gᵀM g, mean one a column. All are in float32, as sweeps are.

// RidgeBegin completes the negative gradients, g -= ridge u, and takes the first directions: d = M g, h = ridge d, old = gᵀM g. 9
// flops, one of them a division, 8 bytes read and 12 written an element; with AVX-512, on a Zen 4 core, half of the limit.
func RidgeBegin(u, g, d, h, mean []float32, k int, counts, ridge, old []float32) {
	needRegression(k, len(ridge), u, d, h)
	need("g", len(g), len(ridge)*k)
	need("mean", len(mean), k)
	need("counts", len(counts), len(ridge))
	need("old", len(old), len(ridge))
	active.beginRows(u, g, d, h, mean, k, counts, ridge, old)
}

// RidgeStep moves by old/dᵀh along the directions, u += alpha d and g -= alpha h, and turns to the next ones: d = M g + beta d, h
// = ridge d. Rows whose old or dᵀh is not above the least normal number stay. It returns what was gained. 17 flops, 16 bytes read
// and as many written an element; as above 0.2 and 0.35 of the limit with 16 and 64 elements, as sums and divisions of a row wait
// for each other.
func RidgeStep(u, g, d, h, mean []float32, k int, counts, ridge, old []float32) (gain float64) {
	needRegression(k, len(ridge), u, d, h)
	need("g", len(g), len(ridge)*k)
	need("mean", len(mean), k)
	need("counts", len(counts), len(ridge))
	need("old", len(old), len(ridge))
	return active.stepRows(u, g, d, h, mean, k, counts, ridge, old)
}

// RidgeLast is a step after which nothing is asked of the gradients: squares, ‖P d‖² in each row, stand for what RidgeStep finds
// in h, which is ridge d here. 4 flops, 12 bytes read and 4 written an element; not measured.
func RidgeLast(u, d, h []float32, k int, ridge, old, squares []float32) (gain float64) {
	needRegression(k, len(ridge), u, d, h)
	need("old", len(old), len(ridge))
	need("squares", len(squares), len(ridge))
	return active.lastRows(u, d, h, k, ridge, old, squares)
}

func needRegression(k, rows int, u, d, h []float32) {
	needStride(k)
	need("u", len(u), rows*k)
	need("d", len(d), rows*k)
	need("h", len(h), rows*k)
}
