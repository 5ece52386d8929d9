package operator

import (
	"math"
	"slices"
	"sync"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// columnsOf are the given features of X, in any order. The caller sets Offset and Stride.
func (x *Features) columnsOf(features []int32) []gcg.Column {
	list := slices.Compact(slices.Sorted(slices.Values(features)))
	some := x.columns(list)
	if slices.Equal(list, features) {
		return some
	}
	out := make([]gcg.Column, len(features))
	for t, j := range features {
		place, _ := slices.BinarySearch(list, j)
		out[t] = some[place]
	}
	return out
}

// columns are the given ascending features of X: as copies of n values where X is dense, else of the values that are not 0,
// which others may share.
func (x *Features) columns(features []int32) []gcg.Column {
	out := make([]gcg.Column, len(features))
	x.rows.pick(x, features, out)
	return out
}

// pickedSingly is how often columns are picked before all of them are made, which takes as long as to pick some five times: a fit
// at one large λ asks less often, and a path at each λ.
const pickedSingly = 4

// pick takes the columns out of all, which are made once, or goes over all values.
func (s sparseRows[T]) pick(x *Features, features []int32, out []gcg.Column) {
	if x.picked.Add(1) <= pickedSingly {
		s.pickSome(x.p, features, out)
		return
	}
	if x.turned.Load() == nil { // two at once may make them, of which one is kept
		x.turned.CompareAndSwap(nil, s.byColumns(x.p))
	}
	all := x.turned.Load()
	for t, j := range features {
		out[t].Index, out[t].Values = all.of(j)
	}
}

// pickSome appends to column t, for all t, the values of feature features[t] that are not 0: two passes over the values, of which
// the first counts.
func (s sparseRows[T]) pickSome(p int, features []int32, out []gcg.Column) {
	place := make([]int32, p)
	for t, j := range features {
		place[j] = int32(t) + 1
	}
	count, all := make([]int, len(features)), 0
	for _, j := range s.index {
		if t := place[j]; t > 0 {
			count[t-1]++
			all++
		}
	}
	index, values := make([]int32, all), make([]float64, all)
	for t, n := range count {
		out[t].Index, out[t].Values = index[:0:n], values[:0:n]
		index, values = index[n:], values[n:]
	}
	for i := range len(s.ptr) - 1 {
		for e := s.ptr[i]; e < s.ptr[i+1]; e++ {
			if t := place[s.index[e]]; t > 0 && s.values[e] != 0 {
				c := &out[t-1]
				c.Index, c.Values = append(c.Index, int32(i)), append(c.Values, float64(s.values[e]))
			}
		}
	}
}

// sparseColumns are sparse rows by columns, without values of 0: column j has those from ptr[j] on, up to ptr[j+1].
type sparseColumns struct {
	ptr    []int64
	index  []int32 // of the samples
	values []float64
}

// of is column j.
func (c *sparseColumns) of(j int32) (index []int32, values []float64) {
	lo, hi := c.ptr[j], c.ptr[j+1]
	return c.index[lo:hi:hi], c.values[lo:hi:hi]
}

// byColumns takes two passes over the values, of which the first counts.
func (s sparseRows[T]) byColumns(p int) *sparseColumns {
	next := make([]int64, p+1) // where the next value of each column goes, one place on
	for e, j := range s.index {
		if s.values[e] != 0 {
			next[j+1]++
		}
	}
	for j := range p {
		next[j+1] += next[j]
	}
	c := &sparseColumns{slices.Clone(next), memory.Make[int32](int(next[p])), memory.Make[float64](int(next[p]))}
	for i := range len(s.ptr) - 1 {
		lo, hi := s.ptr[i], s.ptr[i+1]
		for e, j := range s.index[lo:hi] {
			if v := s.values[lo:hi][e]; v != 0 {
				at := next[j]
				c.index[at], c.values[at] = int32(i), float64(v)
				next[j] = at + 1
			}
		}
	}
	return c
}

// keptColumns are the first dense columns that were picked, so that those who ask for the same ones share them.
type keptColumns struct {
	mu sync.Mutex
	of map[int32][]float64
}

// keptPart of the features, at most, have their columns kept. A path of 100 lasso problems asks for a seventh of 10,000.
const keptPart = 0.125

// fill writes the columns of features that are kept into out, and lists the places of the others.
func (k *keptColumns) fill(out []gcg.Column, features []int32) (left []int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for t, j := range features {
		if out[t].Values = k.of[j]; out[t].Values == nil {
			left = append(left, t)
		}
	}
	return left
}

// lacks counts the features whose columns are not kept.
func (k *keptColumns) lacks(features []int32) (count int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, j := range features {
		if k.of[j] == nil {
			count++
		}
	}
	return count
}

// keep keeps the columns of some of the features, if all of them have room among the most that are kept: they share memory.
func (k *keptColumns) keep(out []gcg.Column, features []int32, some []int, most int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.of)+len(some) > most {
		return
	}
	if k.of == nil {
		k.of = map[int32][]float64{}
	}
	for _, t := range some {
		k.of[features[t]] = out[t].Values
	}
}

