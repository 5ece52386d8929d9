package gauge

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// ℓ1, its relatives and group norms are a gcg.BlockGauge. For ℓ1 and its relatives each entry is a block, and 1 + i·n + j the
// key of entry (i, j); for Group the key is 1 plus the group.

// entryOf is the one entry of a block of an m×n matrix.
func entryOf(key int64, n int) (rows, cols []int32) {
	e := key - 1
	return []int32{int32(e / int64(n))}, []int32{int32(e % int64(n))}
}

// Block is the entry of the key.
func (L1) Block(key int64, _, n int) (rows, cols []int32) { return entryOf(key, n) }

// BlockProxTo is soft thresholding of one entry by t·w. It returns w|dst|.
func (k L1) BlockProxTo(dst, y []float64, key int64, t float64) float64 {
	w := k.weight(int(key - 1))
	dst[0] = linalg.Soft(y[0], t*w)
	return w * math.Abs(dst[0])
}

// BlockSlopeTo is w·sign(x); the second derivative is 0.
func (k L1) BlockSlopeTo(grad, _, x []float64, key int64, _ float64) bool {
	grad[0] = math.Copysign(k.weight(int(key-1)), x[0])
	return true
}

// Block is the entry of the key.
func (PositiveL1) Block(key int64, _, n int) (rows, cols []int32) { return entryOf(key, n) }

// BlockProxTo writes max(y - t, 0) and returns it.
func (PositiveL1) BlockProxTo(dst, y []float64, _ int64, t float64) float64 {
	dst[0] = math.Max(y[0]-t, 0)
	return dst[0]
}

// BlockSlopeTo is 1; the second derivative is 0.
func (PositiveL1) BlockSlopeTo(grad, _, _ []float64, _ int64, _ float64) bool {
	grad[0] = 1
	return true
}

// Block is the entry of the key.
func (Simplex) Block(key int64, _, n int) (rows, cols []int32) { return entryOf(key, n) }

// BlockProxTo writes max(y - t, 0) and returns it. t may be negative, as a multiplier is where κ is held at a constant.
func (Simplex) BlockProxTo(dst, y []float64, key int64, t float64) float64 {
	return PositiveL1{}.BlockProxTo(dst, y, key, t)
}

// BlockSlopeTo is 1; the second derivative is 0.
func (Simplex) BlockSlopeTo(grad, _, _ []float64, _ int64, _ float64) bool {
	grad[0] = 1
	return true
}

// Block lists the entries of a row, a column or a given group, in their order there.
func (k Group) Block(key int64, m, n int) (rows, cols []int32) {
	p := &partition{m: m, n: n, index: k.Index, columns: k.ByColumns}
	for _, e := range p.entriesTo(nil, int(key-1)) {
		rows, cols = append(rows, int32(e/n)), append(cols, int32(e%n))
	}
	return rows, cols
}

// blockWeight is the weight of a group of so many entries.
func (k Group) blockWeight(key int64, size int) float64 {
	w := 1.0
	if k.Weights != nil {
		w = k.Weights[key-1]
	}
	if k.BySize {
		w *= math.Sqrt(float64(size))
	}
	return w
}

// BlockProxTo shrinks one group, see ProxTo, and returns its w‖dst‖.
func (k Group) BlockProxTo(dst, y []float64, key int64, t float64) float64 {
	w := k.blockWeight(key, len(y))
	if t == 0 {
		copy(dst, y)
		return w * linalg.PNorm(y, k.primal())
	}
	return w * proxNormTo(dst, y, t*w, k.primal())
}

// BlockSlopeTo writes wx/‖x‖ into grad and adds t times the second derivative w(I - xxᵀ/‖x‖²)/‖x‖ to hess for L2. For LInf, which
// has none, it reports false.
func (k Group) BlockSlopeTo(grad, hess, x []float64, key int64, t float64) bool {
	if k.Inner != L2 {
		return false
	}
	norm, w := linalg.PNorm(x, 2), k.blockWeight(key, len(x))
	for i, v := range x {
		grad[i] = w * v / norm
	}
	for i, v := range x {
		row := hess[i*len(x) : (i+1)*len(x)]
		row[i] += t * w / norm
		for j, u := range x {
			row[j] -= t * w * v * u / (norm * norm * norm)
		}
	}
	return true
}

// BlockLargest is the weight of a group of so many entries. It reports whether Inner is LInf.
func (k Group) BlockLargest(key int64, size int) (w float64, ok bool) {
	return k.blockWeight(key, size), k.Inner == LInf
}
