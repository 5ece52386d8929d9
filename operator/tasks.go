package operator

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// Tasks is multi-task learning: sample i belongs to task tᵢ and sees its column of W (p×T), zᵢ = xᵢ·W_:tᵢ [Yu17 §5.2].
type Tasks struct {
	x     *Features
	task  []int32 // tᵢ of each of the n samples
	tasks int     // T
}

// NewTasks is zᵢ = ⟨xᵢ, W_:t(i)⟩ for a W of p features × tasks: task (len n) has t(i). x and task are kept, not copied. It
// refuses an x that no constructor made, fewer tasks than one, another length, and tasks out of the range 0 … tasks-1.
func NewTasks(x *Features, task []int32, tasks int) (*Tasks, error) {
	if x.empty() {
		return nil, fmt.Errorf("operator: tasks have no features: make them with DenseFeatures or SparseFeatures")
	}
	if tasks < 1 || len(task) != x.n {
		return nil, fmt.Errorf("operator: %d samples have %d tasks assigned, of %d", x.n, len(task), tasks)
	}
	for i, t := range task {
		if t < 0 || int(t) >= tasks {
			return nil, fmt.Errorf("operator: sample %d is of task %d; tasks are 0 to %d", i+1, t, tasks-1)
		}
	}
	return &Tasks{x, task, tasks}, nil
}

// Dims is the size p×T of W and the number n of observations.
func (o *Tasks) Dims() (m, n, nobs int) { return o.x.p, o.tasks, o.x.n }

// Intercepts gives each task a constant of its own: their number, and that of each observation.
func (o *Tasks) Intercepts() (count int, of []int32) { return o.tasks, o.task }

// taskPanel is the number of samples whose X U is formed at a time: at rank 32 that is 64 kB, which stays in the cache.
const taskPanel = 256

// FactoredTo is zᵢ = (xᵢᵀU)·V_tᵢ from observation lo on: 2k(p+1) flops for each sample of a dense X.
func (o *Tasks) FactoredTo(z []float64, lo int, u, v *gcg.Factor) {
	w := borrowScratch()
	defer w.release()
	k := u.Stride
	xu := grown(&w.a, taskPanel*k)
	for at := 0; at < len(z); at += taskPanel {
		part := z[at:min(at+taskPanel, len(z))]
		first := lo + at
		o.x.rows.mul(xu[:len(part)*k], u.Data, first, first+len(part), k)
		for i := range part {
			part[i] = kernel.Dot(xu[i*k:(i+1)*k], v.Row(int(o.task[first+i])))
		}
	}
}

// AtomTo is z = A(a) from observation lo on.
func (o *Tasks) AtomTo(z []float64, lo int, a *gcg.Atom) {
	if a.LowRank() {
		o.FactoredTo(z, lo, a.U, a.V)
		return
	}
	e := byFeature(a)
	x := make([]float64, len(e.feature))
	for i := range z {
		z[i] = 0
		o.x.rows.entries(x, lo+i, e.feature)
		for t, xt := range x {
			for s := e.ptr[t]; xt != 0 && s < e.ptr[t+1]; s++ {
				if e.output[s] == o.task[lo+i] {
					z[i] += xt * e.value[s]
				}
			}
		}
	}
}

// Adjoint is G (p×T) with columns G_:t = Σ rᵢxᵢ over the samples i of task t. It is formed when it is first used.
func (o *Tasks) Adjoint(r []float64) gcg.Map {
	return &formed{m: o.x.p, n: o.tasks, form: func() *dense { return o.gradient(r) }}
}

// gradient forms G.
func (o *Tasks) gradient(r []float64) *dense {
	p := o.x.p
	t := make([]float64, o.tasks*p) // Gᵀ
	par.Accumulate(t, 1+min(7, o.x.n/max(4096, 4*o.tasks)), o.x.n, func(part []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			if r[i] != 0 {
				o.x.rows.add(part[int(o.task[i])*p:(int(o.task[i])+1)*p], i, r[i])
			}
		}
	})
	g := &dense{p, o.tasks, make([]float64, len(t))}
	for c := range o.tasks {
		for j := range p {
			g.x[j*o.tasks+c] = t[c*p+j]
		}
	}
	return g
}

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
