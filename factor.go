package gcg

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// A Real is a type that numbers are stored in: float32 or float64.
type Real interface{ float32 | float64 }

// A FactorOf is one side of a low-rank matrix: Rows×K, row-major, with Stride ≥ K. The stride is a multiple of 8 and the
// padding is zero, as the kernels of internal/kernel want it.
type FactorOf[T Real] struct {
	Rows, K, Stride int
	Data            []T
	// Shared are all rows where the ranks of a cluster share them, nil elsewhere. A rank has its own alone, which Rows counts and
	// whose first is row 0 here. Sums over the rows are of those of all ranks, which take them in the same order.
	Shared *cluster.Rows
}

type (
	// Factor is what problems and solutions are made of.
	Factor = FactorOf[float64]
	// Factor32 takes half the memory and half the time. It is for quantities that only steer the steps: no objective and no bound
	// rests on it.
	Factor32 = FactorOf[float32]
)

// NewFactor is a zero rows×k factor.
func NewFactor(rows, k int) *Factor { return NewFactorOf[float64](rows, k) }

// NewFactorOf is a zero rows×k factor in T.
func NewFactorOf[T Real](rows, k int) *FactorOf[T] {
	return shaped(rows, k, memory.Zeros[T])
}

// shaped is a rows×k factor; numbers makes its memory of n numbers.
func shaped[T Real](rows, k int, numbers func(n int) []T) *FactorOf[T] {
	stride := (k + 7) &^ 7
	return &FactorOf[T]{Rows: rows, K: k, Stride: stride, Data: numbers(rows * stride)}
}

// Room is a rows×k factor with any content, for callers who overwrite all of it, padding too.
func Room[T Real](rows, k int) *FactorOf[T] { return shaped(rows, k, memory.Room[T]) }

// Like is a zero factor of k columns with the rows of F, shared as these are.
func Like[T, S Real](f *FactorOf[S], k int) *FactorOf[T] {
	g := RoomLike[T](f, k)
	g.pieces(func(lo, hi int) { clear(g.Data[lo:hi]) })
	return g
}

// RoomLike is Like with any content, as Room.
func RoomLike[T, S Real](f *FactorOf[S], k int) *FactorOf[T] {
	g := Room[T](f.Rows, k)
	g.Shared = f.Shared
	return g
}

// Height is the number of rows of all ranks, which is Rows where they share none.
func (f *FactorOf[T]) Height() int {
	if f.Shared == nil {
		return f.Rows
	}
	return f.Shared.Len()
}

// First is the number, among those of all ranks, of the row that is row 0 here.
func (f *FactorOf[T]) First() int {
	if f.Shared == nil {
		return 0
	}
	first, _ := f.Shared.OwnRows()
	return first
}

// Between are the rows of F with the numbers lo ≤ i < hi among those of all ranks, which this rank has; they are not copied.
func (f *FactorOf[T]) Between(lo, hi int) *FactorOf[T] {
	first := f.First()
	return &FactorOf[T]{Rows: hi - lo, K: f.K, Stride: f.Stride, Data: f.Data[(lo-first)*f.Stride : (hi-first)*f.Stride]}
}

// pieces calls do for pieces of the numbers, on all processors.
func (f *FactorOf[T]) pieces(do func(lo, hi int)) { par.Pieces(f.Rows*f.Stride, do) }

// sumOverRows overwrites dst with a sum over the rows of F, of so many flops each: add adds the terms of the rows lo ≤ i < hi to
// a part as long as dst. The sums of a fixed number of blocks are added in order.
func sumOverRows[P, T Real](f *FactorOf[T], dst []P, flops int, add func(part []P, lo, hi int)) {
	if f.Shared == nil {
		par.Accumulate(dst, rowBlocks(f.Rows, flops, 16), f.Rows, add)
		return
	}
	cluster.Sum(f.Shared, dst, func(shard int, part []P) {
		from, to := f.Shared.Shard(shard)
		here := from - f.First()
		par.Accumulate(part, rowBlocks(to-from, flops, 16), to-from, func(part []P, lo, hi int) { add(part, here+lo, here+hi) })
	})
}

// Whole is F with all rows on every rank: F itself where ranks share none, and in the same memory where one has all. RepayWhole
// gives other memory back.
func (f *FactorOf[T]) Whole() *FactorOf[T] {
	if f == nil || f.Shared == nil {
		return f
	}
	if f.Rows == f.Height() && f.Shared.Comm().Size() == 1 {
		return f.Between(0, f.Rows)
	}
	all := Room[T](f.Height(), f.K)
	copy(all.Data[f.First()*f.Stride:], f.Data)
	cluster.Fill(f.Shared, all.Data, all.Stride)
	return all
}

