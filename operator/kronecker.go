package operator

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// gramLimit is the number of features up to which XᵀX is formed and decomposed: at 640 that is about a second.
const gramLimit = 640

// Kronecker takes the weights as of rank one, ωᵢ right_c with ωᵢ = Σ_c d_ic: L = Xᵀ diag(ω) X.
func (d *Design) Kronecker(weights []float64, centred bool) (gram *gcg.Factor, left, right []float64) {
	omega, right := make([]float64, d.x.n), make([]float64, d.outputs)
	for i := range omega {
		for c, w := range weights[i*d.outputs : (i+1)*d.outputs] {
			omega[i] += w
			right[c] += w
		}
	}
	normalise(right)
	gram, left = d.x.weightedGram(omega, centred)
	return gram, left, right
}

// Kronecker takes the samples of every task to be alike: L = Xᵀ diag(d) X, and a task's part is that of its weights.
func (o *Tasks) Kronecker(weights []float64, centred bool) (gram *gcg.Factor, left, right []float64) {
	right = make([]float64, o.tasks)
	for i, w := range weights {
		right[o.task[i]] += w
	}
	normalise(right)
	gram, left = o.x.weightedGram(weights, centred)
	return gram, left, right
}

func normalise(x []float64) {
	var sum float64
	for _, v := range x {
		sum += v
	}
	if sum > 0 {
		kernel.Scale(1/sum, x)
	}
}

// weightedGram is Xᵀ diag(ω) X, 2np² flops, or its diagonal where that would be too large; of the rows less their weighted mean
// where that is wanted.
func (x *Features) weightedGram(omega []float64, centred bool) (gram *gcg.Factor, diag []float64) {
	gram, diag = x.plainGram(omega)
	if !centred {
		return gram, diag
	}
	sum := make([]float64, x.p)
	var total float64
	for i, w := range omega {
		total += w
		x.rows.add(sum, i, w)
	}
	if total > 0 {
		for j, v := range sum {
			if gram == nil {
				diag[j] = math.Max(0, diag[j]-v*v/total)
			} else {
				kernel.Axpy(-v/total, sum, gram.Row(j)[:x.p])
			}
		}
	}
	return gram, diag
}

func (x *Features) plainGram(omega []float64) (gram *gcg.Factor, diag []float64) {
	if x.p > gramLimit {
		diag = make([]float64, x.p)
		for i, w := range omega {
			x.rows.addSquares(diag, i, w)
		}
		return nil, diag
	}
	gram = gcg.Small(x.p, x.p)
	k := gram.Stride
	sumBlocks(gram.Data[:x.p*k], 1+min(7, x.n/1024), x.n, func(part []float64, lo, hi int) {
		rows := make([]float64, panel*k)
		for at := lo; at < hi; at += panel {
			end := min(at+panel, hi)
			clear(rows)
			for i := at; i < end; i++ {
				x.rows.add(rows[(i-at)*k:(i-at)*k+x.p], i, omega[i])
			}
			x.rows.tmul(part, rows[:(end-at)*k], at, end, k)
		}
	})
	return gram, nil
}
