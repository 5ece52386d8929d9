package spca

import "github.com/seed-b18ef778/gcg/internal/kernel"

// panelRows is the number of rows of a panel. With few of them products with panels are slow; with many, what is kept beside
// the lower triangle becomes more: 32 numbers a row with 64.
const panelRows = 64

// A triangle says how a symmetric n×n matrix S is kept, about n²/2 numbers. A panel is panelRows rows lo ≤ i < hi. It has the
// entries left of its square on the diagonal, S_ij for j < lo by rows, and then the square, lo ≤ j < hi, by rows and whole.
type triangle struct{ n int }

// len is the number of entries that are kept.
func (t triangle) len() int {
	_, _, end := t.panel((t.n - 1) / panelRows)
	return end + (t.n-(t.n-1)/panelRows*panelRows)*(t.n-(t.n-1)/panelRows*panelRows)
}

// panels is the number of panels.
func (t triangle) panels() int { return (t.n + panelRows - 1) / panelRows }

// panel is the range of rows lo ≤ i < hi of panel p, and the first entry of its square. Its first entry is (hi-lo)·lo before.
func (t triangle) panel(p int) (lo, hi, square int) {
	lo, hi = p*panelRows, min((p+1)*panelRows, t.n)
	before := panelRows * panelRows * (p*(p-1)/2 + p) // of full panels: q·panelRows² + panelRows² for q < p
	return lo, hi, before + (hi-lo)*lo
}

// row is the range of the entries that are kept of row i, in two pieces: j < lo, and lo ≤ j < hi.
func (t triangle) row(i int) (left, square, lo, hi int) {
	lo, hi, at := t.panel(i / panelRows)
	return at - (hi-lo)*lo + (i-lo)*lo, at + (i-lo)*(hi-lo), lo, hi
}

// at is the place of entry (i, j), i ≥ j.
func (t triangle) at(i, j int) int {
	left, square, lo, _ := t.row(i)
	if j < lo {
		return left + j
	}
	return square + j - lo
}

// mulTo writes dst = S x for k vectors, dst and x n×k by rows.
func (t triangle) mulTo(dst, s, x []float64, k int) {
	clear(dst[:t.n*k])
	for p := range t.panels() {
		lo, hi, at := t.panel(p)
		rows := hi - lo
		left, square := s[at-rows*lo:at], s[at:at+rows*rows]
		here := dst[lo*k : hi*k]
		if k == 1 {
			for i := range rows {
				part := left[i*lo : (i+1)*lo]
				here[i] += kernel.Dot(part, x[:lo])
				kernel.Axpy(x[lo+i], part, dst[:lo])
				here[i] += kernel.Dot(square[i*rows:(i+1)*rows], x[lo:hi])
			}
			continue
		}
		if lo > 0 {
			kernel.GemmNN(here, left, x[:lo*k], rows, k, lo)
			kernel.GemmTN(dst[:lo*k], left, x[lo*k:hi*k], lo, k, rows)
		}
		kernel.GemmNN(here, square, x[lo*k:hi*k], rows, k, rows)
	}
}

// rowTo writes row i of S, all n entries.
func (t triangle) rowTo(dst, s []float64, i int) {
	left, square, lo, hi := t.row(i)
	copy(dst[:lo], s[left:left+lo])
	copy(dst[lo:hi], s[square:square+hi-lo])
	for j := hi; j < t.n; j++ {
		dst[j] = s[t.at(j, i)]
	}
}

// subTo writes the entries of S among the given variables, ascending, as a triangle of their number.
func (t triangle) subTo(dst, s []float64, vars []int) {
	sub := triangle{len(vars)}
	for a, i := range vars {
		left, square, lo, hi := sub.row(a)
		for b := range lo {
			dst[left+b] = s[t.at(i, vars[b])]
		}
		for b := lo; b < hi; b++ {
			dst[square+b-lo] = s[t.at(max(i, vars[b]), min(i, vars[b]))]
		}
	}
}
