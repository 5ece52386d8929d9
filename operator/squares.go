package operator

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// Squares is the operator and the loss of matrix completion as one, c·½ Σ (y_ij - αᵢ W_ij βⱼ)² over observed entries, see
// gcg.Squares: what Sampling and loss.Squared are together, without vectors of predictions. It keeps 4 bytes for the column
// of an observation, and y and r in T: 12 bytes an observation with float32, 20 with float64. All sums are in float64.
//
// With float32 the data are the rounded y; the rounded r is a dual point as good as any other, and the loss is summed before
// it is rounded. So the bracket that a certificate gives holds as it does in float64, and only its width has a floor, see
// Floor.
//
// It keeps the residual of the point that it is at, and so serves one Run at a time: two at once are a data race. For another
// Run at the same time, Scaled makes a Squares that has a residual of its own and shares the observations.
type Squares[T Storage] struct {
	t              *tiles
	y, r           []T       // in the order of the tiles
	c              float64   // 1, or 1/N
	rowMul, colMul []float64 // α and β, or nil for ones
	rr, ry         float64   // Σ r² and Σ r y
	known          bool      // rr and ry are those of the present r
}

// NewSquares takes the observed entries as compressed rows: ptr has m+1 ascending offsets, cols the column of every
// observation, in any order but not twice in a row, and y its value. cols and y are kept and reordered. The loss is a sum, or
// a mean over the observations, of which there must be one then. It refuses offsets and columns out of order or range, other
// lengths, and values that are not finite.
func NewSquares[T Storage](m, n int, ptr []int64, cols []int32, y []T, mean bool) (*Squares[T], error) {
	if len(y) != len(cols) {
		return nil, fmt.Errorf("operator: %d values for %d observations", len(y), len(cols))
	}
	if mean && len(y) == 0 {
		return nil, fmt.Errorf("operator: no observations have no mean loss")
	}
	for e, v := range y {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return nil, fmt.Errorf("operator: value %d is %v", e+1, v)
		}
	}
	var old []T
	t, err := newTiles(m, n, ptr, cols, func(lo int, from []int32) {
		old = append(old[:0], y[lo:lo+len(from)]...)
		for e, f := range from {
			y[lo+e] = old[f]
		}
	})
	if err != nil {
		return nil, err
	}
	s := &Squares[T]{t: t, y: y, r: make([]T, len(y)), c: 1}
	if mean {
		s.c = 1 / float64(len(y))
	}
	s.Move(nil, nil)
	return s, nil
}

// Scaled is the same data with z_ij = rowMul_i W_ij colMul_j, the variable of the weighted trace norm. The observations are
// shared, the residual is not. It refuses other lengths, and scales that are not positive and finite.
func (s *Squares[T]) Scaled(rowMul, colMul []float64) (*Squares[T], error) {
	if err := checkScales(s.t.m, s.t.n, rowMul, colMul); err != nil {
		return nil, err
	}
	c := *s
	c.rowMul, c.colMul, c.r, c.known = rowMul, colMul, append([]T(nil), s.r...), false
	return &c, nil
}

// Floor is about the smallest relative gap that can be certified at residuals like the present ones. The rounding of r moves each
// entry of the dual point by at most half a unit in the last place.
func (s *Squares[T]) Floor() float64 {
	if _, double := any(s.r).([]float64); double {
		return 1e-14
	}
	return 0x1p-23
}

// Dims is the size m×n of W and 0, as no observations are shown.
func (s *Squares[T]) Dims() (m, n, nobs int) { return s.t.m, s.t.n, 0 }

// Entries is the number of observations.
func (s *Squares[T]) Entries() int { return len(s.y) }

// Residuals calls f for the observations, row by row, each with its y and its r as they are stored.
func (s *Squares[T]) Residuals(f func(i, j int, y, r float64)) {
	for i := range s.t.m {
		s.t.row(i, func(first int, e, end int64) {
			for ; e < end; e++ {
				f(i, first+int(s.t.index[e]), float64(s.y[e]), float64(s.r[e]))
			}
		})
	}
}

// Counts has the number of observations of every row and of every column.
func (s *Squares[T]) Counts() (rows, cols []float64) {
	return slices.Clone(s.t.inRows), slices.Clone(s.t.inCols)
}

// The methods of gcg.Operator and gcg.LeastSquares show no observations, so that those on blocks have nothing to do.

