package hessian

import (
	"math"
	"sort"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// A featureHessian forms H of dense features and a loss that couples the classes of a row from the products of every two
// features and the second derivatives in every two classes,
//
//	H_(f,a)(g,b) = Σᵢ (x_if x_ig) (Dᵢ)_ab,
//
// one product of matrices that makes use of both symmetries: nm²C²/2 flops for n rows, m features and C classes.
type featureHessian struct {
	*assembly
	features, classes Groups
	curves            int       // pairs of classes
	sum               []float64 // pairs of features × pairs of classes
}

// featureProducts forms H by a featureHessian.
func (c *assembly) featureProducts(features, classes Groups) {
	h := &featureHessian{assembly: c, features: features, classes: classes, curves: pair(len(classes.Members), 0)}
	h.sum = make([]float64, pair(len(features.Members), 0)*h.curves)
	for lo, rows := 0, len(c.columns[0].Values); lo < rows; lo += classPanel {
		h.add(lo, min(classPanel, rows-lo))
	}
	for i := range c.columns {
		for j := range i + 1 {
			v := h.sum[pair(features.Of[i], features.Of[j])*h.curves+pair(classes.Of[i], classes.Of[j])]
			c.Row(i)[c.At[j]], c.Row(j)[c.At[i]] = v, v
		}
	}
}

// pair is the place of a and b among all pairs, in either order; pair(n, 0) is how many there are of n.
func pair(a, b int) int {
	if a < b {
		a, b = b, a
	}
	return a*(a+1)/2 + b
}

// add adds n rows of the data from lo on.
func (h *featureHessian) add(lo, n int) {
	m := len(h.features.Members)
	x, d := memory.Borrow[float64](n*m), memory.Borrow[float64](n*h.curves)
	for f, entries := range h.features.Members {
		for r, v := range h.columns[entries[0]].Values[lo : lo+n] {
			x[r*m+f] = v
		}
	}
	if l := h.p.Outer; l != nil {
		h.outer(d, l, lo, n)
	} else {
		par.For(len(h.classes.Members), func(b int) { h.derivatives(d, b, lo, n) })
	}
	blocks := max(par.Grain(pair(m, 0), 256, 64), pair(m, 0)/widestBlock)
	upTo := func(b int) int { return int(math.Sqrt(float64(b)/float64(blocks)) * float64(m)) } // of about as many pairs each
	par.For(blocks, func(b int) {
		from, to := upTo(b), upTo(b+1)
		width := pair(to, 0) - pair(from, 0)
		z := memory.Borrow[float64](n * width)
		for r := range n {
			featurePairs(z[r*width:(r+1)*width], x[r*m:(r+1)*m], from, to)
		}
		kernel.GemmTN(h.sum[pair(from, 0)*h.curves:pair(to, 0)*h.curves], z, d, width, h.curves, n)
		memory.Repay(z)
	})
	memory.Repay(x)
	memory.Repay(d)
}

// widestBlock is about how many pairs of features a product takes at a time.
const widestBlock = 4096

// offset is where class c stands in a row of predictions.
func (h *featureHessian) offset(c int) int { return h.columns[h.classes.Members[c][0]].Offset }

// outer writes the second derivatives on n rows, by pairs of classes, for a loss whose second derivatives are a diagonal
// less an outer product.
func (h *featureHessian) outer(d []float64, l gcg.OuterLoss, lo, n int) {
	stride, classes := l.Stride(), make([]int, len(h.classes.Members))
	for c := range classes {
		classes[c] = h.offset(c)
	}
	blocks := par.Grain(n*h.curves, 1<<14, 16)
	par.For(blocks, func(b int) {
		first, last := par.Range(b, blocks, n)
		buf := memory.Borrow[float64](2 * (last - first) * stride)
		defer memory.Repay(buf)
		own, v := buf[:(last-first)*stride], buf[(last-first)*stride:]
		from, to := (lo+first)*stride, (lo+last)*stride
		l.OuterFromTo(own, v, from, h.s.R[from:to])
		for r := range last - first {
			row, vr := d[(first+r)*h.curves:(first+r+1)*h.curves], v[r*stride:(r+1)*stride]
			for c, at := range classes {
				x := -vr[at]
				for e, other := range classes[:c+1] {
					row[e] = x * vr[other]
				}
				row[c] += own[r*stride+at]
				row = row[c+1:]
			}
		}
	})
}

// derivatives writes the second derivatives on n rows for the pairs of class b with those up to it, for any loss.
func (h *featureHessian) derivatives(d []float64, b, lo, n int) {
	stride := h.p.Loss.Stride()
	v := derivatives(h.p, h.s, h.offset(b), lo, n)
	for r := range n {
		to := d[r*h.curves+pair(b, 0) : r*h.curves+pair(b+1, 0)]
		for a := range to {
			to[a] = v[r*stride+h.offset(a)]
		}
	}
	memory.Repay(v)
}

// featurePairs writes x_f x_g for from ≤ f < to and g ≤ f.
func featurePairs(z, x []float64, from, to int) {
	for f := from; f < to; f++ {
		for g, v := range x[:f+1] {
			z[g] = x[f] * v
		}
		z = z[f+1:]
	}
}

// IsZero reports whether all elements are 0.
func IsZero(x []float64) bool {
	for _, v := range x {
		if v != 0 {
			return false
		}
	}
	return true
}

// AddColumn is z += by·A(e) for the column of an entry e.
func AddColumn(z []float64, by float64, c *gcg.Column) {
	if by == 0 {
		return
	}
	if c.Index == nil {
		for i, v := range c.Values {
			z[c.Offset+c.Stride*i] += by * v
		}
		return
	}
	for e, i := range c.Index {
		z[c.Offset+c.Stride*int(i)] += by * c.Values[e]
	}
}

// DotColumn is ⟨A(e), r⟩.
func DotColumn(r []float64, c *gcg.Column) float64 {
	var s float64
	if c.Index == nil {
		for i, v := range c.Values {
			s += v * r[c.Offset+c.Stride*i]
		}
		return s
	}
	for e, i := range c.Index {
		s += c.Values[e] * r[c.Offset+c.Stride*int(i)]
	}
	return s
}

// within is the part of a column that predicts the observations lo ≤ i < hi; its values are not copied.
func within(c *gcg.Column, lo, hi int) gcg.Column {
	from := sort.Search(len(c.Values), func(t int) bool { return c.At(t) >= lo })
	to := sort.Search(len(c.Values), func(t int) bool { return c.At(t) >= hi })
	part := gcg.Column{Values: c.Values[from:to], Offset: c.Offset, Stride: c.Stride}
	if c.Index != nil {
		part.Index = c.Index[from:to]
	} else {
		part.Offset += c.Stride * from
	}
	return part
}

// AdjointTo writes ⟨A(e), r⟩ for the columns of some entries.
func AdjointTo(p *gcg.Problem, dst []float64, columns []gcg.Column, r []float64) {
	p.SumTo(dst, func(part []float64, lo, hi int) {
		par.For(len(part), func(i int) {
			c := within(&columns[i], lo, hi)
			part[i] = DotColumn(r, &c)
		})
	})
}

// Each calls f with every observation of a column.
func Each(c *gcg.Column, f func(at int)) {
	for t := range c.Values {
		f(c.At(t))
	}
}

// A DiagonalOperator sums squares over the observations.
type DiagonalOperator interface {
	gcg.Operator
	DiagonalTo(du, dv, u2, v2 *gcg.Factor)
}
