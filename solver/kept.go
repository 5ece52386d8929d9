package solver

import (
	"math"
	"slices"
	"sync"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// What is kept of the gradients of a schedule: the last one, with the R that it is of, as the first polar of a λ is at the last
// iterate of the one before; and those that were formed last, which bound the next ones.
type kept struct {
	r      []float64
	g      gcg.Map
	formed []gradient // the last two, the newest last
}

// at is the gradient at the state. It is kept where it is formed from columns, a pass over the data however little of it is read.
func (k *kept) at(p *view.Problem, s *gcg.State) gcg.Map {
	if k == nil || p.Columns == nil || p.IsShared() { // ranks would each compare what they have of R
		return s.Gradient(p.Problem)
	}
	if !slices.Equal(k.r, s.R) {
		k.r = slices.Clone(s.R) // which the map may read until it is formed
		k.g = p.Operator.Adjoint(k.r)
		if p.Bounding != nil && p.EntryBlocks() && gcg.HasRows(k.g) {
			k.g = &boundedGradient{gradient: gradient{k.g, k.r}, op: p.Bounding, k: k, bounds: slices.Clone(k.formed)}
		}
	}
	return k.g
}

// A gradient is G = A*(R), of a pass over the data when it is first read.
type gradient struct {
	gcg.Map
	r []float64
}

// A boundedGradient is a gradient of which little is read: what bounds rule out is not. With R = Σ c_k R_k + E,
//
//	|G - Σ c_k G_k| = |A*(E)| ≤ ‖A(e_ij)‖‖E‖
//
// the sphere test of safe screening [El Ghaoui, Viallon and Rabbani 2012], about a combination of gradients that were formed
// before: along a path R is nearly linear between kinks. What the bounds leave comes of columns of A.
type boundedGradient struct {
	gradient
	op     view.BoundingOperator
	k      *kept
	bounds []gradient // the G_k
	y, d   []float64  // |G - y| ≤ d, nil before they are asked for
	once   sync.Once
}

// form reads all of G, which bounds the next ones.
func (b *boundedGradient) form() gcg.Map {
	b.once.Do(func() { b.k.formed = append(b.k.formed[max(0, len(b.k.formed)-1):], b.gradient) })
	return b.Map
}

// Products and rows are those of all of G.
func (b *boundedGradient) MulTo(dst, x []float64)          { b.form().MulTo(dst, x) }
func (b *boundedGradient) TMulTo(dst, y []float64)         { b.form().TMulTo(dst, y) }
func (b *boundedGradient) RowsTo(dst []float64, first int) { gcg.RowsTo(b.form(), dst, first) }

// Within makes y = Σ c_k G_k and d ≥ |G - y|, or y = G where there are no G_k. The rounding of a sum of N terms is at most N
// half-ulps of Σ|a_e R_e|, that of G_k as well, and of E a few: all of it goes into E.
func (b *boundedGradient) Within() (y, d []float64) {
	if b.y != nil {
		return b.y, b.d
	}
	m, n := b.Dims()
	b.y, b.d = make([]float64, m*n), make([]float64, m*n)
	if len(b.bounds) == 0 {
		gcg.RowsTo(b.form(), b.y, 0)
		return b.y, b.d
	}
	e, size := slices.Clone(b.r), make([]float64, len(b.r))
	for i, x := range b.r {
		size[i] = math.Abs(x)
	}
	for k, c := range b.combination() {
		gcg.RowsTo(b.bounds[k].Map, b.d, 0)
		kernel.Axpy(c, b.d, b.y)
		kernel.Axpy(-c, b.bounds[k].r, e)
		for i, x := range b.bounds[k].r {
			size[i] += math.Abs(c * x)
		}
	}
	part := float64(2*len(e)+16) * linalg.Epsilon
	for i, x := range e {
		e[i] = math.Abs(x) + part*size[i]
	}
	b.op.AdjointBoundTo(b.d, e)
	return b.y, b.d
}

// combination is the c that makes ‖R - Σ c_k R_k‖ least, of one or two R_k.
func (b *boundedGradient) combination() []float64 {
	if len(b.bounds) == 1 {
		r := b.bounds[0].r
		return []float64{kernel.Dot(r, b.r) / kernel.SumSq(r)}
	}
	r, s := b.bounds[0].r, b.bounds[1].r
	rr, rs, ss := kernel.SumSq(r), kernel.Dot(r, s), kernel.SumSq(s)
	rb, sb := kernel.Dot(r, b.r), kernel.Dot(s, b.r)
	if det := rr*ss - rs*rs; det > rounding.Null*rr*ss {
		return []float64{(ss*rb - rs*sb) / det, (rr*sb - rs*rb) / det}
	}
	return []float64{0, sb / ss}
}

const (
	// columnWork is how many entries of a pass over the data take the time of one whose column is picked already,
	columnWork = 1.2
	// and pickedWork that of picking one.
	pickedWork = 8
	// formedPart of the entries is the work from which on all of G is formed, to bound the next ones.
	formedPart = 0.2
)

// Refine makes y_ij = ⟨A(e_ij), R⟩ at the given i·n + j, which ascend, or all of y where they are many.
func (b *boundedGradient) Refine(at []int) {
	_, n := b.Dims()
	rows, cols := make([]int32, len(at)), make([]int32, len(at))
	for t, e := range at {
		rows[t], cols[t] = int32(e/n), int32(e%n)
	}
	if columnWork*float64(len(at))+pickedWork*float64(b.op.Unpicked(rows)) > formedPart*float64(len(b.y)) {
		gcg.RowsTo(b.form(), b.y, 0)
		clear(b.d)
		return
	}
	columns := b.op.Columns(rows, cols)
	blocks := par.Grain(len(columns), 16, 64)
	par.For(blocks, func(block int) {
		lo, hi := par.Range(block, blocks, len(columns))
		for t := lo; t < hi; t++ {
			b.y[at[t]], b.d[at[t]] = columns[t].Dot(b.r), 0
		}
	})
}
