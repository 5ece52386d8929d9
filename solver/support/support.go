package support

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// A support is the part of W that Corrective works on for a gcg.BlockGauge: the blocks that atoms have touched, as one
// vector x of their entries, with the columns A(e) of these. The totally corrective problem [Yu17 eq 42], in which atoms of
// one block merge, is then
//
//	minimise over x   L(z₀ + Σ xₛ A(eₛ)) + h(Σ_b κ_b(x_b))
//
// Proximal Newton steps solve it, see step.go; each minimises a quadratic model of L plus the gauge, see
// model.go. A squared loss takes one.
type support struct {
	op   view.ColumnOperator
	loss gcg.CurvedLoss
	blockGauge
	dense bool // the columns are dense and the loss couples their classes, see hessian.DenseOfClass

	place      map[int64]int // of a key among the blocks
	keys       []int64
	start      []int // entries of block b are start[b] … start[b+1]-1
	rows, cols []int32
	columns    []gcg.Column // of the first entries; extract adds the missing ones
	x          []float64

	hess  *hessian.Parts // H, the second derivatives of L in x
	known int            // entries of x that hess holds; a quadratic loss keeps them

	experience
}

// experience is what models of a problem have taught so far, whatever the blocks.
type experience struct {
	top          float64 // a bound of H beside its scales at the last model, where H is known by products alone
	multiplier   float64 // μ at the minimiser of the last model, where h is not λx; +Inf before the first
	reach        float64 // length of secants, or 0 before the first step
	damping      float64 // t of damped: how much of the model is the bound of the curvature
	formPrice    float64 // products that a model took before H was formed
	faceProducts float64 // products of all models so far, for a gauge with faces, as Newton steps on these take a formed H
}

// A blockGauge is a gauge of blocks, with what it knows of them beyond that, or nil.
type blockGauge struct {
	gauge   gcg.BlockGauge
	smooth  view.SmoothBlockGauge
	largest view.LargestBlockGauge
}

func blockGaugeOf(p *view.Problem) blockGauge {
	return blockGauge{p.BlockGauge, p.SmoothBlocks, p.LargestBlocks}
}

// newSupport is one without blocks.
func newSupport(k blockGauge) *support {
	return &support{blockGauge: k, place: map[int64]int{}, start: []int{0}}
}

// maxSupport bounds the entries t of a part of H, which takes 8t² bytes, and about half as much more while it is formed.
const maxSupport = 20000

// tooWide says that the second derivatives of L and of the blocks' gauges have no room in memory, formed part by part, and
// that they are not left unformed either.
func (u *support) tooWide(p *view.Problem, s *gcg.State) bool {
	t := len(u.x)
	if t <= maxSupport || u.byProducts(p) {
		return false
	}
	if !p.Separable {
		return true
	}
	u.extract()
	room := maxSupport * maxSupport
	for _, part := range hessian.GroupsOf(p, s, u.columns).Members {
		room -= len(part) * len(part)
	}
	for b := range u.keys {
		w := u.start[b+1] - u.start[b]
		room -= w * w
	}
	return room < 0
}

// supportFor is the support that c has for this problem, or a new one; nil where the gauge has no blocks or the operator no
// columns.
func (c *Corrective) supportFor(p *view.Problem) *support {
	if p.BlockGauge == nil || p.Columns == nil {
		return nil
	}
	if c.blocks == nil || !view.Same(c.blocks.op, p.Columns) || !view.Same(c.blocks.loss, p.Loss) {
		c.blocks = newSupport(blockGaugeOf(p))
		c.blocks.op, c.blocks.loss, c.blocks.multiplier = p.Columns, p.Curved, math.Inf(1)
		c.blocks.dense = !p.Separable && hessian.DenseOfClass(p, &p.Columns.Columns([]int32{0}, []int32{0})[0])
	}
	if l, ok := p.Loss.(interface{ Width() float64 }); ok && l.Width() != c.width { // another loss, of other second derivatives
		c.width = l.Width()
		c.blocks.experience = experience{multiplier: math.Inf(1)}
	}
	c.blocks.blockGauge = blockGaugeOf(p)
	return c.blocks
}

// load takes W into x, new blocks included. It reports whether every atom of W lies in the block of its key.
func (u *support) load(w *gcg.Iterate) bool {
	if w.Rank() > 0 {
		return false
	}
	clear(u.x)
	var fresh []int64
	for i := range w.Terms {
		key := w.Terms[i].Atom.Key
		if key == 0 {
			return false
		}
		if _, ok := u.place[key]; !ok {
			u.place[key] = len(u.keys) + len(fresh)
			fresh = append(fresh, key)
		}
	}
	u.grow(fresh, w.M, w.N)
	for i := range w.Terms {
		t := &w.Terms[i]
		b := u.place[t.Atom.Key]
		lo, hi := u.start[b], u.start[b+1]
		at := lo
		for e, v := range t.Atom.Vals { // most are in the order of the block
			there := func() bool { return u.rows[at] == t.Atom.Rows[e] && u.cols[at] == t.Atom.Cols[e] }
			for tries := hi - lo; tries > 1 && !there(); tries-- {
				if at++; at == hi {
					at = lo
				}
			}
			if !there() {
				return false
			}
			u.x[at] += t.Weight * v
		}
	}
	return true
}

