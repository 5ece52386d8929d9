package solver

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// byClass reports whether a column is a dense feature for one class of rows whose classes the loss couples.
func byClass(p *gcg.Problem, c *gcg.Column) bool {
	return c.Index == nil && c.Stride == p.Loss.Stride() && c.Offset < c.Stride && c.Stride*len(c.Values) == p.Loss.Len()
}

func allByClass(p *gcg.Problem, columns []gcg.Column) bool {
	for i := range columns {
		if !byClass(p, &columns[i]) {
			return false
		}
	}
	return true
}

// byClasses writes H, of one part, of dense features and a loss that couples the classes of a row: by class, or by features and classes
// where the entries are about all those of some features in some classes.
func (c *parts) byClasses(p *gcg.Problem, s *gcg.State, columns []gcg.Column) {
	first := map[*float64]int{} // an entry of each feature: entries of one share values
	features := newGroups(len(columns), func(i int) int {
		v := &columns[i].Values[0]
		if _, ok := first[v]; !ok {
			first[v] = i
		}
		return first[v]
	})
	classes := newGroups(len(columns), func(i int) int { return columns[i].Offset })
	t, m, n := float64(len(columns)), float64(len(features.members)), float64(len(classes.members))
	if m*m*n*n/2+scaleTime*(m*m+n*n)/2 < t*t+scaleTime*t*n {
		c.featureProducts(p, s, columns, features, classes)
	} else {
		c.classProducts(p, s, columns, classes)
	}
}

// scaleTime is what it takes to scale a number and pack it for a product, in flops of that.
const scaleTime = 60

// A classHessian forms H by class: with D_ab the diagonal matrix of the rows' second derivatives in the classes a and b, the entries of the
// two have X_aᵀ D_ab X_b.
type classHessian struct {
	p       *gcg.Problem
	s       *gcg.State
	columns []gcg.Column
	classes groups // of entries
	order   []int  // entries by their class
	first   []int  // places in it
	strips  [][]float64
}

// classProducts takes a class by one product with all that follow, for a panel of rows at a time: for t entries of n rows and C classes
// n(t² + Ct) flops, and C products with ∇²L of nC each.
func (c *parts) classProducts(p *gcg.Problem, s *gcg.State, columns []gcg.Column, classes groups) {
	h := &classHessian{p: p, s: s, columns: columns, classes: classes}
	for _, entries := range h.classes.members {
		h.first = append(h.first, len(h.order))
		h.order = append(h.order, entries...)
		h.strips = append(h.strips, make([]float64, len(entries)*(len(columns)-h.first[len(h.first)-1])))
	}
	rows := len(columns[0].Values)
	x := memory.Borrow[float64](len(columns) * min(rows, classPanel))
	for lo := 0; lo < rows; lo += classPanel {
		h.add(x, lo, min(lo+classPanel, rows))
	}
	memory.Repay(x)
	for q, strip := range h.strips {
		behind := h.order[h.first[q]:]
		for a, i := range h.classes.members[q] {
			for b, j := range behind {
				v := strip[a*len(behind)+b]
				c.row(i)[c.at[j]], c.row(j)[c.at[i]] = v, v
			}
		}
	}
}

// classPanel is how many rows are taken at a time.
const classPanel = 256

// add adds the products of rows lo … hi-1; x is work space.
func (h *classHessian) add(x []float64, lo, hi int) {
	n := hi - lo
	for t, i := range h.order {
		copy(x[t*n:(t+1)*n], h.columns[i].Values[lo:hi])
	}
	par.For(len(h.strips), func(q int) {
		from, own := h.first[q], len(h.classes.members[q])
		behind := len(h.order) - from
		d := derivatives(h.p, h.s, h.columns[h.order[from]].Offset, lo, n)
		scaled := memory.Borrow[float64](behind * n)
		for r := q; r < len(h.strips); r++ {
			h.scale(scaled[(h.first[r]-from)*n:], x[h.first[r]*n:], d, r)
		}
		kernel.GemmNT(h.strips[q], x[from*n:(from+own)*n], scaled[:behind*n], own, behind, n)
		memory.Repay(scaled)
		memory.Repay(d)
	})
}

// scale writes x·d_r for the entries of class r.
func (h *classHessian) scale(dst, x, d []float64, r int) {
	entries := h.classes.members[r]
	at, stride := h.columns[entries[0]].Offset, h.p.Loss.Stride()
	n := len(d) / stride
	w := memory.Borrow[float64](n)
	for i := range w {
		w[i] = d[at+i*stride]
	}
	for a := range entries {
		to, from := dst[a*n:(a+1)*n], x[a*n:(a+1)*n]
		for i, v := range w {
			to[i] = v * from[i]
		}
	}
	memory.Repay(w)
}
