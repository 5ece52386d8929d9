package solver

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/par"
	"gonum.org/v1/gonum/mat"
)

// A compressed is the Hessian of F at P S Qᵀ on tangent vectors as a matrix, where that of the loss is known on all entries of W. With full
// orthonormal bases [P X] and [Q Y] a tangent vector is [P X] T [Q Y]ᵀ with
//
//	T = | M  Bᵀ |   m×n with zeros below, A and B in the bases X and Y.
//	    | A  0  |
//
// A vector of it has the k rows of [M Bᵀ] and then the m-k rows of A: d = k(m+n-k) numbers. The Hessian is that of the loss, compressed to
// these, λ(Mᵢⱼ - Mⱼᵢ)/(sᵢ+sⱼ), h”(ρ) tr M I and, for column c of A and of B, with D = XᵀGY,
//
//	1/s_c | λ   -D |
//	      | -Dᵀ  λ |
//
// of which the absolute value is taken: where singular values of D are above λ, of directions that are still to come in, it is indefinite.
type compressed struct {
	k           int
	left, right *gcg.Factor // [P X] and [Q Y]
	h           []float64   // d×d
}

// newCompressed takes 2(mn+d)mn(m+n) flops.
func newCompressed(n *newton, h *wholeHessian) *compressed {
	c := &compressed{k: n.k(), left: completed(n.left), right: completed(n.right)}
	d, mn := c.dim(), h.m*h.n
	half, turned := make([]float64, mn*d), make([]float64, d*mn)
	c.inBases(half, mn, func(i int) []float64 { return h.row(i)[:mn] })
	for i := range mn {
		for e, x := range half[i*d : (i+1)*d] {
			turned[e*mn+i] = x
		}
	}
	c.h = half[:d*d] // which is spent
	c.inBases(c.h, d, func(e int) []float64 { return turned[e*mn : (e+1)*mn] })
	c.addNorm(n)
	return c
}

// completed is [P X], square, with orthonormal columns.
func completed(p *gcg.Factor) *gcg.Factor {
	var qr mat.QR
	qr.Factorize(p.Dense(p.Rows))
	var q mat.Dense
	qr.QTo(&q)
	f := gcg.NewFactor(p.Rows, p.Rows)
	for i := range p.Rows {
		copy(f.Row(i), q.RawRowView(i))
		copy(f.Row(i)[:p.K], p.Row(i)) // Q has them up to signs
	}
	return f
}

func (c *compressed) m() int { return c.left.Rows }

func (c *compressed) n() int { return c.right.Rows }

func (c *compressed) dim() int { return c.k * (c.m() + c.n() - c.k) }

// inBases writes, for each of some rows that are matrices R, the entries of [P X]ᵀ R [Q Y] in a tangent vector.
func (c *compressed) inBases(to []float64, rows int, row func(i int) []float64) {
	m, n, d := c.m(), c.n(), c.dim()
	left, right := unpadded(c.left), unpadded(c.right)
	blocks := par.Grain(rows, max(1, (1<<16)/(m*n*(m+n))), 64)
	par.For(blocks, func(b int) {
		x, t := make([]float64, m*n), make([]float64, m*n)
		lo, hi := par.Range(b, blocks, rows)
		for i := lo; i < hi; i++ {
			clear(x)
			kernel.GemmNN(x, row(i), right, m, n, n)
			clear(t)
			kernel.GemmTN(t, left, x, m, n, m)
			v := to[i*d : (i+1)*d]
			copy(v, t[:c.k*n])
			for r := c.k; r < m; r++ {
				copy(v[c.at(r, 0):], t[r*n:r*n+c.k])
			}
		}
	})
}

// at is the place of T_ij in a vector, i < k or j < k.
func (c *compressed) at(i, j int) int {
	if i < c.k {
		return i*c.n() + j
	}
	return c.k*c.n() + (i-c.k)*c.k + j
}

// unpadded is a square matrix by rows.
func unpadded(f *gcg.Factor) []float64 {
	x := make([]float64, 0, f.Rows*f.K)
	for i := range f.Rows {
		x = append(x, f.Row(i)[:f.K]...)
	}
	return x
}

