package gcg

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// Orthonormal is a basis Q (rows×r, r ≤ k and ≤ rows) of the span of F, and C, a Small(r, k), with F = Q C. Directions in which
// the columns of F, scaled to unit length, have singular values below drop are left out.
//
// Columns that are far from dependent take two Gram matrices and one product. Others are scaled to unit length and multiplied by
// the inverse root of their Gram matrix. This cannot resolve singular values below 1e-5, so that what remains is orthogonalised
// again. So ill-conditioned factors lose nothing down to about 1e-14.
func Orthonormal(f *Factor, drop float64) (q, c *Factor) {
	gram, norms, ok := unitGram(f)
	switch {
	case !ok:
	case fromIdentity(gram) <= orthonormalRounding(f.K): // as the factors of an SVD are
		Repay(gram)
		return unitColumns(f, norms), diagonal(norms)
	case drop <= 1e-6 && f.K <= f.Rows:
		if r, inverse, ok := upperRoot(gram, norms); ok {
			return rooted(f, r, inverse)
		}
	}
	return resolved(f, drop)
}

// rooted is Orthonormal from the upper triangular R with RᵀR = FᵀF and its inverse, k×k by rows.
func rooted(f *Factor, r, inverse []float64) (q, c *Factor) {
	product := Mul(f, smallRows(inverse, f.K))
	if q = outside(product, NewFactor(f.Rows, 0)); q == product {
		return q, smallRows(r, f.K)
	}
	return q, TMul(q, f)
}

// smallRows is the Small of k×k entries that are given by rows.
func smallRows(x []float64, k int) *Factor {
	s := Small(k, k)
	for i := range k {
		copy(s.Row(i), x[i*k:(i+1)*k])
	}
	return s
}

// diagonal is diag(d) as a Small.
func diagonal(d []float64) *Factor {
	s := Small(len(d), len(d))
	for i, x := range d {
		s.Row(i)[i] = x
	}
	return s
}

// resolved is Orthonormal for columns of any size, however dependent.
func resolved(f *Factor, drop float64) (q, c *Factor) {
	norms := f.ColumnNorms()
	for i, n := range norms {
		if !(n > 1e-300) { // the inverse of less could overflow
			norms[i] = 0
		}
	}
	unit := unitColumns(f, norms)
	remainder := unit
	q = NewFactor(f.Rows, 0)
	for limit := min(f.K, f.Rows); q.K < limit; {
		gram := TMul(remainder, remainder)
		piece := outside(whiten(remainder, gram, drop*drop, 1e-10), q)
		Repay(gram)
		if piece.K == 0 {
			break
		}
		q = join(q, piece)
		if q.K < limit {
			if remainder == unit {
				remainder = unit.Clone()
			}
			remainder.Project(q)
		}
	}
	c = TMul(q, unit)
	if Repay(unit); remainder != unit {
		Repay(remainder)
	}
	for j, nj := range norms {
		c.ScaleColumn(j, nj)
	}
	return q, c
}

// outside makes nearly orthonormal columns orthonormal, and orthogonal to Q, in place or in a new factor whose memory takes
// the place of f's; doing so twice is enough. Directions that lose half of their length were rounding errors of what lies in
// the span of Q already. They are dropped: made unit again they would spoil the basis, and the next remainder would grow
// instead of vanish.
func outside(f, q *Factor) *Factor {
	for range 2 {
		if q.K > 0 {
			f.Project(q)
		}
		g, done := polish(f)
		if g != f {
			Repay(f)
		}
		if f = g; done && q.K == 0 {
			break
		}
	}
	return f
}

// polish is F (FᵀF)^-½ for nearly orthonormal columns, by the series (I+D)^-½ = I - D/2 + 3D²/8 - … with D = FᵀF - I; other
// columns are whitened. done says that what the series leaves out is rounding. g may be f.
func polish(f *Factor) (g *Factor, done bool) {
	d := TMul(f, f)
	defer Repay(d)
	size := fromIdentity(d)
	switch {
	case size <= orthonormalRounding(f.K):
		return f, true
	case !(size*float64(f.K) <= 1e-3):
		return whiten(f, d, 0.25, 1e-10), false
	}
	for j := range d.K {
		d.Row(j)[j]--
	}
	s := Small(f.K, f.K)
	defer Repay(s)
	s.AddMul(d, d)
	s.Scale(0.375)
	s.AddScaled(-0.5, d)
	for j := range s.K {
		s.Row(j)[j]++
	}
	return Mul(f, s), size*float64(f.K) <= 1e-5
}

// orthonormalRounding is how far rounding takes the Gram matrix of k orthonormal columns from I, see fromIdentity.
func orthonormalRounding(k int) float64 { return 2e-15 * math.Sqrt(float64(k)) }

// fromIdentity is the largest |S_ij - I_ij|.
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

// join is [F G]. The memory of F and G is given back, or they become the result.
func join(f, g *Factor) *Factor {
	if f.K == 0 {
		return g
	}
	h := Beside(f, g)
	Repay(f, g)
	return h
}

// unitColumns is F with its columns divided by the given norms; those of norm 0 become 0.
func unitColumns(f *Factor, norms []float64) *Factor {
	by := make([]float64, f.Stride)
	for c, n := range norms {
		if n > 0 {
			by[c] = 1 / n
		}
	}
	unit := Room[float64](f.Rows, f.K)
	unit.RowBlocks(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			kernel.Hadamard(unit.Row(i), f.Row(i), by)
		}
	})
	return unit
}

// unitGram is the Gram matrix of F with its columns scaled to unit length, and their norms before that. It reports false
// where the square of a norm leaves the range of numbers.
func unitGram(f *Factor) (gram *Factor, norms []float64, ok bool) {
	gram, norms = TMul(f, f), make([]float64, f.K)
	for i := range norms {
		square := gram.Row(i)[i]
		if !linalg.SquareInRange(square) {
			return nil, nil, false
		}
		norms[i] = math.Sqrt(square)
	}
	for i, ni := range norms {
		row := gram.Row(i)
		for j, nj := range norms {
			row[j] /= ni * nj
		}
	}
	return gram, norms, true
}

// upperRoot is the upper triangular R with RᵀR = FᵀF, and its inverse, both k×k by rows, from what unitGram returns. It
// reports false where a unit column is close to the span of those before it. Otherwise multiplying by the inverse costs no
// more than rounding, and nothing is small enough to be dropped.
func upperRoot(gram *Factor, norms []float64) (r, inverse []float64, ok bool) {
	k := len(norms)
	l, x, ok := linalg.InverseRoot(gram.Data, k, gram.Stride, 1e-4)
	if !ok {
		return nil, nil, false
	}
	r, inverse = make([]float64, k*k), make([]float64, k*k)
	for i, ni := range norms {
		for j := range i + 1 {
			r[j*k+i] = l[i*k+j] * ni
			inverse[j*k+i] = x[i*k+j] / norms[j]
		}
	}
	return r, inverse, true
}

// whiten is F E Λ^-½ for the eigendecomposition E Λ Eᵀ of gram = FᵀF, without the eigenvalues that are at most floor or at
// most relative times the largest.
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