// RepayWhole is Repay of all, which is f.Whole(), where that has memory of its own.
func RepayWhole[T Real](all, f *FactorOf[T]) {
	if f != nil && f.Shared.Comm().Size() > 1 {
		Repay(all)
	}
}

// SharedBy is a copy of F of which ranks share the rows like this: those that a rank has of an F that is whole, or shared in any
// way. It is F itself where rows is nil.
func (f *FactorOf[T]) SharedBy(rows *cluster.Rows) *FactorOf[T] {
	if rows == nil {
		return f
	}
	all := f
	if !f.Shared.Like(rows) {
		all = f.Whole()
		defer RepayWhole(all, f)
	}
	own := all.Between(rows.OwnRows()).Clone()
	own.Shared = rows
	return own
}

// NewShared is a zero factor of k columns whose rows ranks share.
func NewShared(rows *cluster.Rows, k int) *Factor {
	lo, hi := rows.OwnRows()
	f := NewFactor(hi-lo, k)
	f.Shared = rows
	return f
}

// Do calls all of fs, which may take sums over the rows of F: at once, or in their order where ranks share these rows, as ranks
// meet in one order.
func (f *FactorOf[T]) Do(fs ...func()) {
	if f.Shared == nil {
		par.Do(fs...)
		return
	}
	for _, do := range fs {
		do()
	}
}

// alike refuses to mix rows that ranks share with rows that each has whole.
func (f *FactorOf[T]) alike(g *FactorOf[T]) {
	if f.Shared != g.Shared {
		panic("gcg: a factor of shared rows beside one of whole rows")
	}
}

// FactorIn is F rounded to T in a new factor, or F itself where it is in T.
func FactorIn[T, S Real](f *FactorOf[S]) *FactorOf[T] {
	if same, ok := any(f).(*FactorOf[T]); ok {
		return same
	}
	g := RoomLike[T](f, f.K)
	g.pieces(func(lo, hi int) {
		kernel.Convert(g.Data[lo:hi], f.Data[lo:hi])
	})
	return g
}

// wellFormed reports whether F has the shape that NewFactorOf gives a factor of so many rows.
func (f *FactorOf[T]) wellFormed(rows int) bool {
	own := rows
	if f.Shared != nil {
		lo, hi := f.Shared.OwnRows()
		own = hi - lo
	}
	return f.Height() == rows && f.Rows == own && f.K >= 0 && f.Stride >= f.K && f.Stride%8 == 0 && len(f.Data) == own*f.Stride
}

// Equal says that all numbers of F are those of G, a factor of the same shape. Where ranks share the rows they say so together.
func (f *FactorOf[T]) Equal(g *FactorOf[T]) bool {
	if f.K != g.K || f.Shared != g.Shared {
		return false
	}
	same := slices.Equal(f.Data, g.Data)
	if f.Shared == nil || same && f.Shared.Comm().Size() == 1 {
		return same
	}
	others := 0
	if !same {
		others = 1
	}
	return f.Shared.Comm().Count(others) == 0
}

// Row is row i of those that are here, with its padding, not copied.
func (f *FactorOf[T]) Row(i int) []T {
	return f.Data[i*f.Stride : (i+1)*f.Stride : (i+1)*f.Stride]
}

// ColumnTo copies column c into dst (Rows).
func (f *FactorOf[T]) ColumnTo(dst []T, c int) {
	for i := range dst {
		dst[i] = f.Data[i*f.Stride+c]
	}
}

// SetColumn writes scale·x into column c.
func (f *FactorOf[T]) SetColumn(c int, x []T, scale T) {
	for i, xi := range x {
		f.Data[i*f.Stride+c] = scale * xi
	}
}

// setColumns writes G diag(scale) into the columns from c on.
func (f *FactorOf[T]) setColumns(c int, g *FactorOf[T], scale []T) {
	f.alike(g)
	f.RowBlocks(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			to, from := f.Row(i)[c:], g.Row(i)
			for j, by := range scale {
				to[j] = by * from[j]
			}
		}
	})
}

// ScaleColumn multiplies column c by a number.
func (f *FactorOf[T]) ScaleColumn(c int, by T) {
	for i := c; i < len(f.Data); i += f.Stride {
		f.Data[i] *= by
	}
}

// ScaleColumns overwrites F with F diag(by); by is as long as a row with its padding.
func (f *FactorOf[T]) ScaleColumns(by []T) {
	f.RowBlocks(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := f.Row(i)
			kernel.Hadamard(row, row, by)
		}
	})
}

// Scale multiplies F by a number.
func (f *FactorOf[T]) Scale(by T) {
	f.pieces(func(lo, hi int) { kernel.Scale(by, f.Data[lo:hi]) })
}

// Clone is a copy of F.
func (f *FactorOf[T]) Clone() *FactorOf[T] {
	g := *f
	g.Data = memory.Room[T](len(f.Data))
	f.pieces(func(lo, hi int) { copy(g.Data[lo:hi], f.Data[lo:hi]) })
	return &g
}

