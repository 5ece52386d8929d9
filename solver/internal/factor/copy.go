package factor

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// ScaleColumns is F diag(s)^power.
func ScaleColumns[T gcg.Real](f *gcg.FactorOf[T], s []float64, power float64) *gcg.FactorOf[T] {
	by := make([]T, f.Stride)
	for c, x := range s {
		by[c] = T(math.Pow(x, power))
	}
	g := f.Clone()
	g.ScaleColumns(by)
	return g
}

// Transposed is the transpose of the first k rows of F, as a Small.
func Transposed[T gcg.Real](s *gcg.FactorOf[T], k int) *gcg.FactorOf[T] {
	t := gcg.SmallIn[T](s.K, k)
	TransposeTo(t, Trimmed(s, k))
	return t
}

// TransposeTo overwrites dst, which has a row for each column of F, with Fᵀ. It goes by tiles of eight columns, which fill a
// line of the cache: whole columns, one after the other, would fall on few of its sets where a stride is a power of two.
func TransposeTo[T gcg.Real](dst, f *gcg.FactorOf[T]) {
	for j := 0; j < f.K; j += 8 {
		a, b, c, d := dst.Row(j), dst.Row(j+1), dst.Row(j+2), dst.Row(j+3)
		e, g, h, k := dst.Row(j+4), dst.Row(j+5), dst.Row(j+6), dst.Row(j+7)
		for i := range f.Rows {
			x := (*[8]T)(f.Data[i*f.Stride+j:])
			a[i], b[i], c[i], d[i] = x[0], x[1], x[2], x[3]
			e[i], g[i], h[i], k[i] = x[4], x[5], x[6], x[7]
		}
	}
}

// Trimmed is the first rows of F, without those that only a Small has; it shares their memory.
func Trimmed[T gcg.Real](f *gcg.FactorOf[T], rows int) *gcg.FactorOf[T] {
	return &gcg.FactorOf[T]{Rows: rows, K: f.K, Stride: f.Stride, Data: f.Data[:rows*f.Stride]}
}

// RowsFrom is the rows of F from one on; it shares their memory.
func RowsFrom(f *gcg.Factor, from int) *gcg.Factor {
	return &gcg.Factor{Rows: f.Rows - from, K: f.K, Stride: f.Stride, Data: f.Data[from*f.Stride:]}
}

// TallTo copies src, or its transpose where turned, to dst in float64.
func TallTo(dst *gcg.Factor, src *gcg.Factor32, turned bool) {
	src.RowBlocks(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := src.Row(i)[:src.K]
			if !turned {
				kernel.Convert(dst.Row(i)[:src.K], row)
				continue
			}
			for j, x := range row {
				dst.Data[j*dst.Stride+i] = float64(x)
			}
		}
	})
}

// Pick is the listed columns of F.
func Pick(f *gcg.Factor, columns []int) *gcg.Factor {
	g := gcg.RoomLike[float64](f, len(columns))
	g.RowBlocks(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			to, from := g.Row(i), f.Row(i)
			for c, at := range columns {
				to[c] = from[at]
			}
			clear(to[len(columns):])
		}
	})
	return g
}

// ColumnsOf is the columns from ≤ c < to of q, as a Small.
func ColumnsOf(q *mat.Dense, from, to int) *gcg.Factor {
	k, _ := q.Dims()
	if from == to {
		return gcg.Small(k, 0)
	}
	return gcg.SmallOf(q.Slice(0, k, from, to))
}

// Blank is a factor of zeros with the shape of F.
func Blank[T gcg.Real](f *gcg.FactorOf[T]) *gcg.FactorOf[T] { return gcg.Like[T](f, f.K) }

// Copy overwrites F with G, a factor of the same shape.
func Copy[T gcg.Real](f, g *gcg.FactorOf[T]) {
	f.RowBlocks(func(lo, hi int) { copy(f.Data[lo*f.Stride:hi*f.Stride], g.Data[lo*g.Stride:]) })
}

// Ones is a column of ones with the rows of F.
func Ones(f *gcg.Factor) *gcg.Factor {
	ones := gcg.Like[float64](f, 1)
	for i := range ones.Rows {
		ones.Row(i)[0] = 1
	}
	return ones
}

// Everywhere is F with all rows on every rank. It takes the memory of F.
func Everywhere[T gcg.Real](f *gcg.FactorOf[T]) *gcg.FactorOf[T] {
	all := f.Whole()
	if f.Shared.Comm().Size() > 1 {
		gcg.Repay(f)
	}
	return all
}

// Narrowed is scale·F in float32, scaled before it is rounded.
func Narrowed(f *gcg.Factor, scale float64) *gcg.Factor32 {
	g := gcg.RoomLike[float32](f, f.K)
	f.RowBlocks(func(lo, hi int) {
		row := make([]float64, f.Stride)
		for i := lo; i < hi; i++ {
			copy(row, f.Row(i))
			kernel.Scale(scale, row)
			kernel.Convert(g.Row(i), row)
		}
	})
	return g
}

// RepayIn ends g, which gcg.FactorIn made of f, unless it is f itself.
func RepayIn[T, S gcg.Real](g *gcg.FactorOf[T], f *gcg.FactorOf[S]) {
	if any(g) != any(f) {
		gcg.Repay(g)
	}
}

// RepayNarrow ends what gcg.FactorIn made of factors in float64, which is nothing where T is float64.
func RepayNarrow[T gcg.Real](all ...*gcg.FactorOf[T]) {
	if narrow, made := any(all).([]*gcg.Factor32); made {
		gcg.Repay(narrow...)
	}
}

// RepayFormer ends the factors u, v that W had, unless W still has the memory of one of them, be it behind another header.
func RepayFormer(u, v *gcg.Factor, w *gcg.Iterate) {
	if !shared(u, w.U) && !shared(u, w.V) && !shared(v, w.U) && !shared(v, w.V) {
		gcg.Repay(u, v)
	}
}

// shared says that two factors are in the same memory.
func shared(f, g *gcg.Factor) bool {
	return f == g || f != nil && g != nil && len(f.Data) > 0 && len(g.Data) > 0 && &f.Data[0] == &g.Data[0]
}
