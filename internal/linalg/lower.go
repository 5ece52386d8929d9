package linalg

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// PanelWidth is the number of columns of a panel of a Lower.
const PanelWidth = 64

// A Lower is the lower triangle of a symmetric n×n matrix, by panels of columns: panel p holds the 64 columns from 64p on, of
// the rows from 64p on, row-major and without padding. Entries above the diagonal in its first rows are not used.
type Lower struct {
	n      int
	panels [][]float64
	rows   []int32 // 0, 1, …, as many as there are rows below the first diagonal block
}

// NewLower is a zero n×n Lower.
func NewLower(n int) *Lower {
	l := &Lower{n: n}
	for lo := 0; lo < n; lo += PanelWidth {
		l.panels = append(l.panels, make([]float64, (n-lo)*min(PanelWidth, n-lo)))
	}
	l.rows = make([]int32, max(0, n-PanelWidth))
	for i := range l.rows {
		l.rows[i] = int32(i)
	}
	return l
}

// panel is the first column of panel p, its width and its entries.
func (l *Lower) panel(p int) (lo, width int, x []float64) {
	lo = p * PanelWidth
	return lo, min(PanelWidth, l.n-lo), l.panels[p]
}

// Row is the entries of row i in the columns of the panel that column j is in, from the first of these columns on. Row i must
// not be above the panel. The slice is not a copy.
func (l *Lower) Row(i, j int) []float64 {
	lo, width, x := l.panel(j / PanelWidth)
	return x[(i-lo)*width : (i-lo+1)*width]
}

// At is entry (i, j), i ≥ j.
func (l *Lower) At(i, j int) float64 { return l.Row(i, j)[j%PanelWidth] }

// Trace is the sum of the diagonal.
func (l *Lower) Trace() float64 {
	var s float64
	for i := range l.n {
		s += l.At(i, i)
	}
	return s
}

// ShiftedNegative is shift·I - L in a new Lower.
func (l *Lower) ShiftedNegative(shift float64) *Lower {
	s := NewLower(l.n)
	for p, x := range l.panels {
		for e, v := range x {
			s.panels[p][e] = -v
		}
	}
	for i := range l.n {
		s.Row(i, i)[i%PanelWidth] += shift
	}
	return s
}

// Cholesky overwrites L with its Cholesky factor and reports whether every pivot was positive. It takes n³/3 flops, most of
// them in products of panels.
func (l *Lower) Cholesky() bool { return l.CholeskyIn(context.Background()) }

// CholeskyIn is Cholesky in a context: it reports false, too, where ctx ends first. At 20,000 rows it takes a minute.
func (l *Lower) CholeskyIn(ctx context.Context) bool { return l.CholeskyFrom(ctx, 0) }

// CholeskyFrom is CholeskyIn where the rows before first are those of the factor already. It takes (n³ - first³)/3 flops.
func (l *Lower) CholeskyFrom(ctx context.Context, first int) bool {
	for p := range l.panels {
		if ctx.Err() != nil || !l.pivot(p, first) {
			return false
		}
		l.solve(p, first)
		l.update(p, first)
	}
	return true
}

// Extended is L and rows of 0 after it, n rows in all, in a new Lower.
func (l *Lower) Extended(n int) *Lower {
	s := NewLower(n)
	for p := range l.panels {
		lo, w, x := l.panel(p)
		_, width, to := s.panel(p)
		for i := range l.n - lo {
			copy(to[i*width:i*width+w], x[i*w:(i+1)*w])
		}
	}
	return s
}

// pivot overwrites the diagonal block of panel p with its Cholesky factor, from row first on, and reports whether every pivot was
// positive.
func (l *Lower) pivot(p, first int) bool {
	lo, w, x := l.panel(p)
	for i := max(0, first-lo); i < w; i++ {
		row := x[i*w : (i+1)*w]
		for j := range i {
			row[j] = (row[j] - dot(row[:j], x[j*w:])) / x[j*w+j]
		}
		d := row[i] - dot(row[:i], row)
		if !(d > 0) || math.IsInf(d, 1) {
			return false
		}
		row[i] = math.Sqrt(d)
	}
	return true
}

// solve multiplies the rows of panel p below its diagonal block, from row first on, by the inverse transpose of that: by forward
// substitution in many rows at a time, which are columns of a copy.
func (l *Lower) solve(p, first int) {
	lo, w, x := l.panel(p)
	begin := max(w, first-lo)
	rows := l.n - lo - begin
	blocks := (rows + PanelWidth - 1) / PanelWidth
	par.For(blocks, func(t int) {
		from, to := par.Range(t, blocks, rows)
		k, some := to-from, x[(begin+from)*w:(begin+to)*w]
		columns := make([]float64, w*k)
		TransposeTo(columns, some, k, w)
		for j := range w {
			column, minus := columns[j*k:(j+1)*k], make([]float64, j)
			for i, v := range x[j*w : j*w+j] {
				minus[i] = -v
			}
			kernel.AxpyRows(minus, columns[:j*k], column)
			for i := range column {
				column[i] /= x[j*w+j]
			}
		}
		TransposeTo(some, columns, w, k)
	})
}

// update subtracts the products of the rows of panel p from the panels after it, there from row first on.
func (l *Lower) update(p, first int) {
	lo, w, x := l.panel(p)
	par.For(len(l.panels)-p-1, func(t int) {
		at, width, dst := l.panel(p + 1 + t)
		top := make([]float64, width*w)
		for e, v := range x[(at-lo)*w : (at-lo+width)*w] {
			top[e] = -v
		}
		from := max(at, first)
		kernel.GemmNT(dst[(from-at)*width:], x[(from-lo)*w:], top, l.n-from, width, w)
	})
}

// dot is Σ aᵢbᵢ over the length of a, as four sums that do not wait for each other.
func dot(a, b []float64) float64 {
	b = b[:len(a)]
	var s, t, u, v float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s += a[i] * b[i]
		t += a[i+1] * b[i+1]
		u += a[i+2] * b[i+2]
		v += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s += a[i] * b[i]
	}
	return (s + t) + (u + v)
}
