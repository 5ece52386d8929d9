package solver

import (
	"runtime"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// A rowHessian adds up H by rows of observations, those that the loss couples or single ones where it couples none: a row adds
// xₑ D_ab x_f for every two entries e, f that it has, at its observations a and b. Of sparse columns few meet.
type rowHessian struct {
	c       *parts
	columns []gcg.Column
	entries []int     // ascending
	fresh   []bool    // of all entries: whether the row is wanted
	stride  int       // observations of a row
	used    []int     // those that an entry has in some row
	place   []int     // of an observation of a row among the used ones
	next    []int     // of each entry, the first value that no panel has had
	all     []meeting // of the last panel, by row
	start   []int     // of each row among them
}

// A meeting is a value of an entry in a row.
type meeting struct {
	entry, at int32 // the entry, and its place in its part
	b         int32 // of the observation among the used ones
	x         float64
}

// rowProducts writes the rows of the fresh entries up to the diagonal, d being the diagonal of ∇²L, or nil where it has more.
func (c *parts) rowProducts(p *gcg.Problem, s *gcg.State, d []float64, columns []gcg.Column, entries, fresh []int) {
	stride := 1
	if d == nil {
		stride = p.Loss.Stride()
	}
	h := newRowHessian(c, columns, entries, fresh, stride)
	switch {
	case len(entries) == 0 || len(h.used) == 0: // of features that are 0 everywhere
		return
	case d != nil:
		h.add(len(s.Z), func(dst []float64, lo, n int) { copy(dst, d[lo:lo+n]) })
	case len(h.used) <= len(fresh):
		h.add(len(s.Z)/stride, func(dst []float64, lo, n int) { h.coupledTo(dst, p, s, lo, n) })
	default: // all of ∇²L is more than its products with the columns
		c.columnProducts(p, s, columns, fresh)
	}
}

// newRowHessian is of the entries, of which the fresh ones' rows are wanted, up to the diagonal.
func newRowHessian(c *parts, columns []gcg.Column, entries, fresh []int, stride int) *rowHessian {
	h := &rowHessian{c: c, columns: columns, entries: entries, fresh: make([]bool, len(columns)), stride: stride, place: make([]int, stride), next: make([]int, len(entries))}
	for _, e := range fresh {
		h.fresh[e] = true
	}
	if stride == 1 {
		h.used = []int{0}
		return h
	}
	used := make([]bool, stride)
	for _, e := range entries {
		each(&columns[e], func(at int) { used[at%stride] = true })
	}
	for i, yes := range used {
		if yes {
			h.place[i] = len(h.used)
			h.used = append(h.used, i)
		}
	}
	return h
}

// coupledTo writes the second derivatives of n rows from lo on at the used observations, which take one product with ∇²L each.
func (h *rowHessian) coupledTo(dst []float64, p *gcg.Problem, s *gcg.State, lo, n int) {
	k := len(h.used)
	par.For(k, func(b int) {
		v := derivatives(p, s, h.used[b], lo, n)
		for r := range n {
			for a, at := range h.used {
				dst[(r*k+a)*k+b] = v[r*h.stride+at]
			}
		}
		memory.Repay(v)
	})
}

// derivatives is ∇²L e on n rows from lo on, e being 1 at one observation of each; it is borrowed.
func derivatives(p *gcg.Problem, s *gcg.State, at, lo, n int) []float64 {
	stride := p.Loss.Stride()
	d := memory.Borrow[float64](n * stride)
	clear(d)
	for i := at; i < len(d); i += stride {
		d[i] = 1
	}
	p.HessBlockTo(d, lo*stride, s.Z, s.R, d)
	return d
}

// add adds all rows, panels of them at a time; second writes the second derivatives of n rows from lo on.
func (h *rowHessian) add(rows int, second func(dst []float64, lo, n int)) {
	k := len(h.used)
	var values int
	for _, e := range h.entries {
		values += len(h.columns[e].Values)
	}
	panel := max(1, min(rowPanel/(k*k), maxRowPanel, int(panelMeetings*float64(rows)/float64(values+1))))
	d := memory.Borrow[float64](panel * k * k)
	blocks := min(runtime.GOMAXPROCS(0), par.Grain(len(h.entries), 64, 16)) // H is the same whatever their number
	for lo := 0; lo < rows; lo += panel {
		n := min(panel, rows-lo)
		before := h.meet(lo, n)
		if len(h.all) == 0 {
			continue
		}
		second(d[:n*k*k], lo, n)
		par.For(blocks, func(b int) { h.addPanel(d, before, lo, b, blocks) })
	}
	memory.Repay(d)
}

// What a panel holds at most: second derivatives, rows, and about so many meetings.
const (
	rowPanel      = 1 << 20
	maxRowPanel   = 1 << 13
	panelMeetings = 1 << 20
)

// meet lists the meetings of n rows from lo on, by row and then by entry; those of row lo+r are from start[r] on. It returns where the columns'
// values in the panel begin.
func (h *rowHessian) meet(lo, n int) (before []int) {
	start := make([]int, n+2)
	before = slices.Clone(h.next)
	end := (lo + n) * h.stride
	for q, e := range h.entries {
		c := &h.columns[e]
		for h.next[q] < len(c.Values) && c.At(h.next[q]) < end {
			start[c.At(h.next[q])/h.stride-lo+2]++
			h.next[q]++
		}
	}
	for r := range n {
		start[r+2] += start[r+1]
	}
	h.all = slices.Grow(h.all[:0], start[n+1])[:start[n+1]]
	for q, e := range h.entries {
		c := &h.columns[e]
		for t := before[q]; t < h.next[q]; t++ {
			at := c.At(t)
			to := &start[at/h.stride-lo+1]
			h.all[*to] = meeting{int32(e), int32(h.c.at[e]), int32(h.place[at%h.stride]), c.Values[t]}
			*to++
		}
	}
	h.start = start[:n+1]
	return before
}

// addPanel adds what the rows from lo on add to H's rows of every blocks-th fresh entry, of which this block is b. A row of H, which is one
// block's, stays in the cache meanwhile; before is where the columns' values in the panel begin.
func (h *rowHessian) addPanel(d []float64, before []int, lo, b, blocks int) {
	k := len(h.used)
	upTo := slices.Clone(h.start) // of each row, the meetings of entries so far
	for q, e := range h.entries {
		if !h.fresh[e] || e%blocks != b {
			continue
		}
		to, c := h.c.row(e), &h.columns[e]
		for t := before[q]; t < h.next[q]; t++ {
			at := c.At(t)
			r := at/h.stride - lo
			for upTo[r] < h.start[r+1] && int(h.all[upTo[r]].entry) <= e {
				upTo[r]++
			}
			x, w := c.Values[t], d[(r*k+h.place[at%h.stride])*k:][:k]
			for _, f := range h.all[h.start[r]:upTo[r]] {
				to[f.at] += x * f.x * w[f.b]
			}
		}
	}
}
