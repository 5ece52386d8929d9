package gcg

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/par"
	"gonum.org/v1/gonum/mat"
)

// Dense copies the k1×k2 content of a Small.
func (f *FactorOf[T]) Dense(k1 int) *mat.Dense {
	if k1 == 0 || f.K == 0 {
		return new(mat.Dense)
	}
	data := make([]float64, k1*f.K)
	for i := range k1 {
		to := data[i*f.K : (i+1)*f.K]
		for j, x := range f.Row(i)[:f.K] {
			to[j] = float64(x)
		}
	}
	return mat.NewDense(k1, f.K, data)
}

// SmallOf is the Small with the content of d.
func SmallOf(d mat.Matrix) *Factor {
	r, c := d.Dims()
	s := Small(r, c)
	if d, ok := d.(*mat.Dense); ok {
		for i := range r {
			copy(s.Row(i), d.RawRowView(i))
		}
		return s
	}
	for i := range r {
		for j := range c {
			s.Row(i)[j] = d.At(i, j)
		}
	}
	return s
}

// SpectralNorm is ‖F‖₂ of a tall factor, by its Gram matrix.
func (f *FactorOf[T]) SpectralNorm() float64 {
	if f.K == 0 {
		return 0
	}
	g, scale := TMul(f, f), 1.0
	if s := g.Trace(); !(s > 1e-30 && s < 1e30) { // squares may have left the range of T
		if scale = linalg.MaxAbs(f.Data); scale == 0 {
			return 0
		}
		unit := f.Clone()
		unit.Scale(T(1 / scale))
		g = TMul(unit, unit)
	}
	return scale * math.Sqrt(math.Max(g.TopEigenvalue(), 0))
}

// Diagonal is that of a Small(k, k).
func (s *FactorOf[T]) Diagonal() []float64 {
	d := make([]float64, s.K)
	for i := range d {
		d[i] = float64(s.Row(i)[i])
	}
	return d
}

// Trace is the sum of the diagonal of a Small(k, k).
func (s *FactorOf[T]) Trace() (sum float64) {
	for i := range s.K {
		sum += float64(s.Row(i)[i])
	}
	return sum
}

// SymEigen is the eigendecomposition (S + Sᵀ)/2 = E diag(values) Eᵀ of the symmetric part of a Small(k, k), values ascending; E (k×k)
// is nil unless it is asked for. Values of a matrix that is not finite are NaN.
func (s *FactorOf[T]) SymEigen(vectors bool) (values []float64, e *mat.Dense) {
	return linalg.SymEigen(s.symmetricPart(), vectors)
}

// TopEigenvalue is the largest of the symmetric part of a Small(k, k), NaN of one that is not finite.
func (s *FactorOf[T]) TopEigenvalue() float64 { return linalg.TopEigenvalue(s.symmetricPart()) }

// symmetricPart is (S + Sᵀ)/2.
func (s *FactorOf[T]) symmetricPart() *mat.SymDense {
	upper := make([]float64, s.K*s.K)
	for i := range s.K {
		row := upper[i*s.K : (i+1)*s.K]
		for j := i; j < s.K; j++ {
			row[j] = (float64(s.Row(i)[j]) + float64(s.Row(j)[i])) / 2
		}
	}
	return mat.NewSymDense(s.K, upper)
}

// Definite says that the eigenvalues of the symmetric part of a Small(k, k) are above a part of its largest diagonal entry.
func (s *FactorOf[T]) Definite(above float64) bool {
	l, top := linalg.NewLower(s.K), 0.0
	for i := range s.K {
		top = math.Max(top, float64(s.Row(i)[i]))
	}
	for i := range s.K {
		for j := range i + 1 {
			l.Row(i, j)[j%linalg.PanelWidth] = (float64(s.Row(i)[j]) + float64(s.Row(j)[i])) / 2
		}
		l.Row(i, i)[i%linalg.PanelWidth] -= above * top
	}
	return l.Cholesky()
}

// Orthonormal is a basis Q (rows × r, r ≤ k and ≤ rows) of the span of F with F = Q C, C a Small(r, k). Directions in which
// the unit columns of F are smaller than drop are left out. The columns, scaled to unit length, are multiplied by the
// inverse root of their Gram matrix; what that cannot resolve (singular values below 1e-5) is orthogonalised again from
// the remainder, so that ill-conditioned factors lose nothing down to about 1e-14.
func Orthonormal(f *Factor, drop float64) (q, c *Factor) {
	unit, norms := unitColumns(f)
	gram := TMul(unit, unit)
	if fromIdentity(gram) <= orthonormal(f.K) { // as the factors of an SVD are
		c = Small(f.K, f.K)
		for j, nj := range norms {
			c.Row(j)[j] = nj
		}
		return unit, c
	}
	rest := unit
	q = NewFactor(f.Rows, 0)
	for limit := min(f.K, f.Rows); q.K < limit; gram = TMul(rest, rest) {
		piece, ok := triangular(rest, gram, drop)
		if !ok {
			piece = whiten(rest, gram, drop*drop, 1e-10)
		}
		piece = outside(piece, q)
		if piece.K == 0 {
			break
		}
		q = join(q, piece)
		if q.K < limit {
			rest = rest.Clone()
			rest.Project(q)
		}
	}
	c = TMul(q, unit)
	for j, nj := range norms {
		c.ScaleColumn(j, nj)
	}
	return q, c
}

