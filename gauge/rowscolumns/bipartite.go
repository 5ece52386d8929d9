package rowscolumns

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
)

// A bipartite is |G| as the weights of a complete bipartite graph of rows and columns, turned so that it has no more columns than
// rows, and the best block R×C so far:
//
//	density  ρ = w(R, C) / (|R| + |C|)
type bipartite struct {
	m, n    int
	w       []float64 // m×n, row-major
	sums    []float64 // w(i, all columns)
	turned  bool      // rows are the columns of G
	rows    []int     // R
	cols    []int     // C
	density float64
	split   *split // of the last flow
}

// newBipartite starts with the best rows for all columns. With density ρ no row of a sum of at most ρ is in a better block.
func newBipartite(g []float64, m, n int) *bipartite {
	b := &bipartite{m: m, n: n, turned: n > m}
	if b.turned {
		b.m, b.n = n, m
	}
	b.w, b.sums = make([]float64, m*n), make([]float64, b.m)
	for i := range m {
		for j, x := range g[i*n : (i+1)*n] {
			to := i*n + j
			if b.turned {
				to = j*m + i
			}
			b.w[to] = math.Abs(x)
		}
	}
	for i := range b.sums {
		for _, x := range b.row(i) {
			b.sums[i] += x
		}
	}
	b.offer(nil, count(b.n))
	return b
}

// row is row i of the weights.
func (b *bipartite) row(i int) []float64 { return b.w[i*b.n : (i+1)*b.n] }

// count is 0, 1, …, n-1.
func count(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// offer takes the best rows for the columns, then the best columns for these rows, and so on while the density rises; it reports
// whether it rose. rows are those to begin with, or nil.
func (b *bipartite) offer(rows, cols []int) (rose bool) {
	for {
		if rows != nil && b.take(rows, cols) {
			rose = true
		}
		next := b.rowsFor(cols)
		if rows != nil && slices.Equal(rows, next) {
			if cols = b.colsFor(next); !b.take(next, cols) {
				return rose
			}
			rose = true
		}
		if rows = next; len(rows) == 0 || len(cols) == 0 {
			return rose
		}
	}
}

// take makes R×C the best block if it is denser, and reports whether it is.
func (b *bipartite) take(rows, cols []int) bool {
	if len(rows) == 0 || len(cols) == 0 {
		return false
	}
	var sum float64
	for _, i := range rows {
		sum += b.within(i, cols)
	}
	density := sum / float64(len(rows)+len(cols))
	if !(density > b.density*(1+rises)) {
		return false
	}
	b.density, b.rows, b.cols = density, slices.Clone(rows), slices.Clone(cols)
	return true
}

// rises is the part by which a density must be larger to be more than rounding of another.
const rises = rounding.Number

// within is w(i, C).
func (b *bipartite) within(i int, cols []int) float64 {
	if len(cols) == b.n {
		return b.sums[i]
	}
	var sum float64
	row := b.row(i)
	for _, j := range cols {
		sum += row[j]
	}
	return sum
}

// rowsFor are the rows with w(i, C) > ρ, the best for C at the present density.
func (b *bipartite) rowsFor(cols []int) (rows []int) {
	for i, sum := range b.sums {
		if sum > b.density && b.within(i, cols) > b.density {
			rows = append(rows, i)
		}
	}
	return rows
}

// colsFor are the columns with w(R, j) > ρ.
func (b *bipartite) colsFor(rows []int) (cols []int) {
	sums := make([]float64, b.n)
	for _, i := range rows {
		for j, x := range b.row(i) {
			sums[j] += x
		}
	}
	for j, sum := range sums {
		if sum > b.density {
			cols = append(cols, j)
		}
	}
	return cols
}

// A peeling is what is left while the row or column of the least weight is taken away, again and again.
type peeling struct {
	b            *bipartite
	rows         []int     // ascending by their weight
	inRow, inCol []float64 // weights within what is left
	left         []bool    // columns
	nCols        int
	total        float64
}

// peel takes away the row or column of the least weight until nothing is left, and takes the densest block that it comes by: rows
// are sorted once for each column that goes.
func (b *bipartite) peel() {
	p := &peeling{b: b, rows: b.rowsFor(count(b.n)), inRow: slices.Clone(b.sums), inCol: make([]float64, b.n),
		left: make([]bool, b.n), nCols: b.n}
	for j := range p.left {
		p.left[j] = true
	}
	for _, i := range p.rows {
		p.total += b.sums[i]
		for j, x := range b.row(i) {
			p.inCol[j] += x
		}
	}
	best, rows, cols := b.density, []int(nil), []int(nil)
	for p.nCols > 0 && len(p.rows) > 0 {
		slices.SortFunc(p.rows, func(i, k int) int {
			if p.inRow[i] < p.inRow[k] || p.inRow[i] == p.inRow[k] && i < k {
				return -1
			}
			return 1
		})
		if density, from := p.dropRows(best); density > best {
			best, rows, cols = density, slices.Clone(from), p.columns()
		}
		p.dropColumn()
	}
	if rows != nil {
		slices.Sort(rows)
		b.offer(rows, cols)
	}
}

// dropRows takes away rows while none of the columns weighs less, and returns the densest block on the way, if it is denser than
// best, by its rows.
func (p *peeling) dropRows(best float64) (density float64, rows []int) {
	at := func() {
		if d := p.total / float64(len(p.rows)+p.nCols); d > best {
			best, density, rows = d, d, p.rows
		}
	}
	at()
	for len(p.rows) > 0 {
		i := p.rows[0]
		if j := p.least(); j >= 0 && p.inCol[j] < p.inRow[i] {
			break
		}
		p.rows = p.rows[1:]
		p.total -= p.inRow[i]
		for j, x := range p.b.row(i) {
			p.inCol[j] -= x
		}
		at()
	}
	return density, rows
}

// least is the column of the least weight.
func (p *peeling) least() (at int) {
	at = -1
	for j, left := range p.left {
		if left && (at < 0 || p.inCol[j] < p.inCol[at]) {
			at = j
		}
	}
	return at
}

// dropColumn takes away the column of the least weight.
func (p *peeling) dropColumn() {
	j := p.least()
	p.left[j] = false
	p.nCols--
	p.total -= p.inCol[j]
	for _, i := range p.rows {
		p.inRow[i] -= p.b.w[i*p.b.n+j]
	}
}

// columns are those that are left.
func (p *peeling) columns() (cols []int) {
	for j, left := range p.left {
		if left {
			cols = append(cols, j)
		}
	}
	return cols
}

// atom is sign(G) on the best block over |R| + |C|, with 1 for the sign of 0, and what it attains.
func (b *bipartite) atom(g []float64, m, n int) (a gcg.Atom, value float64) {
	rows, cols := b.rows, b.cols
	if len(rows) == 0 { // G = 0
		rows, cols = []int{0}, []int{0}
	}
	if b.turned {
		rows, cols = cols, rows
	}
	unit := 1 / float64(len(rows)+len(cols))
	for _, i := range rows {
		for _, j := range cols {
			x := g[i*n+j]
			value += math.Abs(x) * unit
			a.Rows, a.Cols, a.Vals = append(a.Rows, int32(i)), append(a.Cols, int32(j)), append(a.Vals, math.Copysign(unit, x))
		}
	}
	return a, value
}
