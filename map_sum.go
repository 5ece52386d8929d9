package gcg

import (
	"fmt"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// Sum is G₁ + G₂ + …, of at least one map, all of one size. It keeps the capabilities that all of them have.
func Sum(parts ...Map) Map {
	if len(parts) == 1 {
		return parts[0]
	}
	sameDims(parts)
	return keep(&sumMap{parts}, parts...)
}

// sameDims panics where there are no maps, or two of them differ in size.
func sameDims(parts []Map) {
	if len(parts) == 0 {
		panic("gcg: no maps have no sum")
	}
	m, n := parts[0].Dims()
	for _, p := range parts[1:] {
		if k, l := p.Dims(); k != m || l != n {
			panic(fmt.Sprintf("gcg: a %d×%d map and a %d×%d map have no sum", m, n, k, l))
		}
	}
}

type sumMap struct{ parts []Map }

func (s *sumMap) Dims() (m, n int) { return s.parts[0].Dims() }

func (s *sumMap) MulTo(dst, x []float64) {
	addUp(dst, s.parts, func(g Map, dst []float64) { g.MulTo(dst, x) })
}

func (s *sumMap) TMulTo(dst, y []float64) {
	addUp(dst, s.parts, func(g Map, dst []float64) { g.TMulTo(dst, y) })
}

func (s *sumMap) RowsTo(dst []float64, lo int) {
	addUp(dst, s.parts, func(g Map, dst []float64) { RowsTo(g, dst, lo) })
}

// addUp overwrites dst with the sum of what f writes for each part, in their order.
func addUp(dst []float64, parts []Map, f func(g Map, dst []float64)) {
	f(parts[0], dst)
	more := memory.Borrow[float64](len(dst))
	defer memory.Repay(more)
	for _, g := range parts[1:] {
		f(g, more)
		par.Pieces(len(dst), func(lo, hi int) { kernel.Axpy(1, more[lo:hi], dst[lo:hi]) })
	}
}

func (s *sumMap) MulBlockTo(dst, x *Factor) {
	MulBlock(s.parts[0], dst, x)
	more := Room[float64](dst.Rows, dst.K)
	defer Repay(more)
	for _, g := range s.parts[1:] {
		MulBlock(g, more, x)
		dst.AddScaled(1, more)
	}
}

func (s *sumMap) TMulBlockTo(dst, y *Factor) {
	TMulBlock(s.parts[0], dst, y)
	more := Room[float64](dst.Rows, dst.K)
	defer Repay(more)
	for _, g := range s.parts[1:] {
		TMulBlock(g, more, y)
		dst.AddScaled(1, more)
	}
}

func (s *sumMap) BothTo(gv, gu, u, v *Factor) {
	bothTo(s.parts[0], gv, gu, u, v)
	mv, mu := Room[float64](gv.Rows, gv.K), Room[float64](gu.Rows, gu.K)
	defer Repay(mv, mu)
	for _, g := range s.parts[1:] {
		bothTo(g, mv, mu, u, v)
		gv.AddScaled(1, mv)
		gu.AddScaled(1, mu)
	}
}

// Stacked is [G₁; G₂; …], maps of one number of columns on top of each other. It keeps the capabilities that all of them have;
// the products of the parts are added in their order.
func Stacked(parts ...Map) Map {
	s := &stackedMap{parts: parts, cut: make([]int, len(parts)+1)}
	for i, p := range parts {
		m, n := p.Dims()
		if s.cut[i+1] = s.cut[i] + m; i > 0 && n != s.n {
			panic(fmt.Sprintf("gcg: maps of %d and of %d columns are no stack", s.n, n))
		}
		s.n = n
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return keep(s, parts...)
}

type stackedMap struct {
	parts []Map
	cut   []int // part i has the rows from cut[i] to cut[i+1]
	n     int
}

func (s *stackedMap) Dims() (m, n int) { return s.cut[len(s.parts)], s.n }

func (s *stackedMap) MulTo(dst, x []float64) {
	for i, g := range s.parts {
		g.MulTo(dst[s.cut[i]:s.cut[i+1]], x)
	}
}

func (s *stackedMap) TMulTo(dst, y []float64) {
	at := 0
	addUp(dst, s.parts, func(g Map, dst []float64) {
		g.TMulTo(dst, y[s.cut[at]:s.cut[at+1]])
		at++
	})
}

// rows is those of part i, not copied.
func (s *stackedMap) rows(f *Factor, i int) *Factor { return rowsOf(f, s.cut[i], s.cut[i+1]) }

// rowsOf is the rows from lo to hi of a factor, not copied.
func rowsOf(f *Factor, lo, hi int) *Factor {
	return &Factor{Rows: hi - lo, K: f.K, Stride: f.Stride, Data: f.Data[lo*f.Stride : hi*f.Stride]}
}

func (s *stackedMap) MulBlockTo(dst, x *Factor) {
	for i, g := range s.parts {
		MulBlock(g, s.rows(dst, i), x)
	}
}

func (s *stackedMap) TMulBlockTo(dst, y *Factor) {
	more := Room[float64](dst.Rows, dst.K)
	defer Repay(more)
	for i, g := range s.parts {
		to := dst
		if i > 0 {
			to = more
		}
		if TMulBlock(g, to, s.rows(y, i)); i > 0 {
			dst.AddScaled(1, more)
		}
	}
}

func (s *stackedMap) BothTo(gv, gu, u, v *Factor) {
	more := Room[float64](gu.Rows, gu.K)
	defer Repay(more)
	for i, g := range s.parts {
		to := gu
		if i > 0 {
			to = more
		}
		if bothTo(g, s.rows(gv, i), to, s.rows(u, i), v); i > 0 {
			gu.AddScaled(1, more)
		}
	}
}

// RowsTo writes rows of as many parts as dst reaches into.
func (s *stackedMap) RowsTo(dst []float64, lo int) {
	for i, g := range s.parts {
		first, last := max(lo, s.cut[i]), min(lo+len(dst)/s.n, s.cut[i+1])
		if first < last {
			RowsTo(g, dst[(first-lo)*s.n:(last-lo)*s.n], first-s.cut[i])
		}
	}
}

// BlockDiagonal has G₁, G₂, … on its diagonal, and 0 elsewhere: the gradient at several blocks of variables in one gauge. It
// keeps the capabilities that all of them have.
func BlockDiagonal(parts ...Map) Map {
	s := &diagonalMap{parts: parts, row: make([]int, len(parts)+1), col: make([]int, len(parts)+1)}
	for i, p := range parts {
		m, n := p.Dims()
		s.row[i+1], s.col[i+1] = s.row[i]+m, s.col[i]+n
	}
	return keep(s, parts...)
}

type diagonalMap struct {
	parts    []Map
	row, col []int // part i has the rows from row[i] to row[i+1], and so the columns
}

func (s *diagonalMap) Dims() (m, n int) { return s.row[len(s.parts)], s.col[len(s.parts)] }

func (s *diagonalMap) MulTo(dst, x []float64) {
	for i, g := range s.parts {
		g.MulTo(dst[s.row[i]:s.row[i+1]], x[s.col[i]:s.col[i+1]])
	}
}

func (s *diagonalMap) TMulTo(dst, y []float64) {
	for i, g := range s.parts {
		g.TMulTo(dst[s.col[i]:s.col[i+1]], y[s.row[i]:s.row[i+1]])
	}
}

func (s *diagonalMap) MulBlockTo(dst, x *Factor) {
	for i, g := range s.parts {
		MulBlock(g, rowsOf(dst, s.row[i], s.row[i+1]), rowsOf(x, s.col[i], s.col[i+1]))
	}
}

func (s *diagonalMap) TMulBlockTo(dst, y *Factor) {
	for i, g := range s.parts {
		TMulBlock(g, rowsOf(dst, s.col[i], s.col[i+1]), rowsOf(y, s.row[i], s.row[i+1]))
	}
}

func (s *diagonalMap) BothTo(gv, gu, u, v *Factor) {
	for i, g := range s.parts {
		r, c := [2]int{s.row[i], s.row[i+1]}, [2]int{s.col[i], s.col[i+1]}
		bothTo(g, rowsOf(gv, r[0], r[1]), rowsOf(gu, c[0], c[1]), rowsOf(u, r[0], r[1]), rowsOf(v, c[0], c[1]))
	}
}

func (s *diagonalMap) RowsTo(dst []float64, lo int) {
	_, n := s.Dims()
	clear(dst)
	for i, g := range s.parts {
		wide := s.col[i+1] - s.col[i]
		row := make([]float64, wide)
		for at := max(lo, s.row[i]); at < min(lo+len(dst)/n, s.row[i+1]); at++ {
			RowsTo(g, row, at-s.row[i])
			copy(dst[(at-lo)*n+s.col[i]:], row)
		}
	}
}