// grow adds blocks, with entries of 0.
func (u *support) grow(keys []int64, m, n int) {
	if len(keys) == 0 {
		return
	}
	first := len(u.rows)
	for _, key := range keys {
		rows, cols := u.gauge.Block(key, m, n)
		u.keys = append(u.keys, key)
		u.rows, u.cols = append(u.rows, rows...), append(u.cols, cols...)
		u.start = append(u.start, len(u.rows))
	}
	u.x = append(u.x, make([]float64, len(u.rows)-first)...)
}

// block is x_b.
func (u *support) block(x []float64, b int) []float64 { return x[u.start[b]:u.start[b+1]] }

// rho is κ(x), the sum over the blocks. It is measured by a proximity operator of step 0, which also puts x into the domain
// of κ.
func (u *support) rho(x []float64) float64 {
	var sum float64
	for b, key := range u.keys {
		y := u.block(x, b)
		sum += u.gauge.BlockProxTo(y, y, key, 0)
	}
	return sum
}

// rhoAt is κ(x + y).
func (u *support) rhoAt(x, y []float64) float64 {
	z := append([]float64(nil), x...)
	kernel.Axpy(1, y, z)
	return u.rho(z)
}

// store writes x into W, as one atom for each block that is not 0.
func (u *support) store(s *gcg.State) {
	s.W.Terms = nil
	for b, key := range u.keys {
		x := u.block(u.x, b)
		weight := u.gauge.BlockProxTo(x, x, key, 0)
		if weight == 0 {
			continue
		}
		a := gcg.Atom{Key: key}
		for e, v := range x {
			if v != 0 {
				at := u.start[b] + e
				a.Rows, a.Cols = append(a.Rows, u.rows[at]), append(a.Cols, u.cols[at])
				a.Vals = append(a.Vals, v/weight)
			}
		}
		s.W.Terms = append(s.W.Terms, gcg.Term{Atom: a, Weight: weight})
	}
}

// prune forgets the blocks at 0 when they are most of the support.
func (u *support) prune() {
	zero := 0
	for b := range u.keys {
		if hessian.IsZero(u.block(u.x, b)) {
			zero++
		}
	}
	if zero < 100 || 2*zero < len(u.keys) {
		return
	}
	kept := newSupport(u.blockGauge)
	extracted := len(u.columns) == len(u.x)
	for b, key := range u.keys {
		if hessian.IsZero(u.block(u.x, b)) {
			continue
		}
		lo, hi := u.start[b], u.start[b+1]
		kept.place[key] = len(kept.keys)
		kept.keys = append(kept.keys, key)
		kept.rows, kept.cols = append(kept.rows, u.rows[lo:hi]...), append(kept.cols, u.cols[lo:hi]...)
		kept.x = append(kept.x, u.x[lo:hi]...)
		if extracted {
			kept.columns = append(kept.columns, u.columns[lo:hi]...)
		}
		kept.start = append(kept.start, len(kept.rows))
	}
	kept.op, kept.loss, kept.dense, kept.experience = u.op, u.loss, u.dense, u.experience
	*u = *kept
}

// extract takes the columns that are missing out of the data, in one pass over it.
func (u *support) extract() {
	if first := len(u.columns); first < len(u.x) {
		u.columns = append(u.columns, u.op.Columns(u.rows[first:], u.cols[first:])...)
		for i := range u.columns[first:] {
			ascend(&u.columns[first+i])
		}
		u.share(first)
	}
}

// ascend sorts a column by observation, as an operator of the caller's own may not.
func ascend(c *gcg.Column) {
	if slices.IsSorted(c.Index) {
		return
	}
	order := make([]int, len(c.Index))
	for t := range order {
		order[t] = t
	}
	slices.SortFunc(order, func(a, b int) int { return int(c.Index[a]) - int(c.Index[b]) })
	index, values := make([]int32, len(order)), make([]float64, len(order))
	for t, from := range order {
		index[t], values[t] = c.Index[from], c.Values[from]
	}
	c.Index, c.Values = index, values
}

// share lets the dense columns from first on share their values with older columns of the same feature, by which H
// recognises features.
func (u *support) share(first int) {
	if !u.dense {
		return
	}
	values := map[int32][]float64{}
	for i := range u.columns {
		c := &u.columns[i]
		older, ok := values[u.rows[i]]
		switch {
		case c.Index != nil:
		case !ok:
			values[u.rows[i]] = c.Values
		case i >= first && slices.Equal(older, c.Values):
			c.Values = older
		}
	}
}