// addNorm adds the second derivatives of h(κ) along the curve of Local.
func (c *compressed) addNorm(n *newton) {
	d, k := c.dim(), c.k
	add := func(a, b int, x float64) { c.h[a*d+b] += x }
	for i, si := range n.sigma {
		for j, sj := range n.sigma {
			bend := n.slope / (si + sj)
			add(c.at(i, j), c.at(i, j), bend)
			add(c.at(i, j), c.at(j, i), -bend)
			add(c.at(i, i), c.at(j, j), n.curve)
		}
		for r := k; r < c.m(); r++ {
			add(c.at(r, i), c.at(r, i), n.slope/si)
		}
		for r := k; r < c.n(); r++ {
			add(c.at(i, r), c.at(i, r), n.slope/si)
		}
	}
	c.addOuter(n)
}

// addOuter adds what A and B have beside λ/s_c: of |H| for singular triples (x, σ, y) of D, max(σ, λ) along x and along y and -min(σ, λ)
// between them, a little less where these are about the same.
func (c *compressed) addOuter(n *newton) {
	d, k := c.dim(), c.k
	x, y := c.outside(c.left), c.outside(c.right)
	if x.K == 0 || y.K == 0 {
		return
	}
	gy := gcg.NewFactor(c.m(), y.K)
	gcg.MulBlock(n.model.gradient(), gy, y)
	p, s, q := linalg.ThinSVD(gcg.TMul(x, gy).Dense(x.K))
	above, between := make([]float64, len(s)), make([]float64, len(s))
	for l, v := range s {
		above[l] = max(v-n.slope, 0)
		between[l] = -min(v, n.slope, max(v, n.slope)-tailFloor*n.slope)
	}
	ofA, ofB, both := outerSum(p, above, p), outerSum(q, above, q), outerSum(p, between, q)
	for i, si := range n.sigma {
		for r := range x.K {
			row := c.h[c.at(k+r, i)*d:]
			for l, v := range ofA.RawRowView(r) {
				row[c.at(k+l, i)] += v / si
			}
			for l, v := range both.RawRowView(r) {
				row[c.at(i, k+l)] += v / si
				c.h[c.at(i, k+l)*d+c.at(k+r, i)] += v / si
			}
		}
		for r := range y.K {
			row := c.h[c.at(i, k+r)*d:]
			for l, v := range ofB.RawRowView(r) {
				row[c.at(i, k+l)] += v / si
			}
		}
	}
}

// outerSum is P diag(w) Qᵀ.
func outerSum(p *mat.Dense, w []float64, q *mat.Dense) *mat.Dense {
	var pw, d mat.Dense
	pw.Mul(p, mat.NewDiagDense(len(w), w))
	d.Mul(&pw, q.T())
	return &d
}

// outside is the columns of a full basis after the first k: X, or Y.
func (c *compressed) outside(basis *gcg.Factor) *gcg.Factor {
	f := gcg.NewFactor(basis.Rows, basis.K-c.k)
	for i := range f.Rows {
		copy(f.Row(i), basis.Row(i)[c.k:basis.K])
	}
	return f
}

// vector is a tangent vector's.
func (c *compressed) vector(t tangent[float64]) []float64 {
	v := make([]float64, 0, c.dim())
	var a, b *gcg.Factor
	if x := c.outside(c.left); x.K > 0 {
		a = gcg.TMul(x, t.a)
	}
	if y := c.outside(c.right); y.K > 0 {
		b = gcg.TMul(t.b, y)
	}
	for i := range c.k {
		v = append(v, t.m.Row(i)[:c.k]...)
		if b != nil {
			v = append(v, b.Row(i)[:b.K]...)
		}
	}
	for i := range c.m() - c.k {
		v = append(v, a.Row(i)[:c.k]...)
	}
	return v
}

// tangent is that of a vector.
func (c *compressed) tangent(v []float64) tangent[float64] {
	t := tangent[float64]{gcg.Small(c.k, c.k), gcg.NewFactor(c.m(), c.k), gcg.NewFactor(c.n(), c.k)}
	x, y := c.outside(c.left), c.outside(c.right)
	a, b := gcg.Small(x.K, c.k), gcg.Small(y.K, c.k)
	for i := range c.k {
		copy(t.m.Row(i), v[c.at(i, 0):c.at(i, c.k)])
		for j := range y.K {
			b.Row(j)[i] = v[c.at(i, c.k+j)]
		}
	}
	for i := range x.K {
		copy(a.Row(i), v[c.at(c.k+i, 0):c.at(c.k+i, c.k)])
	}
	if x.K > 0 {
		t.a = gcg.Mul(x, a)
	}
	if y.K > 0 {
		t.b = gcg.Mul(y, b)
	}
	return t
}
