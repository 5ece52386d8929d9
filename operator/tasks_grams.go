package operator

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// gramsPerSample is the most entries of all Gram matrices, p²T, for each of the np entries of the data, with which a product
// takes about 4k flops for a W of rank k. With more there are no Gram matrices.
const gramsPerSample = 8

// Grams are X_tᵀ diag(d) X_t for the samples of each task t; a d below 0 counts as 0. They take np² flops, and are nil where
// there are more than gramLimit features or gramsPerSample would be exceeded. Centred takes the weighted mean of a task off
// its samples first, so that nothing cancels where features are far from 0.
func (o *Tasks) Grams(d []float64, centred bool) []*gcg.Factor {
	n, p := o.x.n, o.x.p
	if p > gramLimit || float64(p)*float64(o.tasks) > gramsPerSample*float64(n) {
		return nil
	}
	grams, of := make([]*gcg.Factor, o.tasks), o.samples()
	par.For(o.tasks, func(t int) { grams[t] = o.gram(of[t], d, centred) })
	return grams
}

// samples lists the samples of each task.
func (o *Tasks) samples() [][]int32 {
	of := make([][]int32, o.tasks)
	for i, t := range o.task {
		of[t] = append(of[t], int32(i))
	}
	return of
}

// gram is Xᵀ diag(d) X for some samples of one task.
func (o *Tasks) gram(samples []int32, d []float64, centred bool) *gcg.Factor {
	g := gcg.Small(o.x.p, o.x.p)
	k := g.Stride
	mean, total := make([]float64, k), 0.0
	if centred {
		for _, i := range samples {
			total += d[i]
			o.x.rows.add(mean[:o.x.p], int(i), d[i])
		}
		if total > 0 {
			kernel.Scale(-1/total, mean)
		}
	}
	addGram(g.Data, k, len(samples), func(row []float64, s int) {
		copy(row, mean)
		o.x.rows.add(row[:o.x.p], int(samples[s]), 1)
		kernel.Scale(math.Sqrt(math.Max(d[samples[s]], 0)), row)
	})
	kernel.Mirror(g.Data, k)
	return g
}
