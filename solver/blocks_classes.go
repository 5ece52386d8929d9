package solver

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// denseOfClass reports whether a column is a dense feature for one class of rows whose classes the loss couples.
func denseOfClass(p *gcg.Problem, c *gcg.Column) bool {
	return c.Index == nil && c.Stride == p.Loss.Stride() && c.Offset < c.Stride && c.Stride*len(c.Values) == p.Loss.Len()
}

func allDense(p *gcg.Problem, columns []gcg.Column) bool {
	for i := range columns {
		if !denseOfClass(p, &columns[i]) {
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
	if byClass, byFeature := formTimes(len(columns), len(features.members), len(classes.members)); byFeature < byClass {
		c.featureProducts(p, s, columns, features, classes)
	} else {
		c.classProducts(p, s, columns, classes)
	}
}

// formTimes is about what both ways take for a row, of so many entries, features and classes, in flops of a product.
func formTimes(entries, features, classes int) (byClass, byFeature float64) {
	t, m, c := float64(entries), float64(features), float64(classes)
	return t*t + scaleTime*t*c, m*m*c*c/2 + scaleTime*(m*m+c*c)/2
}

// scaleTime is what it takes to scale a number and pack it for a product, in flops of that.
const scaleTime = 60

// A classHessian forms H by class: with D_ab the diagonal matrix of the rows' second derivatives in the classes a and b, the entries of the
// two have X_aᵀ D_ab X_b.
type classHessian struct {
	c       *parts
	p       *gcg.Problem
	s       *gcg.State
	columns []gcg.Column
	classes groups // of entries
	order   []int  // entries by their class
	first   []int  // of a class in it
}

// classProducts takes a class by one product with all that follow: for t entries of n rows and C classes n(t² + Ct) flops, and C products
// with ∇²L of nC each.
func (c *parts) classProducts(p *gcg.Problem, s *gcg.State, columns []gcg.Column, classes groups) {
	h := &classHessian{c: c, p: p, s: s, columns: columns, classes: classes}
	for _, entries := range classes.members {
		h.first = append(h.first, len(h.order))
		h.order = append(h.order, entries...)
	}
	par.For(len(classes.members), h.form)
}

// classPanel is how many rows are taken at a time.
const classPanel = 256

// form writes the rows and columns of class q, less those of the classes before it.
func (h *classHessian) form(q int) {
	own, behind := h.classes.members[q], h.order[h.first[q]:]
	rows := len(h.columns[own[0]].Values)
	n := min(rows, classPanel)
	sum := make([]float64, len(own)*len(behind))
	left, right := memory.Borrow[float64](len(own)*n), memory.Borrow[float64](len(behind)*n)
	for lo := 0; lo < rows; lo += n {
		k := min(n, rows-lo)
		for a, i := range own {
			copy(left[a*k:(a+1)*k], h.columns[i].Values[lo:])
		}
		d := derivatives(h.p, h.s, h.columns[own[0]].Offset, lo, k)
		for r := q; r < len(h.first); r++ {
			h.scale(right[(h.first[r]-h.first[q])*k:], d, r, lo, k)
		}
		memory.Repay(d)
		kernel.GemmNT(sum, left[:len(own)*k], right[:len(behind)*k], len(own), len(behind), k)
	}
	memory.Repay(left)
	memory.Repay(right)
	for a, i := range own {
		for b, j := range behind {
			v := sum[a*len(behind)+b]
			h.c.row(i)[h.c.at[j]], h.c.row(j)[h.c.at[i]] = v, v
		}
	}
}

// scale writes D_r x for the entries of class r, on n rows from lo on.
func (h *classHessian) scale(dst, d []float64, r, lo, n int) {
	entries := h.classes.members[r]
	at, stride := h.columns[entries[0]].Offset, h.p.Loss.Stride()
	w := memory.Borrow[float64](n)
	for i := range w {
		w[i] = d[at+i*stride]
	}
	for a, e := range entries {
		to, from := dst[a*n:(a+1)*n], h.columns[e].Values[lo:lo+n]
		for i, v := range w {
			to[i] = v * from[i]
		}
	}
	memory.Repay(w)
}
