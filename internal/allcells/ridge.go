package allcells

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// RidgeRows lowers f = ½ Σ c (p - x)² + ridge/2·‖U‖² by so many conjugate gradient steps on each row of U, in float32. Of a
// row they work on (w₀ VᵀV + Σ_Ω a v vᵀ + ridge) u = Σ_Ω c v: the Gram matrix is the same for all rows. It takes 4k flops a
// click and 2k² a row, once and for each step.
func (c *Cells) RidgeRows(u, v *gcg.Factor32, ridge float64, steps int) (square, gain float64) {
	return c.rows.ridge(u, v, c.rowMul, c.colMul, c.background, ridge, steps)
}

// RidgeColumns does the same over V, with ‖V‖² in f.
func (c *Cells) RidgeColumns(v, u *gcg.Factor32, ridge float64, steps int) (square, gain float64) {
	return c.cols.ridge(v, u, c.colMul, c.rowMul, c.background, ridge, steps)
}

// ridge is RidgeRows for one of the two sides.
func (s *side) ridge(u, v *gcg.Factor32, own, other []float64, background, ridge float64, steps int) (square, gain float64) {
	if other != nil {
		v = scaledRows(v, other)
		defer gcg.Repay(v)
	}
	r := &regressions{side: s, u: u, v: v, background: background, gram: gcg.TMul(v, v)}
	defer gcg.Repay(r.gram)
	r.diagonal()
	r.gram.Scale(float32(background))
	scaleRows(u, own)
	blocks := par.Grain(u.Rows, ridgeRows, u.Rows)
	gains := make([]float64, blocks)
	square = par.Sum(blocks, func(b int) float64 {
		lo, hi := par.Range(b, blocks, u.Rows)
		was, won := r.solve(lo, hi, own, ridge, steps)
		gains[b] = won
		return was
	})
	for _, won := range gains {
		gain += won
	}
	if own != nil {
		u.RowBlocks(func(lo, hi int) {
			for i := lo; i < hi; i++ {
				kernel.Scale(float32(1/own[i]), u.Row(i))
			}
		})
	}
	return square, gain
}

// ridgeRows is about how many rows are solved at a time: their vectors stay in a near cache, and the product with the Gram matrix
// is worth its setting up.
const ridgeRows = 64

// regressions are those of the rows of U for a fixed V, both of X.
type regressions struct {
	*side
	u, v       *gcg.Factor32
	background float64
	gram       *gcg.Factor32 // w₀ VᵀV
	mean       []float32     // mean squares of the columns of V, for the preconditioner
}

// leastMean takes the place of mean squares that are 0, as those of padding are.
const leastMean = 1e-30

// diagonal takes the mean squares off VᵀV.
func (r *regressions) diagonal() {
	r.mean = make([]float32, r.v.Stride)
	for c := range r.mean {
		if c < r.v.K {
			r.mean[c] = r.gram.Row(c)[c] / float32(r.v.Rows)
		}
		r.mean[c] = max(r.mean[c], leastMean)
	}
}

// solve takes the steps on the rows lo ≤ i < hi. It returns Σ c (p - x)² of them at the start, and what the steps gain.
func (r *regressions) solve(lo, hi int, own []float64, ridge float64, steps int) (square, gain float64) {
	w := borrow()
	defer w.release()
	k, rows, d := r.u.Stride, hi-lo, w.take(r.side, lo, hi)
	room := memory.Borrow[float32](3*rows*k + 3*rows)
	defer memory.Repay(room)
	u, g, along, h := r.u.Data[lo*k:hi*k], room[:rows*k], room[rows*k:2*rows*k], room[2*rows*k:3*rows*k]
	counts, ridges, old := room[3*rows*k:][:rows], room[3*rows*k+rows:][:rows], room[3*rows*k+2*rows:][:rows]
	for i := range ridges {
		counts[i], ridges[i] = float32(r.background*float64(r.v.Rows)+r.total[lo+i]), float32(ridge)
		if own != nil {
			ridges[i] = float32(ridge / (own[lo+i] * own[lo+i]))
		}
	}
	x := grown(&w.single[0], len(d.index))
	clear(g)
	kernel.GemmNN(g, u, r.gram.Data, rows, k, k)
	square = kernel.Dot(g, u)
	kernel.Scale(-1, g)
	kernel.DotRows(x, u, r.v.Data, k, d.ptr, d.index)
	for e, a := range d.a {
		c, fit := a+r.background, float64(x[e])
		s := c - a*fit
		square += c - fit*(c+s)
		x[e] = float32(s)
	}
	kernel.GatherRows(g, r.v.Data, k, d.ptr, d.index, x)
	kernel.RidgeBegin(u, g, along, h, r.mean, k, counts, ridges, old)
	for range steps {
		kernel.GemmNN(h, along, r.gram.Data, rows, k, k)
		kernel.DotRows(x, along, r.v.Data, k, d.ptr, d.index)
		for e, a := range d.a {
			x[e] *= float32(a)
		}
		kernel.GatherRows(h, r.v.Data, k, d.ptr, d.index, x)
		gain += kernel.RidgeStep(u, g, along, h, r.mean, k, counts, ridges, old)
	}
	return square, gain
}
