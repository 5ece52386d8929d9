package kernel

func packRowsPlain[T Real](p, v, none, x []T, k, dims int, ptr []int64, cols []int32) (done int) {
	block := blockOf[T]()
	for i := range len(ptr) - 1 {
		lo, hi := int(ptr[i]), int(ptr[i+1])
		for e := lo; e < hi || (e-lo)%block != 0; e++ {
			row, target := none, T(0)
			if e < hi {
				var ok bool
				if row, ok = rowOf(v, k, cols[e]); !ok {
					return e
				}
				target = x[e]
			}
			at := (e - lo) % block
			for c, y := range row[:dims] {
				p[c*block+at] = y
			}
			p[dims*block+at] = target
			if at == block-1 {
				p = p[(dims+1)*block:]
			}
		}
	}
	return int(ptr[len(ptr)-1])
}

// eachPacked calls f for each row with its number, and for its entries in turn the elements, which lie block apart, and the target.
func eachPacked[T Real](p []T, dims int, ptr []int64, f func(i int, row []T, block int, target T)) {
	block := blockOf[T]()
	for i := range len(ptr) - 1 {
		for n := ptr[i+1] - ptr[i]; n > 0; n -= int64(block) {
			for l := range block {
				f(i, p[l:], block, p[dims*block+l])
			}
			p = p[(dims+1)*block:]
		}
	}
}

func alongPacked[T Real](row, d []T, block int) (z T) {
	for c, x := range d {
		z += x * row[c*block]
	}
	return z
}

func addPacked[T Real](h []T, a T, row []T, block int) {
	for c := range h {
		h[c] += a * row[c*block]
	}
}

func packedGradientPlain[T Real](dims int) func(g, p, u []T, k int, ptr []int64) float64 {
	return func(g, p, u []T, k int, ptr []int64) (square float64) {
		eachPacked(p, dims, ptr, func(i int, row []T, block int, target T) {
			r := target - alongPacked(row, u[i*k:][:dims], block)
			square += float64(r) * float64(r)
			addPacked(g[i*k:][:dims], r, row, block)
		})
		return square
	}
}

func packedCorePlain[T Real](dims int) func(h, p, d []T, k int, ptr []int64) {
	return func(h, p, d []T, k int, ptr []int64) {
		eachPacked(p, dims, ptr, func(i int, row []T, block int, _ T) {
			addPacked(h[i*k:][:dims], alongPacked(row, d[i*k:][:dims], block), row, block)
		})
	}
}

func packedSquarePlain[T Real](dims int) func(squares, p, d []T, k int, ptr []int64) {
	return func(squares, p, d []T, k int, ptr []int64) {
		clear(squares[:len(ptr)-1])
		eachPacked(p, dims, ptr, func(i int, row []T, block int, _ T) {
			z := alongPacked(row, d[i*k:][:dims], block)
			squares[i] += z * z
		})
	}
}

// fours is f of each multiple of 4 elements.
func fours[F any](f func(dims int) F) (all [MostPacked / 4]F) {
	for i := range all {
		all[i] = f(4 * (i + 1))
	}
	return all
}
