package operator

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// gramLimit is the number of features up to which XᵀX is formed and decomposed: at 640 that is about a second.
const gramLimit = 640

// Kronecker approximates A*(d∘A(W)) by L W diag(right), see view.KroneckerOperator. It approximates the weights d_ic by a matrix
// of rank one, ωᵢ right_c with ωᵢ = Σ_c d_ic and right_c ∝ Σ_i d_ic, so that L = Xᵀ diag(ω) X.
func (d *Design) Kronecker(weights []float64, centred bool) (gram *gcg.Factor, left, right []float64) {
	omega, right := make([]float64, d.x.n), make([]float64, d.outputs)
	ones := slices.Repeat([]float64{1}, d.outputs)
	for i := range omega {
		row := weights[i*d.outputs : (i+1)*d.outputs]
		omega[i] = kernel.Dot(ones, row)
		kernel.Axpy(1, row, right)
	}
	normalise(right)
	gram, left = d.x.weightedGram(omega)
	if centred {
		d.x.centre(gram, left, omega, 1, make([]int32, d.x.n))
	}
	return gram, left, right
}

// Kronecker approximates A*(d∘A(W)) by L W diag(right), see view.KroneckerOperator. It takes the samples of every task to be
// alike: L = Xᵀ diag(d) X, and right_t is the part of all weights that the samples of task t have.
func (o *Tasks) Kronecker(weights []float64, centred bool) (gram *gcg.Factor, left, right []float64) {
	right = make([]float64, o.tasks)
	for i, w := range weights {
		right[o.task[i]] += w
	}
	normalise(right)
	gram, left = o.x.weightedGram(weights)
	if centred {
		o.x.centre(gram, left, weights, o.tasks, o.task)
	}
	return gram, left, right
}

// normalise divides x by its sum, if that is positive.
func normalise(x []float64) {
	var sum float64
	for _, v := range x {
		sum += v
	}
	if sum > 0 {
		kernel.Scale(1/sum, x)
	}
}

// centre takes the weighted mean of each row's group off the rows of X, in the Gram matrix gram = Xᵀ diag(ω) X, or in its
// diagonal diag where gram is nil. group has the group of each row. It takes 2p² flops for each group.
func (x *Features) centre(gram *gcg.Factor, diag, omega []float64, groups int, group []int32) {
	sums, total := make([]float64, groups*x.p), make([]float64, groups)
	for i, w := range omega {
		t := int(group[i])
		total[t] += w
		x.rows.add(sums[t*x.p:(t+1)*x.p], i, w)
	}
	for t, all := range total {
		if !(all > 0) {
			continue
		}
		sum := sums[t*x.p : (t+1)*x.p]
		for j, v := range sum {
			if gram == nil {
				diag[j] = math.Max(0, diag[j]-v*v/all)
			} else {
				kernel.Axpy(-v/all, sum, gram.Row(j)[:x.p])
			}
		}
	}
}

// weightedGram is Xᵀ diag(ω) X, or its diagonal where p is beyond gramLimit; the other one is nil. An ω below 0 counts as 0.
// It takes np² flops for a dense X.
func (x *Features) weightedGram(omega []float64) (gram *gcg.Factor, diag []float64) {
	if x.p > gramLimit {
		diag = make([]float64, x.p)
		for i, w := range omega {
			x.rows.addSquares(diag, i, math.Max(w, 0))
		}
		return nil, diag
	}
	gram = gcg.Small(x.p, x.p)
	k, add := gram.Stride, x.addDenseGram
	if x.rows.sparse() {
		add = x.addSparseGram
	}
	par.Accumulate(gram.Data, 1+min(7, x.n/1024), x.n, func(part []float64, lo, hi int) { add(part, k, omega, lo, hi) })
	kernel.Mirror(gram.Data, k)
	return gram, nil
}

// addDenseGram adds the rows lo ≤ i < hi to the lower triangle of part, whose rows are k numbers apart.
func (x *Features) addDenseGram(part []float64, k int, omega []float64, lo, hi int) {
	addGram(part, k, hi-lo, func(row []float64, i int) {
		x.rows.add(row[:x.p], lo+i, math.Sqrt(math.Max(omega[lo+i], 0)))
	})
}

// addSparseGram adds the rows lo ≤ i < hi to both triangles of part, whose rows are k numbers apart.
func (x *Features) addSparseGram(part []float64, k int, omega []float64, lo, hi int) {
	rows := make([]float64, panel*k)
	for at := lo; at < hi; at += panel {
		end := min(at+panel, hi)
		clear(rows)
		for i := at; i < end; i++ {
			x.rows.add(rows[(i-at)*k:(i-at)*k+x.p], i, math.Max(omega[i], 0))
		}
		x.rows.tmul(part[:x.p*k], rows[:(end-at)*k], at, end, k)
	}
}

// gramPanel is the number of rows that are added to a Gram matrix at a time: products of matrices want many.
const gramPanel = 256

// addGram adds XᵀX to the lower triangle of gram (k×k), for an X of n rows. fill writes row i into k zeros.
func addGram(gram []float64, k, n int, fill func(row []float64, i int)) {
	rows := memory.Borrow[float64](min(n, gramPanel) * k)
	defer memory.Repay(rows)
	for at := 0; at < n; at += gramPanel {
		size := min(gramPanel, n-at)
		clear(rows)
		for i := range size {
			fill(rows[i*k:(i+1)*k], at+i)
		}
		kernel.Gram(gram, rows, size, k)
	}
}
