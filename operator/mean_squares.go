package operator

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// leastMean takes the place of mean squares that are 0, as those of padding are: a ridge of 0 would divide by them.
const leastMean = 1e-30

// sampledMeanSquares are the mean squares of the columns of f over the rows that observations meet: about a thousand of them, evenly spread.
func sampledMeanSquares(f *gcg.Factor32, rows []int32) []float32 {
	step := max(1, len(rows)>>10)
	by := float32(step) / float32(max(1, len(rows)))
	return meanSquares(f, len(rows)/step, func(e int) (row int, weight float32) { return int(rows[e*step]), by })
}

// weightedMeanSquares are those over all observations, counts of which meet each row.
func weightedMeanSquares(f *gcg.Factor32, counts []float64) []float32 {
	var all float64
	for _, n := range counts {
		all += n
	}
	by := 1 / max(1, all)
	return meanSquares(f, len(counts), func(i int) (row int, weight float32) { return i, float32(by * counts[i]) })
}

// meanSquares are the sums of the squares of count rows, each times its weight.
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
