package kernel

func packRowsPlain(p, v, none, x []float32, k, dims int, ptr []int64, cols []int32) (done int) {
	for i := range len(ptr) - 1 {
		lo, hi := int(ptr[i]), int(ptr[i+1])
		for e := lo; e < hi || (e-lo)%packedBlock != 0; e++ {
			row, target := none, float32(0)
			if e < hi {
				var ok bool
				if row, ok = rowOf(v, k, cols[e]); !ok {
					return e
				}
				target = x[e]
			}
			at := (e - lo) % packedBlock
			for c, y := range row[:dims] {
				p[c*packedBlock+at] = y
			}
			p[dims*packedBlock+at] = target
			if at == packedBlock-1 {
				p = p[(dims+1)*packedBlock:]
			}
		}
	}
	return int(ptr[len(ptr)-1])
}

// A lot is a number for each entry of a block. Loops over entries within loops over elements need no sum that waits for the one
// before, and read packed rows in order.
type lot [packedBlock]float32

// eachBlock calls f for the blocks of each row i in turn: elements and targets of 16 entries.
func eachBlock(p []float32, dims int, ptr []int64, f func(i int, block []float32)) {
	size := packedLen(dims, packedBlock)
	for i := range len(ptr) - 1 {
		for n := ptr[i+1] - ptr[i]; n > 0; n -= packedBlock {
			f(i, p[:size])
			p = p[size:]
		}
	}
}

// along is P d of a block: the inner products of d with its entries.
func along(block, d []float32) (z lot) {
	const half = packedBlock / 2
	for from := 0; from < packedBlock; from += half {
		var s0, s1, s2, s3, s4, s5, s6, s7 float32
		for c, x := range d {
			e := (*[half]float32)(block[c*packedBlock+from:])
			s0 += x * e[0]
			s1 += x * e[1]
			s2 += x * e[2]
			s3 += x * e[3]
			s4 += x * e[4]
			s5 += x * e[5]
			s6 += x * e[6]
			s7 += x * e[7]
		}
		*(*[half]float32)(z[from:]) = [half]float32{s0, s1, s2, s3, s4, s5, s6, s7}
	}
	return z
}

// addAlong computes h += Pᵀz of a block.
func addAlong(h []float32, z *lot, block []float32) {
	for c := range h {
		e := (*lot)(block[c*packedBlock:])
		var s0, s1, s2, s3 float32
		for l := 0; l < packedBlock; l += 4 {
			s0 += z[l] * e[l]
			s1 += z[l+1] * e[l+1]
			s2 += z[l+2] * e[l+2]
			s3 += z[l+3] * e[l+3]
		}
		h[c] += (s0 + s1) + (s2 + s3)
	}
}

func packedGradientPlain(dims int) func(g, p, u []float32, k int, ptr []int64) float64 {
	return func(g, p, u []float32, k int, ptr []int64) (square float64) {
		eachBlock(p, dims, ptr, func(i int, block []float32) {
			r := along(block, u[i*k:][:dims])
			for l, target := range block[dims*packedBlock:] {
				r[l] = target - r[l]
				square += float64(r[l]) * float64(r[l])
			}
			addAlong(g[i*k:][:dims], &r, block)
		})
		return square
	}
}

func packedCorePlain(dims int) func(h, p, d []float32, k int, ptr []int64) {
	return func(h, p, d []float32, k int, ptr []int64) {
		eachBlock(p, dims, ptr, func(i int, block []float32) {
			z := along(block, d[i*k:][:dims])
			addAlong(h[i*k:][:dims], &z, block)
		})
	}
}

func packedSquarePlain(dims int) func(squares, p, d []float32, k int, ptr []int64) {
	return func(squares, p, d []float32, k int, ptr []int64) {
		clear(squares[:len(ptr)-1])
		eachBlock(p, dims, ptr, func(i int, block []float32) {
			for _, z := range along(block, d[i*k:][:dims]) {
				squares[i] += z * z
			}
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
