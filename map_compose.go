package gcg

import (
	"fmt"

	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// keep is g with the capabilities that all of its parts have, and without the others. So a BlockMap takes one pass for k vectors,
// and the rows of a DenseMap cost no products. g has every product, with a fallback for those that its parts lack.
func keep(g interface {
	BlockMap
	RowsTo(dst []float64, lo int)
}, parts ...Map) Map {
	blocks, rows := true, true
	for _, p := range parts {
		_, isBlock := p.(BlockMap)
		_, isDense := p.(DenseMap)
		blocks, rows = blocks && isBlock, rows && isDense
	}
	switch {
	case blocks && rows:
		return g
	case blocks:
		return struct {
			BlockMap
			kept
		}{g, kept{g}}
	case rows:
		return struct {
			DenseMap
			kept
		}{g, kept{g}}
	}
	return struct {
		Map
		kept
	}{g, kept{g}}
}

// kept remembers the map whose capabilities keep has narrowed, and passes on none of them.
type kept struct{ g Map }

func (k kept) whole() Map { return k.g }

// bothTo is Both into given factors.
func bothTo(g Map, gv, gu, u, v *Factor) {
	if b, ok := g.(BlockMap); ok && u.K == v.K {
		b.BothTo(gv, gu, u, v)
		return
	}
	MulBlock(g, gv, v)
	TMulBlock(g, gu, u)
}

// Transposed is Gᵀ. It multiplies blocks where G does; its rows, which are columns of G, are not kept.
func Transposed(g Map) Map {
	switch t := g.(type) {
	case transposed:
		return t.g
	case transposedBlocks:
		return t.g
	case BlockMap:
		return transposedBlocks{transposed{t}}
	}
	return transposed{g}
}

type transposed struct{ g Map }

func (t transposed) Dims() (m, n int)        { n, m = t.g.Dims(); return m, n }
func (t transposed) MulTo(dst, x []float64)  { t.g.TMulTo(dst, x) }
func (t transposed) TMulTo(dst, y []float64) { t.g.MulTo(dst, y) }

type transposedBlocks struct{ transposed }

func (t transposedBlocks) MulBlockTo(dst, x *Factor)  { TMulBlock(t.g, dst, x) }
func (t transposedBlocks) TMulBlockTo(dst, y *Factor) { MulBlock(t.g, dst, y) }
func (t transposedBlocks) BothTo(gv, gu, u, v *Factor) {
	bothTo(t.g, gu, gv, v, u)
}

// Scaled is c·G. It keeps the capabilities of G; Scaled(G, 1) is G.
func Scaled(g Map, c float64) Map {
	if c == 1 {
		return g
	}
	return keep(&scaledMap{g, c}, g)
}

type scaledMap struct {
	g Map
	c float64
}

func (s *scaledMap) Dims() (m, n int) { return s.g.Dims() }

func (s *scaledMap) MulTo(dst, x []float64) {
	s.g.MulTo(dst, x)
	kernel.Scale(s.c, dst)
}

func (s *scaledMap) TMulTo(dst, y []float64) {
	s.g.TMulTo(dst, y)
	kernel.Scale(s.c, dst)
}

func (s *scaledMap) MulBlockTo(dst, x *Factor) {
	MulBlock(s.g, dst, x)
	dst.Scale(s.c)
}

func (s *scaledMap) TMulBlockTo(dst, y *Factor) {
	TMulBlock(s.g, dst, y)
	dst.Scale(s.c)
}

func (s *scaledMap) BothTo(gv, gu, u, v *Factor) {
	bothTo(s.g, gv, gu, u, v)
	gv.Scale(s.c)
	gu.Scale(s.c)
}

func (s *scaledMap) RowsTo(dst []float64, lo int) {
	RowsTo(s.g, dst, lo)
	kernel.Scale(s.c, dst)
}

// RowScaled is diag(rows) G diag(cols), for rows of m and cols of n numbers, which are not copied; nil stands for ones. It keeps
// the capabilities of G.
func RowScaled(g Map, rows, cols []float64) Map {
	if rows == nil && cols == nil {
		return g
	}
	m, n := g.Dims()
	if rows != nil && len(rows) != m || cols != nil && len(cols) != n {
		panic(fmt.Sprintf("gcg: %d and %d numbers do not scale a %d×%d map", len(rows), len(cols), m, n))
	}
	return keep(&rowScaledMap{g, rows, cols}, g)
}

type rowScaledMap struct {
	g          Map
	rows, cols []float64
}

func (s *rowScaledMap) Dims() (m, n int) { return s.g.Dims() }

func (s *rowScaledMap) MulTo(dst, x []float64) {
	s.g.MulTo(dst, times(x, s.cols))
	scaleBy(dst, s.rows)
}

func (s *rowScaledMap) TMulTo(dst, y []float64) {
	s.g.TMulTo(dst, times(y, s.rows))
	scaleBy(dst, s.cols)
}

func (s *rowScaledMap) MulBlockTo(dst, x *Factor) {
	MulBlock(s.g, dst, timesRows(x, s.cols))
	scaleRows(dst, s.rows)
}

func (s *rowScaledMap) TMulBlockTo(dst, y *Factor) {
	TMulBlock(s.g, dst, timesRows(y, s.rows))
	scaleRows(dst, s.cols)
}

func (s *rowScaledMap) BothTo(gv, gu, u, v *Factor) {
	bothTo(s.g, gv, gu, timesRows(u, s.rows), timesRows(v, s.cols))
	scaleRows(gv, s.rows)
	scaleRows(gu, s.cols)
}

func (s *rowScaledMap) RowsTo(dst []float64, lo int) {
	_, n := s.g.Dims()
	RowsTo(s.g, dst, lo)
	for i := range len(dst) / n {
		row := dst[i*n : (i+1)*n]
		scaleBy(row, s.cols)
		if s.rows != nil {
			kernel.Scale(s.rows[lo+i], row)
		}
	}
}

// times is diag(by) x in a new slice, or x itself where by is nil.
func times(x, by []float64) []float64 {
	if by == nil {
		return x
	}
	out := append([]float64(nil), x...)
	scaleBy(out, by)
	return out
}

// scaleBy overwrites x with diag(by) x; a nil by stands for ones.
func scaleBy(x, by []float64) {
	if by != nil {
		kernel.Hadamard(x, x, by)
	}
}

// timesRows is diag(by) F in a new factor, or F itself where by is nil.
func timesRows(f *Factor, by []float64) *Factor {
	if by == nil {
		return f
	}
	g := f.Clone()
	scaleRows(g, by)
	return g
}

// scaleRows overwrites F with diag(by) F; a nil by stands for ones.
func scaleRows(f *Factor, by []float64) {
	if by == nil {
		return
	}
	f.RowBlocks(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			kernel.Scale(by[i], f.Row(i))
		}
	})
}