// Repay gives the memory of factors to later ones, which need no fresh pages then; nil factors are passed over. It is
// optional. Data becomes nil, and all of its capacity is given away: a factor that is given back must not be a view of
// another one, nor share Data with a copy of itself.
func Repay[T Real](all ...*FactorOf[T]) {
	for _, f := range all {
		if f != nil {
			memory.Repay(f.Data)
			f.Data = nil
		}
	}
}

// Widen is a copy with k columns: the first k of F, or all of F and then zeros.
func (f *FactorOf[T]) Widen(k int) *FactorOf[T] {
	g, both := RoomLike[T](f, k), min(k, f.K)
	f.RowBlocks(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := g.Row(i)
			copy(row[:both], f.Row(i))
			clear(row[both:])
		}
	})
	return g
}

// Identity is the identity matrix (n×n) as a factor: F Iᵀ writes any matrix F of n columns as a product of factors.
func Identity(n int) *Factor {
	f := NewFactor(n, n)
	for i := range n {
		f.Row(i)[i] = 1
	}
	return f
}

// Beside is [F G] in a new factor, for factors of as many rows.
func Beside[T Real](f, g *FactorOf[T]) *FactorOf[T] {
	f.alike(g)
	h := RoomLike[T](f, f.K+g.K)
	h.RowBlocks(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := h.Row(i)
			n := copy(row, f.Row(i)[:f.K])
			n += copy(row[n:], g.Row(i)[:g.K])
			clear(row[n:])
		}
	})
	return h
}

// Padded is a copy of F as a Small, to multiply factors of as many columns as F has rows.
func Padded[T Real](f *FactorOf[T]) *FactorOf[T] {
	all := f.Whole()
	defer RepayWhole(all, f)
	s := SmallIn[T](all.Rows, all.K)
	for i := range all.Rows {
		copy(s.Row(i), all.Row(i)[:all.K])
	}
	return s
}

// Products of tall factors are cut into blocks of at least rowGrain rows, beside which adding up the k×k sum of a block is
// little work. Blocks take at least flopGrain flops too, which are a few microseconds.
const (
	rowGrain  = 400
	flopGrain = 1 << 18
)

// rowBlocks is the number of blocks, limit at most, that rows of so many flops each are cut into.
func rowBlocks(rows, flops, limit int) int {
	return par.Grain(rows, max(rowGrain, flopGrain/max(flops, 1)), limit)
}

// Small is a zero k1×k2 matrix that factors of k1 columns are multiplied with: it has as many rows as their stride.
func Small(k1, k2 int) *Factor { return SmallIn[float64](k1, k2) }

// SmallIn is Small in T.
func SmallIn[T Real](k1, k2 int) *FactorOf[T] { return NewFactorOf[T]((k1+7)&^7, k2) }

// TMul is Aᵀ B for two tall factors, a new Small(a.K, b.K). It takes 2·rows·ka·kb flops, half of that for AᵀA; the sums of a
// fixed number of row blocks are added in order.
func TMul[T Real](a, b *FactorOf[T]) *FactorOf[T] {
	sum := Room[T]((a.K+7)&^7, b.K)
	sum.TMulTo(a, b)
	return sum
}

// TMulTo overwrites sum, a SmallIn(a.K, b.K), with Aᵀ B.
func (sum *FactorOf[T]) TMulTo(a, b *FactorOf[T]) {
	over := a
	if a.Shared == nil && b.Shared != nil {
		over = b
	}
	sumOverRows(over, sum.Data, 2*a.Stride*b.Stride, func(part []T, lo, hi int) {
		left := a.Data[lo*a.Stride : hi*a.Stride]
		if a == b {
			kernel.Gram(part, left, hi-lo, a.Stride)
			return
		}
		kernel.GemmTN(part, left, b.Data[lo*b.Stride:hi*b.Stride], a.Stride, b.Stride, hi-lo)
	})
	if a == b {
		kernel.Mirror(sum.Data, a.Stride)
	}
}

// AddMul adds A S to dst: A is tall (rows×k1), S a Small(k1, k2), dst rows×k2. It takes 2·rows·k1·k2 flops.
func (dst *FactorOf[T]) AddMul(a, s *FactorOf[T]) {
	dst.addMul(a, s, func([]T) {})
}

// addMul is AddMul; prepare is called on each block of rows of dst before A S is added to it.
func (dst *FactorOf[T]) addMul(a, s *FactorOf[T], prepare func(block []T)) {
	dst.alike(a)
	a.rowBlocks(2*a.Stride*dst.Stride, func(lo, hi int) {
		block := dst.Data[lo*dst.Stride : hi*dst.Stride]
		prepare(block)
		kernel.GemmNN(block, a.Data[lo*a.Stride:hi*a.Stride], s.Data, hi-lo, dst.Stride, a.Stride)
	})
}

