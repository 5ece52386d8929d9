package gcg

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"gonum.org/v1/gonum/mat"
)

// SVD is the singular value decomposition U Vᵀ = P diag(s) Qᵀ of a product of factors: P (m×r) and Q (n×r) orthonormal, s
// descending, without the values below drop times the largest. It costs two orthonormalisations and a k×k SVD, or two Gram
// matrices where the factors come from such a decomposition.
func SVD(u, v *Factor, drop float64) (p *Factor, s []float64, q *Factor) {
	if p, s, q, ok := gramSVD(u, v, drop); ok {
		return p, s, q
	}
	qu, cu := basis(u)
	qv, cv := basis(v)
	if qu.K == 0 || qv.K == 0 {
		return Like[float64](u, 0), nil, Like[float64](v, 0)
	}
	var core mat.Dense
	core.Mul(cu.Dense(qu.K), cv.Dense(qv.K).T())
	a, s, b := keptSVD(&core, drop)
	if len(s) == 0 {
		return Like[float64](u, 0), nil, Like[float64](v, 0)
	}
	return Mul(qu, SmallOf(a)), s, Mul(qv, SmallOf(b))
}

// keptSVD is the singular value decomposition core = A diag(s) Bᵀ without the values that are at most drop times the largest,
// or 0; all are nil where none is left.
func keptSVD(core *mat.Dense, drop float64) (a mat.Matrix, s []float64, b mat.Matrix) {
	x, s, y := linalg.ThinSVD(core)
	keep := 0
	for keep < len(s) && s[keep] > drop*s[0] && s[keep] > 0 {
		keep++
	}
	if keep == 0 {
		return nil, nil, nil
	}
	m, n := core.Dims()
	return x.Slice(0, m, 0, keep), s[:keep], y.Slice(0, n, 0, keep)
}

// gramSVD is SVD for columns that are far from dependent: orthogonal from the beginning, or nearly so, as Newton steps leave
// them. It reports false for others.
func gramSVD(u, v *Factor, drop float64) (p *Factor, s []float64, q *Factor, ok bool) {
	if u.K == 0 || u.K > min(u.Height(), v.Height()) {
		return nil, nil, nil, false
	}
	a, b := gramSide{f: u}, gramSide{f: v}
	u.Do(a.begin, b.begin)
	defer Repay(a.gram, b.gram)
	if !a.ok || !b.ok {
		return nil, nil, nil, false
	}
	if limit := orthonormalRounding(u.K); fromIdentity(a.gram) <= limit && fromIdentity(b.gram) <= limit {
		if s, ok = descending(a.norms, b.norms, drop); ok {
			return unitColumns(u, a.norms), s, unitColumns(v, b.norms), true
		}
	}
	return triangularSVD(&a, &b, drop)
}

// A gramSide is a side F of a product, with the Gram matrix of its columns scaled to unit length, and their norms before
// that.
type gramSide struct {
	f       *Factor
	gram    *Factor
	norms   []float64
	root    []float64 // the triangular R with RᵀR = FᵀF
	inverse []float64 // of R
	ok      bool      // whether the last step on this side worked
}

// begin computes the Gram matrix.
func (g *gramSide) begin() { g.gram, g.norms, g.ok = unitGram(g.f) }

// factorise computes R and its inverse.
func (g *gramSide) factorise() { g.root, g.inverse, g.ok = upperRoot(g.gram, g.norms) }

// descending is the products of the norms of two sides with orthogonal columns. It reports whether these are singular values
// in descending order, none of which is to be dropped.
func descending(nu, nv []float64, drop float64) (s []float64, ok bool) {
	s = make([]float64, len(nu))
	for i := range s {
		s[i] = nu[i] * nv[i]
		if !(s[i] > drop*s[0]) || i > 0 && s[i] > s[i-1] {
			return nil, false
		}
	}
	return s, true
}

// triangularSVD is SVD from the triangular factors R_u, R_v of the two Gram matrices and their inverses. For the
// decomposition X diag(s) Yᵀ of R_u R_vᵀ it is P = U R_u⁻¹X and Q = V R_v⁻¹Y, one product with each side. It reports false
// where that is not accurate enough.
func triangularSVD(u, v *gramSide, drop float64) (p *Factor, s []float64, q *Factor, ok bool) {
	if par.Do(u.factorise, v.factorise); !u.ok || !v.ok {
		return nil, nil, nil, false
	}
	k := u.f.K
	core := mat.NewDense(k, k, nil)
	kernel.GemmNT(core.RawMatrix().Data, u.root, v.root, k, k, k)
	a, s, b := keptSVD(core, drop)
	if len(s) == 0 {
		return nil, nil, nil, false
	}
	u.f.Do(
		func() { p, u.ok = turned(u.f, u.inverse, a) },
		func() { q, v.ok = turned(v.f, v.inverse, b) },
	)
	return p, s, q, u.ok && v.ok
}

