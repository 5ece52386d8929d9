package gcg

import (
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"gonum.org/v1/gonum/mat"
)

// SVD is the singular value decomposition U Vᵀ = P diag(s) Qᵀ of a product of factors: P (m×r), Q (n×r) orthonormal,
// s descending, without the values below drop times the largest. It costs two orthonormalisations and a k×k SVD.
func SVD(u, v *Factor, drop float64) (p *Factor, s []float64, q *Factor) {
	if p, s, q, ok := triangularSVD(u, v, drop); ok {
		return p, s, q
	}
	qu, cu := basis(u)
	qv, cv := basis(v)
	if qu.K == 0 || qv.K == 0 {
		return NewFactor(u.Rows, 0), nil, NewFactor(v.Rows, 0)
	}
	var core mat.Dense
	core.Mul(cu.Dense(qu.K), cv.Dense(qv.K).T())
	if p, s, q, ok := decomposed(qu, &core, qv, drop); ok {
		return p, s, q
	}
	a, s, b := keptSVD(&core, drop)
	if len(s) == 0 {
		return NewFactor(u.Rows, 0), nil, NewFactor(v.Rows, 0)
	}
	return Mul(qu, SmallOf(a)), s, Mul(qv, SmallOf(b))
}

// keptSVD is the SVD of a core without the values below drop times the largest.
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

// triangularSVD is SVD for factors of nearly orthogonal columns of any lengths, those of Newton steps: with the triangular factors R of
// their Gram matrices P = U R⁻¹X, for the decomposition X diag(s) Yᵀ of R Rᵀ, takes one product with U. It is not ok where columns depend
// on each other, or are orthonormal to begin with, which SVD is told of.
func triangularSVD(u, v *Factor, drop float64) (p *Factor, s []float64, q *Factor, ok bool) {
	if u.K == 0 || u.K >= min(u.Rows, v.Rows) {
		return nil, nil, nil, false
	}
	ru, xu, ok := triangularRoot(u)
	if !ok {
		return nil, nil, nil, false
	}
	rv, xv, ok := triangularRoot(v)
	if !ok {
		return nil, nil, nil, false
	}
	k := u.K
	core := mat.NewDense(k, k, nil)
	kernel.GemmNT(core.RawMatrix().Data, ru, rv, k, k, k)
	a, s, b := keptSVD(core, drop)
	if len(s) == 0 {
		return nil, nil, nil, false
	}
	if p, ok = turned(u, xu, a); !ok {
		return nil, nil, nil, false
	}
	q, ok = turned(v, xv, b)
	return p, s, q, ok
}

// triangularRoot is upperRoot for columns that are not orthogonal to begin with.
func triangularRoot(f *Factor) (r, inverse []float64, ok bool) {
	gram, norms, ok := unitGram(f)
	if !ok || fromIdentity(gram) <= orthonormal(f.K) {
		return nil, nil, false
	}
	return upperRoot(gram, norms)
}

// TurnedSVD is SVD of P T Qᵀ for orthonormal P and Q and a Small(k, k) T.
func TurnedSVD(p, t, q *Factor, drop float64) (*Factor, []float64, *Factor) {
	a, s, b := keptSVD(t.Dense(p.K), drop)
	if len(s) == 0 {
		return NewFactor(p.Rows, 0), nil, NewFactor(q.Rows, 0)
	}
	return Mul(p, SmallOf(a)), s, Mul(q, SmallOf(b))
}

// turned is F X A with orthonormal columns; it is ok where what rounding has left to mend is small.
func turned(f *Factor, x []float64, a mat.Matrix) (g *Factor, ok bool) {
	right := SmallOf(a)
	by := Small(f.K, right.K)
	kernel.GemmNN(by.Data[:f.K*by.Stride], x, right.Data[:f.K*right.Stride], f.K, by.Stride, f.K)
	return polish(Mul(f, by))
}

// basis is Orthonormal, or where F is not taller than wide the unit vectors, which need no decomposition of k×k: factors that
// gather atoms may have many times more columns than rows.
func basis(f *Factor) (q, c *Factor) {
	if f.K < f.Rows {
		return Orthonormal(f, 1e-14)
	}
	q, c = NewFactor(f.Rows, f.Rows), Small(f.Rows, f.K)
	for i := range f.Rows {
		q.Row(i)[i] = 1
		copy(c.Row(i), f.Row(i)[:f.K])
	}
	return q, c
}

// decomposed is the decomposition itself where the core is diagonal, positive and descending: factors that come from one.
func decomposed(p *Factor, core *mat.Dense, q *Factor, drop float64) (*Factor, []float64, *Factor, bool) {
	k, n := core.Dims()
	if k != n {
		return nil, nil, nil, false
	}
	s := make([]float64, k)
	for i := range k {
		for j, x := range core.RawRowView(i) {
			if i != j && x != 0 {
				return nil, nil, nil, false
			}
		}
		s[i] = core.At(i, i)
		if !(s[i] > drop*s[0] && s[i] > 0) || i > 0 && s[i] > s[i-1] {
			return nil, nil, nil, false
		}
	}
	return p, s, q, true
}
