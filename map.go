package gcg

import (
	"fmt"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// A Map is a linear map G (m×n) known only through products: gradients, iterates, their sums.
type Map interface {
	Dims() (m, n int)
	MulTo(dst, x []float64)  // dst[m] = G x[n]
	TMulTo(dst, y []float64) // dst[n] = Gᵀ y[m]
}

// A BlockMap multiplies k vectors at once, which costs one pass over G instead of k.
type BlockMap interface {
	Map
	MulBlockTo(dst, x *Factor)  // dst (m×k) = G x (n×k)
	TMulBlockTo(dst, y *Factor) // dst (n×k) = Gᵀ y (m×k)
	// BothTo writes gv (m×k) = G v (n×k) and gu (n×k) = Gᵀ u (m×k), in one pass over G where that is possible.
	BothTo(gv, gu, u, v *Factor)
}

// A DenseMap can write itself out, which the polars of ℓ1 and group gauges and the exact certificate need.
type DenseMap interface {
	Map
	// RowsTo writes rows lo … lo+len(dst)/n-1 of G, row-major.
	RowsTo(dst []float64, lo int)
}

// HasRows reports whether G can write out its rows, see DenseMap.
func HasRows(g Map) bool {
	_, ok := g.(DenseMap)
	return ok
}

// RowsTo writes rows lo … lo+len(dst)/n-1 of G, row-major: as a DenseMap does, else by products with unit vectors, one a row.
func RowsTo(g Map, dst []float64, lo int) {
	if d, ok := g.(DenseMap); ok {
		d.RowsTo(dst, lo)
		return
	}
	m, n := g.Dims()
	e := make([]float64, m)
	for i := range len(dst) / n {
		e[lo+i] = 1
		g.TMulTo(dst[i*n:(i+1)*n], e)
		e[lo+i] = 0
	}
}

// DenseTo writes all of G into dst (m×n, row-major): by its rows where G is a DenseMap, else by products with unit vectors,
// which take 2mn² flops where G is dense.
func DenseTo(dst []float64, g Map) {
	m, n := g.Dims()
	if d, ok := g.(DenseMap); ok {
		d.RowsTo(dst[:m*n], 0)
		return
	}
	const block = 64
	for lo := 0; lo < n; lo += block {
		k := min(block, n-lo)
		units, columns := NewFactor(n, k), NewFactor(m, k)
		for c := range k {
			units.Row(lo + c)[c] = 1
		}
		MulBlock(g, columns, units)
		for i := range m {
			copy(dst[i*n+lo:i*n+lo+k], columns.Row(i))
		}
	}
}

// Both is G V (m×k) and Gᵀ U (n×k), in one pass over G where the map has one.
func Both(g Map, u, v *Factor) (gv, gu *Factor) {
	gv, gu = Like[float64](u, v.K), Like[float64](v, u.K)
	bothTo(g, gv, gu, u, v)
	return gv, gu
}

// FactorsOf are factors without columns, of m and of n rows, of which Like makes others for products with G. Ranks share their
// rows where G says so, by a method Factors.
func FactorsOf(g Map) (left, right *Factor) {
	if g, ok := g.(interface{ whole() Map }); ok {
		return FactorsOf(g.whole())
	}
	m, n := g.Dims()
	return factorsOf(g, m, n)
}

// FactorsFor is FactorsOf the adjoint of an operator, which says by a method Factors how ranks share the rows.
func FactorsFor(op Operator) (left, right *Factor) {
	m, n, _ := op.Dims()
	return factorsOf(op, m, n)
}

// factorsOf are what a map or an operator x has by a method Factors, or else those of a single process.
func factorsOf(x any, m, n int) (left, right *Factor) {
	if x, ok := x.(interface{ Factors() (left, right *Factor) }); ok {
		return x.Factors()
	}
	return NewFactor(m, 0), NewFactor(n, 0)
}

// MulBlock writes dst (m×k) = G x (n×k), column by column where the map has no product with blocks.
func MulBlock(g Map, dst, x *Factor) {
	if b, ok := g.(BlockMap); ok {
		b.MulBlockTo(dst, x)
		return
	}
	byColumn(dst, x, g.MulTo)
}

// TMulBlock writes dst (n×k) = Gᵀ y (m×k), column by column where the map has no product with blocks.
func TMulBlock(g Map, dst, y *Factor) {
	if b, ok := g.(BlockMap); ok {
		b.TMulBlockTo(dst, y)
		return
	}
	byColumn(dst, y, g.TMulTo)
}

// byColumn writes into each column of dst the product mul of that column of src.
func byColumn(dst, src *Factor, mul func(dst, x []float64)) {
	in, out := make([]float64, src.Rows), make([]float64, dst.Rows)
	for c := range src.K {
		src.ColumnTo(in, c)
		mul(out, in)
		dst.SetColumn(c, out, 1)
	}
}

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

func (t transposed) Factors() (left, right *Factor) {
	right, left = FactorsOf(t.g)
	return left, right
}

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

func (s *scaledMap) Factors() (left, right *Factor) { return FactorsOf(s.g) }

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

// LowRank is U Vᵀ, for U (m×k) and V (n×k), which are not copied. It has blocks, both products in one call, and rows; a product
// takes 2(m+n)k flops.
func LowRank(u, v *Factor) Map {
	if u.K != v.K {
		panic(fmt.Sprintf("gcg: factors of %d and %d columns have no product", u.K, v.K))
	}
	return &lowRankMap{u, v}
}

type lowRankMap struct{ u, v *Factor }

func (g *lowRankMap) Dims() (m, n int) { return g.u.Rows, g.v.Rows }

func (g *lowRankMap) MulTo(dst, x []float64) { productTo(dst, g.u, g.v, x) }

func (g *lowRankMap) TMulTo(dst, y []float64) { productTo(dst, g.v, g.u, y) }

// productTo writes dst = U (Vᵀx).
func productTo(dst []float64, u, v *Factor, x []float64) {
	sum := make([]float64, v.Stride)
	par.Accumulate(sum, rowBlocks(v.Rows, 2*v.Stride, 16), v.Rows, func(part []float64, lo, hi int) {
		for j := lo; j < hi; j++ {
			kernel.Axpy(x[j], v.Row(j), part)
		}
	})
	u.rowBlocks(2*u.Stride, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			dst[i] = kernel.Dot(u.Row(i)[:u.K], sum[:u.K])
		}
	})
}

