package hessian

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// DenseOfClass says that a column is a dense feature for one class of rows whose classes the loss couples.
func DenseOfClass(p *view.Problem, c *gcg.Column) bool {
	return c.Index == nil && c.Stride == p.Loss.Stride() && c.Offset < c.Stride && c.Stride*len(c.Values) == p.Loss.Len()
}

// AllDense reports whether DenseOfClass holds for all columns.
func AllDense(p *view.Problem, columns []gcg.Column) bool {
	for i := range columns {
		if !DenseOfClass(p, &columns[i]) {
			return false
		}
	}
	return true
}

// byClasses forms H for dense features and a loss that couples the classes of a row: by class, or by features and classes
// where the entries are about all those of some features in some classes.
func (c *assembly) byClasses() {
	columns := c.columns
	first := map[*float64]int{} // an entry of each feature: entries of one share values
	features := NewGroups(len(columns), func(i int) int {
		v := &columns[i].Values[0]
		if _, ok := first[v]; !ok {
			first[v] = i
		}
		return first[v]
	})
	classes := NewGroups(len(columns), func(i int) int { return columns[i].Offset })
	if byClass, byFeature := FormTimes(len(columns), len(features.Members), len(classes.Members)); byFeature < byClass {
		c.featureProducts(features, classes)
	} else {
		c.classProducts(classes)
	}
}

// FormTimes is about what the two ways take for a row of the data, for so many entries, features and classes, in flops of
// matrix products.
func FormTimes(entries, features, classes int) (byClass, byFeature float64) {
	t, m, c := float64(entries), float64(features), float64(classes)
	return t*t + scaleTime*t*c, m*m*c*c/2 + scaleTime*(m*m+c*c)/2
}

// scaleTime is the time to scale a number and pack it for a product, in flops of a product.
const scaleTime = 60

// A classHessian forms H by class. With D_ab the second derivatives of the rows between classes a and b, the entries of
// these have X_aᵀ D_ab X_b.
type classHessian struct {
	*assembly
	classes Groups // of entries
	order   []int  // entries by their class
	first   []int  // of a class in it
}

// classProducts forms H by one product for each class with all classes that follow: n(t² + Ct) flops for t entries, n rows
// and C classes, and C products with ∇²L of nC flops each.
func (c *assembly) classProducts(classes Groups) {
	h := &classHessian{assembly: c, classes: classes}
	for _, entries := range classes.Members {
		h.first = append(h.first, len(h.order))
		h.order = append(h.order, entries...)
	}
	par.For(len(classes.Members), h.form)
}

// classPanel is how many rows of the data are taken at a time.
const classPanel = 256

// form writes the rows and columns of H for the entries of class q, except with those of the classes before it.
func (h *classHessian) form(q int) {
	own, behind := h.classes.Members[q], h.order[h.first[q]:]
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
			h.Row(i)[h.At[j]], h.Row(j)[h.At[i]] = v, v
		}
	}
}

// scale writes D_qr x for the entries x of class r on n rows of the data from lo on, d being the second derivatives in class
// q and each other.
func (h *classHessian) scale(dst, d []float64, r, lo, n int) {
	entries := h.classes.Members[r]
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