func (s *Squares[T]) AtomTo([]float64, int, *gcg.Atom)                    {}
func (s *Squares[T]) FactoredTo([]float64, int, *gcg.Factor, *gcg.Factor) {}
func (s *Squares[T]) Adjoint([]float64) gcg.Map                           { return &squaresMap[T]{s} }
func (s *Squares[T]) Len() int                                            { return 0 }
func (s *Squares[T]) Stride() int                                         { return 1 }
func (s *Squares[T]) Eval(int, []float64, []float64) float64              { return 0 }
func (s *Squares[T]) HessTo([]float64, int, []float64, []float64)         {}
func (s *Squares[T]) Curvature() float64                                  { return s.c }
func (s *Squares[T]) Target() []float64                                   { return nil }
func (s *Squares[T]) Weights() []float64                                  { return nil }
func (s *Squares[T]) Scale() float64                                      { return s.c }

// Move makes r the residual of W = U Vᵀ and returns the loss; nil factors stand for W = 0. It takes 2k flops an observation.
func (s *Squares[T]) Move(u, v *gcg.Factor) float64 {
	s.known = false
	if u == nil || u.K == 0 {
		copy(s.r, s.y)
		rr, _ := s.Sums()
		return rr / 2
	}
	var by scaling[float64]
	defer by.repay()
	u, v = by.rows(u, s.rowMul), by.rows(v, s.colMul)
	return s.c / 2 * s.t.sum(func(w *scratch, r run) float64 {
		into := target(&w.a, s.r[r.lo:r.hi])
		sum := kernel.ResidualRows(into, from(u, r.row), block(v, r), u.Stride, r.ptr, r.index, widened(&w.b, s.y[r.lo:r.hi]))
		narrow(s.r[r.lo:r.hi], into)
		return sum
	})
}

// Sums are c·Σ r² and c·Σ r y of the stored residual, in one pass or from the last call.
func (s *Squares[T]) Sums() (rr, ry float64) {
	if !s.known {
		blocks := par.Grain(len(s.r), 1<<13, 256)
		part := make([]float64, blocks)
		s.rr = par.Sum(blocks, func(b int) (rr float64) {
			lo, hi := par.Range(b, blocks, len(s.r))
			y := s.y[lo:hi]
			for e, r := range s.r[lo:hi] {
				rr += float64(r) * float64(r)
				part[b] += float64(r) * float64(y[e])
			}
			return rr
		})
		s.ry = 0
		for _, x := range part {
			s.ry += x
		}
		s.known = true
	}
	return s.c * s.rr, s.c * s.ry
}

// Cross returns c·⟨z, z⟩, c·⟨z, a⟩ and c·⟨a, a⟩ for z = A(U Vᵀ) and a = A(P Qᵀ). It takes 4k flops an observation.
func (s *Squares[T]) Cross(u, v, p, q *gcg.Factor) (zz, za, aa float64) {
	var by scaling[float64]
	defer by.repay()
	u, v, p, q = by.rows(u, s.rowMul), by.rows(v, s.colMul), by.rows(p, s.rowMul), by.rows(q, s.colMul)
	part := make([][2]float64, len(s.t.ptr))
	zz = par.Sum(len(part), func(tile int) (zz float64) {
		w := borrowScratch()
		defer w.release()
		s.t.runs(tile, w, func(r run) {
			z, a := grown(&w.a, r.hi-r.lo), grown(&w.b, r.hi-r.lo)
			kernel.DotRows(z, from(u, r.row), block(v, r), u.Stride, r.ptr, r.index)
			kernel.DotRows(a, from(p, r.row), block(q, r), p.Stride, r.ptr, r.index)
			zz += kernel.Dot(z, z)
			part[tile][0] += kernel.Dot(z, a)
			part[tile][1] += kernel.Dot(a, a)
		})
		return zz
	})
	for _, x := range part {
		za += x[0]
		aa += x[1]
	}
	return s.c * zz, s.c * za, s.c * aa
}

// from is the rows of a factor from the given one on.
func from[T Storage](f *gcg.FactorOf[T], row int) []T { return f.Data[row*f.Stride:] }

// rowsOf is the rows lo ≤ i < hi of a factor.
func rowsOf[T Storage](f *gcg.FactorOf[T], lo, hi int) []T { return f.Data[lo*f.Stride : hi*f.Stride] }

// block is the rows of a right factor that belong to the block of columns of a run.
func block[T Storage](f *gcg.FactorOf[T], r run) []T { return rowsOf(f, r.first, r.end) }