func (g *lowRankMap) MulBlockTo(dst, x *Factor) { blockProductTo(dst, g.u, g.v, x) }

func (g *lowRankMap) TMulBlockTo(dst, y *Factor) { blockProductTo(dst, g.v, g.u, y) }

// blockProductTo writes dst = U (VᵀX).
func blockProductTo(dst, u, v, x *Factor) {
	s := TMul(v, x)
	dst.MulTo(u, s)
	Repay(s)
}

func (g *lowRankMap) BothTo(gv, gu, u, v *Factor) {
	g.MulBlockTo(gv, v)
	g.TMulBlockTo(gu, u)
}

func (g *lowRankMap) RowsTo(dst []float64, lo int) {
	n := g.v.Rows
	rows := len(dst) / n
	clear(dst)
	kernel.GemmNT(dst, g.u.Data[lo*g.u.Stride:(lo+rows)*g.u.Stride], g.v.Data, rows, n, g.u.Stride)
}

// SquaredNorm is ‖G‖_F², by the method of this name where G has one, as sparse maps do, and else with as little written out as
// InnerProduct does.
func SquaredNorm(g Map) float64 {
	if n, ok := g.(interface{ SquaredNorm() float64 }); ok {
		return n.SquaredNorm()
	}
	switch a := plain(g).(type) {
	case *scaledMap:
		return a.c * a.c * SquaredNorm(a.g)
	case *sumMap:
		var s float64
		for i, part := range a.parts {
			s += SquaredNorm(part)
			for _, other := range a.parts[:i] {
				s += 2 * InnerProduct(other, part)
			}
		}
		return s
	}
	return InnerProduct(g, g)
}

// InnerProduct is ⟨G, H⟩ = Σ G_ij H_ij of maps of one size. Sums and multiples are taken apart; a LowRank part costs one product
// of the other with its k columns. Only where two other maps meet are both written out, some rows at a time: mn flops, where they
// are DenseMaps, and else 2m products.
func InnerProduct(g, h Map) float64 {
	for _, pair := range [][2]Map{{g, h}, {h, g}} {
		switch a := plain(pair[0]).(type) {
		case *scaledMap:
			return a.c * InnerProduct(a.g, pair[1])
		case *sumMap:
			var s float64
			for _, part := range a.parts {
				s += InnerProduct(part, pair[1])
			}
			return s
		}
	}
	for _, pair := range [][2]Map{{g, h}, {h, g}} {
		if a, ok := plain(pair[0]).(*lowRankMap); ok {
			hv := Room[float64](a.u.Rows, a.u.K)
			defer Repay(hv)
			MulBlock(pair[1], hv, a.v)
			return a.u.Dot(hv)
		}
	}
	return innerByRows(g, h)
}

// plain is the map behind one that keep has narrowed.
func plain(g Map) Map {
	if k, ok := g.(interface{ whole() Map }); ok {
		return k.whole()
	}
	return g
}

// innerByRows is ⟨G, H⟩ from their rows, about 2¹⁶ entries at a time.
func innerByRows(g, h Map) float64 {
	m, n := g.Dims()
	step := max(1, (1<<16)/max(n, 1))
	buf := memory.Borrow[float64](2 * step * n)
	defer memory.Repay(buf)
	var s float64
	for lo := 0; lo < m; lo += step {
		size := (min(lo+step, m) - lo) * n
		a, b := buf[:size], buf[step*n:step*n+size]
		RowsTo(g, a, lo)
		RowsTo(h, b, lo)
		s += kernel.Dot(a, b)
	}
	return s
}

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
