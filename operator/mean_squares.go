package operator

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

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