// Mul is A S in a new factor, for shapes as AddMul has them.
func Mul[T Real](a, s *FactorOf[T]) *FactorOf[T] {
	dst := RoomLike[T](a, s.K)
	dst.MulTo(a, s)
	return dst
}

// MulTo overwrites dst with A S, for shapes as AddMul has them.
func (dst *FactorOf[T]) MulTo(a, s *FactorOf[T]) {
	dst.addMul(a, s, func(block []T) { clear(block) })
}

// Project removes from every column of F its part in the span of the orthonormal Q, and returns QᵀF as a Small.
func (f *FactorOf[T]) Project(q *FactorOf[T]) *FactorOf[T] { return f.ProjectAll(q)[0] }

// ProjectAll is Project for factors that are orthonormal together. QᵀF of all of them is computed before F changes; the
// subtraction then reads F once for all.
func (f *FactorOf[T]) ProjectAll(all ...*FactorOf[T]) []*FactorOf[T] {
	coefs, flops := make([]*FactorOf[T], len(all)), 0
	project := make([]func(), len(all))
	for t, q := range all {
		f.alike(q)
		project[t] = func() {
			coefs[t] = TMul(q, f)
			coefs[t].Scale(-1)
		}
	}
	f.Do(project...)
	for _, q := range all {
		flops += 2 * q.Stride * f.Stride
	}
	f.rowBlocks(flops, func(lo, hi int) {
		rows := f.Data[lo*f.Stride : hi*f.Stride]
		for t, q := range all {
			kernel.GemmNN(rows, q.Data[lo*q.Stride:hi*q.Stride], coefs[t].Data, hi-lo, f.Stride, q.Stride)
		}
	})
	for _, c := range coefs {
		c.Scale(-1)
	}
	return coefs
}

// ColumnNorms has ‖f_c‖₂ of the K columns, by one pass over the rows. Norms whose squares leave the range of numbers are
// computed again, one by one.
func (f *FactorOf[T]) ColumnNorms() []float64 {
	norms := f.ColumnDots(f)
	var col []float64
	for c, square := range norms {
		if norms[c] = math.Sqrt(square); !linalg.SquareInRange(square) {
			if col == nil {
				f = f.Whole()
				col = make([]float64, f.Rows)
			}
			for i := range col {
				col[i] = float64(f.Row(i)[c])
			}
			norms[c] = Norm(col)
		}
	}
	return norms
}

// ColumnDots has the inner product of each of the K columns with that of G, a factor of the same shape.
func (f *FactorOf[T]) ColumnDots(g *FactorOf[T]) []float64 {
	sums := make([]float64, f.Stride)
	sumOverRows(f, sums, 16*f.Stride, func(sum []float64, lo, hi int) {
		x, y := make([]float64, f.Stride), make([]float64, f.Stride)
		for i := lo; i < hi; i++ {
			kernel.Convert(x, f.Row(i))
			kernel.Convert(y, g.Row(i))
			kernel.Hadamard(x, x, y)
			kernel.Axpy(1, x, sum)
		}
	})
	return sums[:f.K]
}

// Dot is ⟨F, G⟩ for factors of one shape.
func (f *FactorOf[T]) Dot(g *FactorOf[T]) float64 {
	if f.Shared != nil {
		var sum [1]float64
		sumOverRows(f, sum[:], 2*f.Stride, func(part []float64, lo, hi int) {
			part[0] += kernel.Dot(f.Data[lo*f.Stride:hi*f.Stride], g.Data[lo*f.Stride:hi*f.Stride])
		})
		return sum[0]
	}
	blocks := par.Grain(len(f.Data), 1<<14, 16)
	return par.Sum(blocks, func(t int) float64 {
		lo, hi := par.Range(t, blocks, len(f.Data))
		return kernel.Dot(f.Data[lo:hi], g.Data[lo:hi])
	})
}

// AddScaled adds by·G to F.
func (f *FactorOf[T]) AddScaled(by T, g *FactorOf[T]) {
	f.alike(g)
	f.pieces(func(lo, hi int) { kernel.Axpy(by, g.Data[lo:hi], f.Data[lo:hi]) })
}

// RowBlocks calls do for blocks of rows lo ≤ i < hi, on all processors. The blocks are sized for a few flops an entry.
func (f *FactorOf[T]) RowBlocks(do func(lo, hi int)) { f.rowBlocks(16*f.Stride, do) }

// rowBlocks is RowBlocks for rows of so many flops each.
func (f *FactorOf[T]) rowBlocks(flops int, do func(lo, hi int)) {
	blocks := rowBlocks(f.Rows, flops, 64)
	par.For(blocks, func(b int) {
		lo, hi := par.Range(b, blocks, f.Rows)
		do(lo, hi)
	})
}
