package gauge

import "math"

// ℓ1 and its relatives are sums over blocks of one entry, gcg.BlockGauge: block 1 + in + j is entry (i, j).

func entryOf(key int64, n int) (rows, cols []int32) {
	e := key - 1
	return []int32{int32(e / int64(n))}, []int32{int32(e % int64(n))}
}

// Block is the entry of the key.
func (L1) Block(key int64, _, n int) (rows, cols []int32) { return entryOf(key, n) }

// BlockProxTo is soft thresholding of one entry.
func (k L1) BlockProxTo(dst, y []float64, key int64, t float64) float64 {
	w := k.weight(int(key - 1))
	dst[0] = math.Copysign(math.Max(math.Abs(y[0])-t*w, 0), y[0])
	return w * math.Abs(dst[0])
}

// BlockSlopeTo is w·sign(x); the second derivative is 0.
func (k L1) BlockSlopeTo(grad, _, x []float64, key int64, _ float64) {
	grad[0] = math.Copysign(k.weight(int(key-1)), x[0])
}

// Block is the entry of the key.
func (PositiveL1) Block(key int64, _, n int) (rows, cols []int32) { return entryOf(key, n) }

// BlockProxTo is max(y - t, 0).
func (PositiveL1) BlockProxTo(dst, y []float64, _ int64, t float64) float64 {
	dst[0] = math.Max(y[0]-t, 0)
	return dst[0]
}

// BlockSlopeTo is 1; the second derivative is 0.
func (PositiveL1) BlockSlopeTo(grad, _, _ []float64, _ int64, _ float64) { grad[0] = 1 }

// Block is the entry of the key.
func (Simplex) Block(key int64, _, n int) (rows, cols []int32) { return entryOf(key, n) }

// BlockProxTo is max(y - t, 0); t may be negative, where κ is held at a constant.
func (Simplex) BlockProxTo(dst, y []float64, key int64, t float64) float64 {
	return PositiveL1{}.BlockProxTo(dst, y, key, t)
}

// BlockSlopeTo is 1; the second derivative is 0.
func (Simplex) BlockSlopeTo(grad, _, _ []float64, _ int64, _ float64) { grad[0] = 1 }