// TurnedSVD is SVD of P T Qᵀ, for orthonormal P and Q and a Small(k, k) T.
func TurnedSVD(p, t, q *Factor, drop float64) (*Factor, []float64, *Factor) {
	a, s, b := keptSVD(t.Dense(p.K), drop)
	if len(s) == 0 {
		return Like[float64](p, 0), nil, Like[float64](q, 0)
	}
	return Mul(p, SmallOf(a)), s, Mul(q, SmallOf(b))
}

// turned is F X A (X k×k by rows), polished to orthonormal columns. It reports false where rounding has left more than that
// mends.
func turned(f *Factor, x []float64, a mat.Matrix) (g *Factor, ok bool) {
	right := SmallOf(a)
	by := Small(f.K, right.K)
	kernel.GemmNN(by.Data[:f.K*by.Stride], x, right.Data[:f.K*right.Stride], f.K, by.Stride, f.K)
	product := Mul(f, by)
	if g, ok = polish(product); g != product {
		Repay(product)
	}
	Repay(by, right)
	return g, ok
}

// basis is Orthonormal; where F is not taller than wide it is the unit vectors, which need no decomposition of k×k: factors
// that gather atoms may have many times more columns than rows.
func basis(f *Factor) (q, c *Factor) {
	if f.K < f.Height() {
		return Orthonormal(f, rounding.Sum)
	}
	return Identity(f.Height()).SharedBy(f.Shared), Padded(f)
}

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
	case drop <= 1e-6 && f.K <= f.Height():
		if r, inverse, ok := upperRoot(gram, norms); ok {
			return rooted(f, r, inverse)
		}
	}
	return resolved(f, drop)
}

// rooted is Orthonormal from the upper triangular R with RᵀR = FᵀF and its inverse, k×k by rows.
func rooted(f *Factor, r, inverse []float64) (q, c *Factor) {
	product := Mul(f, smallRows(inverse, f.K))
	if q = outside(product, Like[float64](f, 0)); q == product {
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
	q = Like[float64](f, 0)
	for limit := min(f.K, f.Height()); q.K < limit; {
		gram := TMul(remainder, remainder)
		piece := outside(whiten(remainder, gram, drop*drop, rounding.Decomposed), q)
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
		return whiten(f, d, 0.25, rounding.Decomposed), false
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
	unit := RoomLike[float64](f, f.K)
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

// Dense is a copy of the k1×K content of a Small.
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

// SpectralNorm is ‖F‖₂ of a tall factor, by the largest eigenvalue of its Gram matrix.
func (f *FactorOf[T]) SpectralNorm() float64 {
	if f.K == 0 {
		return 0
	}
	g, scale := TMul(f, f), 1.0
	if s := g.Trace(); !(s > 1e-30 && s < 1e30) { // squares may have left the range of T
		f = f.Whole()
		if scale = linalg.MaxAbs(f.Data); scale == 0 {
			return 0
		}
		unit := f.Clone()
		unit.Scale(T(1 / scale))
		g = TMul(unit, unit)
	}
	defer Repay(g)
	return scale * math.Sqrt(math.Max(g.TopEigenvalue(), 0))
}

// Diagonal is the diagonal of a Small(k, k).
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

// SymEigen is the eigendecomposition (S + Sᵀ)/2 = E diag(values) Eᵀ of the symmetric part of a Small(k, k), values ascending.
// E (k×k) is nil where no vectors are asked for. The values of a matrix that is not finite are NaN.
func (s *FactorOf[T]) SymEigen(vectors bool) (values []float64, e *mat.Dense) {
	part := s.symmetricPart()
	defer memory.Repay(part.RawSymmetric().Data)
	return linalg.SymEigen(part, vectors)
}

// EigenRows is the eigendecomposition S = Zᵀ diag(values) Z of a Gram matrix, a symmetric Small(k, k), values ascending. The
// rows of Z are the eigenvectors.
func (s *FactorOf[T]) EigenRows() (values []float64, z *Factor) {
	whole := FactorIn[float64](s).Data[:s.K*s.Stride]
	values, x := linalg.VectorsByRow(whole, s.K)
	return values, &Factor{Rows: s.K, K: s.K, Stride: s.Stride, Data: x}
}

// TopEigenvalue is the largest eigenvalue of the symmetric part of a Small(k, k), NaN where that is not finite.
func (s *FactorOf[T]) TopEigenvalue() float64 {
	part := s.symmetricPart()
	defer memory.Repay(part.RawSymmetric().Data)
	return linalg.TopEigenvalue(part)
}

// symmetricPart is (S + Sᵀ)/2 in borrowed memory, on and above the diagonal.
func (s *FactorOf[T]) symmetricPart() *mat.SymDense {
	upper := memory.Borrow[float64](s.K * s.K) // with anything below the diagonal
	for i := range s.K {
		row := upper[i*s.K : (i+1)*s.K]
		for j := i; j < s.K; j++ {
			row[j] = (float64(s.Row(i)[j]) + float64(s.Row(j)[i])) / 2
		}
	}
	return mat.NewSymDense(s.K, upper)
}

// Definite reports whether all eigenvalues of the symmetric part of a Small(k, k) exceed above times its largest diagonal
// entry.
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

// Norm is ‖x‖₂, safe from overflow and underflow.
func Norm(x []float64) float64 { return linalg.Norm(x) }
