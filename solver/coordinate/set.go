package coordinate

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// A set is the blocks that were ever in the working set of a problem, whose entries are numbered in the order in which they came.
type set struct {
	data   view.DataKey
	gauge  gcg.BlockGauge
	op     view.ColumnOperator
	m, n   int // of W
	order  order
	sparse bool          // the columns are
	place  map[int64]int // of a key among the blocks
	blocks []block
	rows   []int32 // of the entries
	cols   []int32
	x      []float64
	column []column
	values int // in all columns

	constant  []int32 // of an intercept, of each observation; nil without one
	constants int

	fixed  *metric  // D of a squared loss, with
	scaled []scaled // the columns in it, and
	gram   *gram    // X̃ᵀX̃ of those for which it is formed; nil where that is never worth it
	direct float64  // values that sweeps have read from the columns since it was formed last, or would have in the last fit by it
	factor *factor  // of some of it; nil before it was needed
	shapes []shape  // of the blocks, that are measured

	one  [1]float64 // room for a number
	room []float64  // for the columns of a model in a metric of its own, which the next one takes
}

// A block has the entries lo ≤ e < hi. A block of one entry weighs it by up where it is positive, and by down where it is
// negative.
type block struct {
	key      int64
	lo, hi   int
	up, down float64
}

// newSet is one without blocks.
func newSet(p *view.Problem) *set {
	m, n, nobs := p.Operator.Dims()
	one := p.Columns.Columns([]int32{0}, []int32{0})[0]
	u := &set{data: view.KeyOf(p.Problem), gauge: p.BlockGauge, op: p.Columns, m: m, n: n, place: map[int64]int{},
		order: order{nobs, one.Stride}, sparse: one.Index != nil}
	if p.Intercept {
		e := p.InterceptMap()
		u.constant, u.constants = make([]int32, nobs), e.Count
		for i := range u.constant {
			u.constant[u.order.of(i)] = int32(e.At(i))
		}
	}
	if q := p.LeastSquares; q != nil {
		d := u.metric(q.Scale(), q.Weights())
		u.fixed = &d
		if u.order.stride == 1 { // products of columns of several outputs are mostly 0
			u.gram = &gram{n: nobs}
		}
	}
	return u
}

// metric is that of weights of the observations, nil for ones, times c.
func (u *set) metric(c float64, weights []float64) metric {
	return newMetric(c, u.order.in(weights), u.constant, u.constants)
}

// serves says that the set is of the problem.
func (u *set) serves(p *view.Problem) bool {
	return u.data.Of(p.Problem) && view.Same(u.gauge, p.BlockGauge)
}

// add takes in the blocks of some keys, with their columns, from one pass over the data.
func (u *set) add(keys []int64) {
	first := len(u.rows)
	for _, key := range keys {
		if _, ok := u.place[key]; ok {
			continue
		}
		rows, cols := u.gauge.Block(key, u.m, u.n)
		u.place[key] = len(u.blocks)
		b := block{key: key, lo: len(u.rows), hi: len(u.rows) + len(rows)}
		if len(rows) == 1 {
			b.up, b.down = u.weight(key, 1), u.weight(key, -1)
		}
		u.blocks = append(u.blocks, b)
		u.rows, u.cols = append(u.rows, rows...), append(u.cols, cols...)
	}
	if len(u.rows) == first {
		return
	}
	u.x = append(u.x, make([]float64, len(u.rows)-first)...)
	for _, c := range u.op.Columns(u.rows[first:], u.cols[first:]) {
		u.column = append(u.column, columnOf(c, u.order))
		u.values += len(c.Values)
	}
	if u.fixed != nil {
		u.scale(first)
	}
}

// weight is κ_b(x) for a block of one entry, +Inf where the gauge has no such x.
func (u *set) weight(key int64, x float64) float64 {
	y := u.one[:]
	y[0] = x
	if w := u.gauge.BlockProxTo(y, y, key, 0); y[0] == x {
		return w
	}
	return math.Inf(1)
}

// scale makes the columns from first on those of the fixed metric.
func (u *set) scale(first int) {
	for e := first; e < len(u.column); e++ {
		c := &u.column[e]
		var to []float64
		if twin := u.twin(e); twin != nil {
			u.scaled = append(u.scaled, *twin)
			continue
		} else if u.fixed.copies(c) {
			to = make([]float64, len(c.values))
		}
		u.scaled = append(u.scaled, u.fixed.scale(c, to))
	}
}

// twin is x̃ of entry e where that of the one before has the same values of another output, which nothing weighs.
func (u *set) twin(e int) *scaled {
	if e == 0 || u.fixed.root != nil {
		return nil
	}
	c, before, s := &u.column[e], &u.column[e-1], u.scaled[e-1]
	if c.index != nil || before.index != nil || &c.values[0] != &before.values[0] {
		return nil
	}
	s.from = c.from
	return &s
}

