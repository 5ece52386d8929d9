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

// eachPacked calls f for each row with its number, and for its entries in turn the elements, which lie packedBlock apart, and the target.
func eachPacked(p []float32, dims int, ptr []int64, f func(i int, row []float32, target float32)) {
	for i := range len(ptr) - 1 {
		for n := ptr[i+1] - ptr[i]; n > 0; n -= packedBlock {
			for l := range packedBlock {
				f(i, p[l:], p[dims*packedBlock+l])
			}
			p = p[(dims+1)*packedBlock:]
		}
	}
}

func alongPacked(row, d []float32) (z float32) {
	for c, x := range d {
		z += x * row[c*packedBlock]
	}
	return z
}

func addPacked(h []float32, a float32, row []float32) {
	for c := range h {
		h[c] += a * row[c*packedBlock]
	}
}

func packedGradientPlain(dims int) func(g, p, u []float32, k int, ptr []int64) float64 {
	return func(g, p, u []float32, k int, ptr []int64) (square float64) {
		eachPacked(p, dims, ptr, func(i int, row []float32, target float32) {
			r := target - alongPacked(row, u[i*k:][:dims])
			square += float64(r) * float64(r)
			addPacked(g[i*k:][:dims], r, row)
		})
		return square
	}
}

func packedCorePlain(dims int) func(h, p, d []float32, k int, ptr []int64) {
	return func(h, p, d []float32, k int, ptr []int64) {
		eachPacked(p, dims, ptr, func(i int, row []float32, _ float32) {
			addPacked(h[i*k:][:dims], alongPacked(row, d[i*k:][:dims]), row)
		})
	}
}

func packedSquarePlain(dims int) func(squares, p, d []float32, k int, ptr []int64) {
	return func(squares, p, d []float32, k int, ptr []int64) {
		clear(squares[:len(ptr)-1])
		eachPacked(p, dims, ptr, func(i int, row []float32, _ float32) {
			z := alongPacked(row, d[i*k:][:dims])
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
