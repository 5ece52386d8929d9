package hessian

import (
	"runtime"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// A rowHessian adds H up by rows of observations: those that the loss couples, or single ones where it couples none. A row
// adds xₑ D_ab x_f for any two entries e, f that have values there, at its observations a and b. Of sparse columns few meet
// in a row.
type rowHessian struct {
	*assembly
	entries []int     // ascending
	fresh   []bool    // of all entries: whether the row is wanted
	stride  int       // observations of a row
	used    []int     // those that an entry has in some row
	among   []int     // of an observation of a row among the used ones
	next    []int     // of each entry, the first value that no panel has had
	all     []meeting // of the last panel, by row
	start   []int     // of each row among them
}

// A meeting is the value of an entry in a row of observations.
type meeting struct {
	entry, at int32 // the entry, and its place in its part
	b         int32 // of the observation among the used ones
	x         float64
}

// rowProducts writes the rows of the fresh entries up to the diagonal, by rows of observations. d is the diagonal of ∇²L, or
// nil where it has more.
func (c *assembly) rowProducts(d []float64, entries, fresh []int) {
	stride := 1
	if d == nil {
		stride = c.p.Loss.Stride()
	}
	h := newRowHessian(c, entries, fresh, stride)
	switch {
	case len(entries) == 0 || len(h.used) == 0: // of features that are 0 everywhere
		return
	case d != nil:
		h.add(len(c.s.Z), func(dst []float64, lo, n int) { copy(dst, d[lo:lo+n]) })
	case len(h.used) <= len(fresh):
		h.add(len(c.s.Z)/stride, h.coupledTo)
	default: // all of ∇²L is more than its products with the columns
		c.columnProducts(fresh)
	}
}

// newRowHessian is for the entries given, and writes the rows of the fresh ones up to the diagonal.
func newRowHessian(c *assembly, entries, fresh []int, stride int) *rowHessian {
	h := &rowHessian{assembly: c, entries: entries, fresh: make([]bool, len(c.columns)), stride: stride,
		among: make([]int, stride), next: make([]int, len(entries))}
	for _, e := range fresh {
		h.fresh[e] = true
	}
	if stride == 1 {
		h.used = []int{0}
		return h
	}
	used := make([]bool, stride)
	for _, e := range entries {
		Each(&c.columns[e], func(at int) { used[at%stride] = true })
	}
	for i, yes := range used {
		if yes {
			h.among[i] = len(h.used)
			h.used = append(h.used, i)
		}
	}
	return h
}

// coupledTo writes the second derivatives of n rows from lo on between the used observations, by a product with ∇²L for each
// of these.
func (h *rowHessian) coupledTo(dst []float64, lo, n int) {
	k := len(h.used)
	par.For(k, func(b int) {
		v := derivatives(h.p, h.s, h.used[b], lo, n)
		for r := range n {
			for a, at := range h.used {
				dst[(r*k+a)*k+b] = v[r*h.stride+at]
			}
		}
		memory.Repay(v)
	})
}

// derivatives is ∇²L e on n rows from lo on, where e is 1 at the observation at of each row and 0 elsewhere. The memory is
// borrowed.
func derivatives(p *view.Problem, s *gcg.State, at, lo, n int) []float64 {
	stride := p.Loss.Stride()
	d := memory.Borrow[float64](n * stride)
	clear(d)
	for i := at; i < len(d); i += stride {
		d[i] = 1
	}
	p.HessBlockTo(d, lo*stride, s.Z, s.R, d)
	return d
}

// add adds up all rows, a panel of them at a time. second writes the second derivatives of n rows from lo on.
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

// The sizes of a panel of rows: larger ones are swept less often, and no longer stay in the cache.
const (
	rowPanel      = 1 << 20 // second derivatives, at most
	maxRowPanel   = 1 << 13 // rows, at most
	panelMeetings = 1 << 20 // meetings, about
)

// meet lists the meetings of n rows from lo on, sorted by row and then by entry: those of row lo+r begin at start[r]. It
// returns where the values of the columns in this panel begin.
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
			h.all[*to] = meeting{int32(e), int32(h.At[e]), int32(h.among[at%h.stride]), c.Values[t]}
			*to++
		}
	}
	h.start = start[:n+1]
	return before
}

// addPanel adds what the rows of a panel, from lo on, contribute to the rows of H of every blocks-th fresh entry, of which
// block b has those with remainder b. A row of H belongs to one block and stays in its cache. before is where the columns'
// values in the panel begin.
func (h *rowHessian) addPanel(d []float64, before []int, lo, b, blocks int) {
	k := len(h.used)
	upTo := slices.Clone(h.start) // of each row, the meetings of entries so far
	for q, e := range h.entries {
		if !h.fresh[e] || e%blocks != b {
			continue
		}
		to, c := h.Row(e), &h.columns[e]
		for t := before[q]; t < h.next[q]; t++ {
			at := c.At(t)
			r := at/h.stride - lo
			for upTo[r] < h.start[r+1] && int(h.all[upTo[r]].entry) <= e {
				upTo[r]++
			}
			x, w := c.Values[t], d[(r*k+h.among[at%h.stride])*k:][:k]
			for _, f := range h.all[h.start[r]:upTo[r]] {
				to[f.at] += x * f.x * w[f.b]
			}
		}
	}
}