// outside makes nearly orthonormal columns orthonormal, and orthogonal to q; twice is enough. Directions that lose half of
// their length were rounding errors of what lies in the span of q already: they are dropped, for made unit again they would
// spoil the basis, and the next remainder would grow instead of vanish.
func outside(f, q *Factor) *Factor {
	for range 2 {
		if q.K > 0 {
			f.Project(q)
		}
		var done bool
		if f, done = polish(f); done && q.K == 0 {
			break
		}
	}
	return f
}

// polish is F (FᵀF)^-½ for nearly orthonormal columns, by the series of the root: (I+D)^-½ = I - D/2 + 3D²/8 - …; others are
// whitened. It is done where what the series leaves out is rounding.
func polish(f *Factor) (g *Factor, done bool) {
	d := TMul(f, f)
	size := fromIdentity(d)
	switch {
	case size <= orthonormal(f.K):
		return f, true
	case !(size*float64(f.K) <= 1e-3):
		return whiten(f, d, 0.25, 1e-10), false
	}
	for j := range d.K {
		d.Row(j)[j]--
	}
	s := Small(f.K, f.K)
	s.AddMul(d, d)
	s.Scale(0.375)
	s.AddScaled(-0.5, d)
	for j := range s.K {
		s.Row(j)[j]++
	}
	return Mul(f, s), size*float64(f.K) <= 1e-5
}

// orthonormal is how far k orthonormal columns are from it by rounding.
func orthonormal(k int) float64 { return 2e-15 * math.Sqrt(float64(k)) }

// fromIdentity is the largest entry of S - I, in size.
func fromIdentity(s *Factor) float64 {
	var worst float64
	for i := range s.K {
		for j, x := range s.Row(i)[:s.K] {
			if i == j {
				x--
			}
			if x = math.Abs(x); !(x <= worst) {
				worst = x
			}
		}
	}
	return worst
}

// join is [F G], new.
func join(f, g *Factor) *Factor {
	if f.K == 0 {
		return g
	}
	h := f.Widen(f.K + g.K)
	for i := range h.Rows {
		copy(h.Row(i)[f.K:], g.Row(i)[:g.K])
	}
	return h
}

// unitColumns is F with columns of unit length, and their lengths.
func unitColumns(f *Factor) (*Factor, []float64) {
	norms := columnNorms(f)
	by := make([]float64, f.Stride)
	for c, n := range norms {
		if n > 1e-300 { // of less, the inverse could overflow
			by[c] = 1 / n
		} else {
			norms[c] = 0
		}
	}
	unit := NewFactor(f.Rows, f.K)
	blocks := par.Grain(f.Rows, rowGrain, 64)
	par.For(blocks, func(t int) {
		lo, hi := par.Range(t, blocks, f.Rows)
		for i := lo; i < hi; i++ {
			to := unit.Row(i)
			for c, x := range f.Row(i) {
				to[c] = x * by[c]
			}
		}
	})
	return unit, norms
}

// columnNorms are the lengths of the columns, by one pass over the rows; again one by one where squares leave the range of
// numbers.
func columnNorms(f *Factor) []float64 {
	blocks := par.Grain(f.Rows, rowGrain, 16)
	parts := make([][]float64, blocks)
	par.For(blocks, func(t int) {
		lo, hi := par.Range(t, blocks, f.Rows)
		sum := make([]float64, f.Stride)
		for i := lo; i < hi; i++ {
			for c, x := range f.Row(i) {
				sum[c] += x * x
			}
		}
		parts[t] = sum
	})
	norms := make([]float64, f.K)
	var col []float64
	for c := range norms {
		var square float64
		for _, part := range parts {
			square += part[c]
		}
		if norms[c] = math.Sqrt(square); square < 1e-280 || !(square < 1e280) {
			if col == nil {
				col = make([]float64, f.Rows)
			}
			f.ColumnTo(col, c)
			norms[c] = Norm(col)
		}
	}
	return norms
}

// triangular is F R⁻¹ for the Cholesky factor R of gram = FᵀF, F of unit columns. It is ok where no column is close to the span of
// those before it: what multiplying by the inverse costs then is rounding, and nothing is small enough to be dropped.
func triangular(f, gram *Factor, drop float64) (q *Factor, ok bool) {
	if drop > 1e-6 {
		return nil, false
	}
	_, x, ok := linalg.InverseRoot(gram.Data, f.K, gram.Stride, 1e-4)
	if !ok {
		return nil, false
	}
	s := Small(f.K, f.K)
	for i := range f.K {
		row := s.Row(i)
		for j := i; j < f.K; j++ {
			row[j] = x[j*f.K+i]
		}
	}
	return Mul(f, s), true
}

// whiten is F E Λ^-½ for the eigendecomposition E Λ Eᵀ of gram = FᵀF, without the eigenvalues at or below floor and below
// relative times the largest.
func whiten(f, gram *Factor, floor, relative float64) *Factor {
	if f.K == 0 {
		return f
	}
	values, e := gram.SymEigen(true)
	floor = math.Max(floor, relative*values[len(values)-1])
	keep := 0
	for _, v := range values {
		if v > floor {
			keep++
		}
	}
	s := Small(f.K, keep)
	for j := range keep {
		from := f.K - 1 - j // descending
		for i := range f.K {
			s.Row(i)[j] = e.At(i, from) / math.Sqrt(values[from])
		}
	}
	return Mul(f, s)
}
