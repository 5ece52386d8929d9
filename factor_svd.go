package gcg

import (
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/par"
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
		return NewFactor(u.Rows, 0), nil, NewFactor(v.Rows, 0)
	}
	var core mat.Dense
	core.Mul(cu.Dense(qu.K), cv.Dense(qv.K).T())
	a, s, b := keptSVD(&core, drop)
	if len(s) == 0 {
		return NewFactor(u.Rows, 0), nil, NewFactor(v.Rows, 0)
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
	if u.K == 0 || u.K > min(u.Rows, v.Rows) {
		return nil, nil, nil, false
	}
	a, b := gramSide{f: u}, gramSide{f: v}
	par.Do(a.begin, b.begin)
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
	par.Do(
		func() { p, u.ok = turned(u.f, u.inverse, a) },
		func() { q, v.ok = turned(v.f, v.inverse, b) },
	)
	return p, s, q, u.ok && v.ok
}

// TurnedSVD is SVD of P T Qᵀ, for orthonormal P and Q and a Small(k, k) T.
func TurnedSVD(p, t, q *Factor, drop float64) (*Factor, []float64, *Factor) {
	a, s, b := keptSVD(t.Dense(p.K), drop)
	if len(s) == 0 {
		return NewFactor(p.Rows, 0), nil, NewFactor(q.Rows, 0)
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
	if f.K < f.Rows {
		return Orthonormal(f, 1e-14)
	}
	return Identity(f.Rows), Padded(f)
}
