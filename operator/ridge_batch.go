package operator

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// A ridgeBatch is the regressions of all rows x_i of x, solved at once. Each minimises half the sum of squares of the row's
// residuals plus ridge/2 ‖x_i‖². It works on mul_i x_i, for which the ridge is ridge/mul_i².
type ridgeBatch struct {
	x      *gcg.Factor32
	mul    []float64 // the scale of each row, or nil for 1
	counts []float64 // the number of observations of each row
	mean   []float32 // mean squares of the other factor's columns: the preconditioner of row i is diag(ridge + counts_i·mean)
	ridge  float64
	// adds the negative gradient of half the sum of squares to g, and returns the sum
	residual func(g *gcg.Factor32) (square float64)
	normal   func(h, d *gcg.Factor32) // adds the Hessian of half the sum of squares, times d, to h
}

// solve takes so many conjugate gradient steps on every row of x, all rows at once. It returns the sum of squares of the
// residuals at the start, and what the steps gain.
func (b *ridgeBatch) solve(steps int) (square, gain float64) {
	scaleRows(b.x, b.mul)
	rows, k := b.x.Rows, b.x.Stride
	g, d, h := gcg.NewFactorOf[float32](rows, b.x.K), gcg.Room[float32](rows, b.x.K), gcg.Room[float32](rows, b.x.K)
	defer gcg.Repay(g, d, h)
	numbers := make([]float32, 3*rows)
	counts, ridge, old := numbers[:rows], numbers[rows:2*rows], numbers[2*rows:]
	for i := range ridge {
		counts[i], ridge[i] = float32(b.counts[i]), scaledRidge(b.ridge, b.mul, i)
	}
	square = b.residual(g)
	b.rows(func(lo, hi int) float64 {
		kernel.RidgeBegin(b.x.Data[lo*k:hi*k], g.Data[lo*k:], d.Data[lo*k:], h.Data[lo*k:], b.mean, k, counts[lo:], ridge[lo:hi],
			old[lo:])
		return 0
	})
	for range steps {
		b.normal(h, d)
		gain += b.rows(func(lo, hi int) float64 {
			return kernel.RidgeStep(b.x.Data[lo*k:hi*k], g.Data[lo*k:], d.Data[lo*k:], h.Data[lo*k:], b.mean, k, counts[lo:],
				ridge[lo:hi], old[lo:])
		})
	}
	unscaleRows(b.x, b.mul)
	return square, gain
}

// scaledRidge is the ridge of mul_i·x_i, for a ridge of x_i. A nil mul stands for ones.
func scaledRidge(ridge float64, mul []float64, i int) float32 {
	if mul == nil {
		return float32(ridge)
	}
	return float32(ridge / (mul[i] * mul[i]))
}

// rows calls f on ranges of rows, at once, and adds what it returns.
func (b *ridgeBatch) rows(f func(lo, hi int) float64) float64 {
	blocks := par.Grain(b.x.Rows, 512, 64)
	return par.Sum(blocks, func(t int) float64 { return f(par.Range(t, blocks, b.x.Rows)) })
}

// leastMean takes the place of mean squares that are 0, as those of padding are: with a ridge of 0 the preconditioner would
// divide by them.
const leastMean = 1e-30

// sampledMeanSquares has the mean squares of the columns of f over the rows that observations meet, from about a thousand
// observations, evenly spread. rows has the row of each observation.
func sampledMeanSquares(f *gcg.Factor32, rows []int32) []float32 {
	step := max(1, len(rows)>>10)
	by := float32(step) / float32(max(1, len(rows)))
	return meanSquares(f, len(rows)/step, func(e int) (row int, weight float32) { return int(rows[e*step]), by })
}

// weightedMeanSquares has the mean squares of the columns of f over all observations, of which counts[i] meet row i.
func weightedMeanSquares(f *gcg.Factor32, counts []float64) []float32 {
	var all float64
	for _, n := range counts {
		all += n
	}
	by := 1 / max(1, all)
	return meanSquares(f, len(counts), func(i int) (row int, weight float32) { return i, float32(by * counts[i]) })
}

// meanSquares has Σ weight·f_rowc² for every column c, over the rows and weights that of gives for 0 ≤ e < count.
func meanSquares(f *gcg.Factor32, count int, of func(e int) (row int, weight float32)) []float32 {
	mean := make([]float32, f.Stride)
	par.Accumulate(mean, par.Grain(count, 512, 8), count, func(sum []float32, lo, hi int) {
		square := make([]float32, f.Stride)
		for e := lo; e < hi; e++ {
			i, weight := of(e)
			kernel.Hadamard(square, f.Row(i), f.Row(i))
			kernel.Axpy(weight, square, sum)
		}
	})
	for c, x := range mean {
		mean[c] = max(x, leastMean)
	}
	return mean
}