// load takes W into x. It reports false where W has atoms that are not of blocks.
func (u *set) load(w *gcg.Iterate) bool {
	clear(u.x)
	if w.Rank() > 0 {
		return false
	}
	keys := make([]int64, len(w.Terms))
	for i := range w.Terms {
		if keys[i] = w.Terms[i].Atom.Key; keys[i] == 0 {
			return false
		}
	}
	u.add(keys)
	for i := range w.Terms {
		t := &w.Terms[i]
		b := u.blocks[u.place[t.Atom.Key]]
		at := b.lo
		for e, v := range t.Atom.Vals { // most are in the order of the block
			for tries := b.hi - b.lo; u.rows[at] != t.Atom.Rows[e] || u.cols[at] != t.Atom.Cols[e]; tries-- {
				if tries == 0 {
					return false
				}
				if at++; at == b.hi {
					at = b.lo
				}
			}
			u.x[at] += t.Weight * v
		}
	}
	return true
}

// loadWhole takes the entries of any W that are in blocks.
func (u *set) loadWhole(w *gcg.Iterate) {
	clear(u.x)
	all := w.Dense()
	for key := int64(1); key <= int64(u.gauge.Blocks(u.m, u.n)); key++ {
		rows, cols := u.gauge.Block(key, u.m, u.n)
		x := make([]float64, len(rows))
		for t := range rows {
			x[t] = all[int(rows[t])*u.n+int(cols[t])]
		}
		if !hessian.IsZero(x) {
			u.add([]int64{key})
			b := u.blocks[u.place[key]]
			copy(u.x[b.lo:b.hi], x)
		}
	}
}

// nonzero are the blocks that are not 0.
func (u *set) nonzero() (list []int) {
	for i, b := range u.blocks {
		if !hessian.IsZero(u.x[b.lo:b.hi]) {
			list = append(list, i)
		}
	}
	return list
}

// rho is κ(x).
func (u *set) rho() (sum float64) {
	for i := range u.blocks {
		sum += u.kappa(i, u.x[u.blocks[i].lo:u.blocks[i].hi])
	}
	return sum
}

// kappa is κ_b(x), and puts x into the domain of κ_b.
func (u *set) kappa(b int, x []float64) float64 {
	k := &u.blocks[b]
	switch {
	case hessian.IsZero(x):
		return 0
	case len(x) == 1 && x[0] > 0 && !math.IsInf(k.up, 1):
		return k.up * x[0]
	case len(x) == 1 && x[0] < 0 && !math.IsInf(k.down, 1):
		return -k.down * x[0]
	}
	return u.gauge.BlockProxTo(x, x, k.key, 0)
}

// observe writes x into the observations of W, which follow those of the data, row by row.
func (u *set) observe(z []float64) {
	for e, x := range u.x {
		z[u.order.n+int(u.rows[e])*u.n+int(u.cols[e])] = x
	}
}

// store writes x into W, as one atom for each block that is not 0, and the predictions of W into z: those of the data, and W
// itself where it is observed.
func (u *set) store(s *gcg.State, observed bool) {
	s.W = &gcg.Iterate{M: u.m, N: u.n}
	s.Rho = 0
	z := make([]float64, u.order.n)
	count := 0
	for _, v := range u.x {
		if v != 0 {
			count++
		}
	}
	rows, cols, vals := make([]int32, 0, count), make([]int32, 0, count), make([]float64, 0, count)
	for i, b := range u.blocks {
		x := u.x[b.lo:b.hi]
		weight := u.kappa(i, x)
		if weight == 0 {
			continue
		}
		s.Rho += weight
		from := len(vals)
		for t, v := range x {
			if v != 0 {
				e := b.lo + t
				rows, cols, vals = append(rows, u.rows[e]), append(cols, u.cols[e]), append(vals, v/weight)
				u.column[e].addTo(z, v)
			}
		}
		to := len(vals)
		a := gcg.Atom{Key: b.key, Rows: rows[from:to:to], Cols: cols[from:to:to], Vals: vals[from:to:to]}
		s.W.Terms = append(s.W.Terms, gcg.Term{Atom: a, Weight: weight})
	}
	copy(s.Z, u.order.out(z))
	if observed {
		clear(s.Z[u.order.n:])
		u.observe(s.Z)
	}
}

// passWork are about the values that one pass over all of the data reads.
func (u *set) passWork() float64 {
	return float64(u.values) / float64(max(1, len(u.column))) * float64(u.m*u.n)
}