// pick writes whole columns, of which the first are kept.
func (d denseRows[T]) pick(x *Features, features []int32, out []gcg.Column) {
	left := x.kept.fill(out, features)
	if len(left) == 0 {
		return
	}
	all := features
	if len(left) < len(features) {
		features = make([]int32, len(left))
		for s, t := range left {
			features[s] = all[t]
		}
	}
	n := len(d.x) / d.p
	values := memory.Make[float64](n * len(left))
	for s, t := range left {
		out[t].Values = values[s*n : (s+1)*n : (s+1)*n]
	}
	blocks := par.Grain(n, 64, 64)
	par.For(blocks, func(b int) {
		lo, hi := par.Range(b, blocks, n)
		for first := 0; first < len(features); first += pickedTogether {
			some := features[first:min(first+pickedTogether, len(features))]
			for i := lo; i < hi; i++ {
				row := d.x[i*d.p : (i+1)*d.p]
				at := first*n + i
				for _, j := range some {
					values[at] = float64(row[j])
					at += n
				}
			}
		}
	})
	x.kept.keep(out, all, left, int(keptPart*float64(d.p)))
}

// pickedTogether is how many columns are written side by side: as many lines of the cache as stay there.
const pickedTogether = 64

// Columns has for each entry (j, c) of W the values of feature j, at the observations iC + c.
func (d *Design) Columns(rows, cols []int32) []gcg.Column {
	out := d.x.columnsOf(rows)
	for t := range out {
		out[t].Offset, out[t].Stride = int(cols[t]), d.outputs
	}
	return out
}

// Columns has for each entry (j, t) of W the values of feature j in the samples of task t.
func (o *Tasks) Columns(rows, cols []int32) []gcg.Column {
	out := make([]gcg.Column, len(rows))
	for t, whole := range o.x.columnsOf(rows) {
		out[t] = gcg.Column{Index: []int32{}, Stride: 1}
		for e, v := range whole.Values {
			i := int32(e)
			if whole.Index != nil {
				i = whole.Index[e]
			}
			if o.task[i] == cols[t] && v != 0 {
				out[t].Index = append(out[t].Index, i)
				out[t].Values = append(out[t].Values, v)
			}
		}
	}
	return out
}

// boundedFrom is how many samples an output has, at least, for bounds of a gradient's entries to cost little beside the gradient.
const boundedFrom = 32

// Bounded is the design, where X is dense, gradients are formed and bounds of their entries cost little beside them. See
// view.BoundingOperator.
func (d *Design) Bounded() gcg.Operator {
	if d.x.rows.sparse() || d.x.p*d.outputs > denseLimit || d.x.n < boundedFrom*d.outputs {
		return nil
	}
	return d
}

// Unpicked counts the features whose columns are not kept, see view.BoundingOperator.
func (d *Design) Unpicked(rows []int32) int { return d.x.kept.lacks(rows) }

// AdjointBoundTo writes dst_jc = ‖x_j‖‖r_c‖, see view.BoundingOperator. The norms of the features take one pass over X, once.
func (d *Design) AdjointBoundTo(dst, r []float64) {
	c := d.outputs
	sums := make([]float64, c)
	for e := 0; e < len(r); e += c {
		for o, v := range r[e : e+c] {
			sums[o] += v * v
		}
	}
	for o, s := range sums {
		sums[o] = normAtLeast(s, d.x.n)
	}
	for j, norm := range d.x.norms() {
		for o, s := range sums {
			dst[j*c+o] = norm * s
		}
	}
}

// normAtLeast is the root of a sum of so many squares, with room for their rounding and for squares that underflow.
func normAtLeast(sum float64, count int) float64 {
	n := float64(count + 8)
	return math.Sqrt(sum+n*math.SmallestNonzeroFloat64) * (1 + n*linalg.Epsilon)
}

// columnNorms are at least ‖x_j‖, of one pass over X.
func (x *Features) columnNorms() []float64 {
	norms := make([]float64, x.p)
	par.Accumulate(norms, par.Grain(x.n, max(1, 1<<17/x.p), 8), x.n, func(part []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			x.rows.addSquares(part, i, 1)
		}
	})
	for j, s := range norms {
		norms[j] = normAtLeast(s, x.n)
	}
	return norms
}

// Columns has for each entry of W a 1 at its one observation.
func (o *Identity) Columns(rows, cols []int32) []gcg.Column {
	out := make([]gcg.Column, len(rows))
	for t := range rows {
		out[t] = gcg.Column{Values: []float64{1}, Offset: int(rows[t])*o.n + int(cols[t]), Stride: 1}
	}
	return out
}

// Columns has for each entry of W its scale at the one observation of it, or nothing where there is none.
func (s *Sampling) Columns(rows, cols []int32) []gcg.Column {
	out := make([]gcg.Column, len(rows))
	for t, i := range rows {
		out[t] = gcg.Column{Index: []int32{}, Stride: 1}
		if e, ok := s.find(i, cols[t]); ok {
			out[t] = gcg.Column{Values: []float64{s.scale(int(i), int(cols[t]))}, Offset: e, Stride: 1}
		}
	}
	return out
}
