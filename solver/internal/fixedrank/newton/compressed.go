package newton

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/model"
	"gonum.org/v1/gonum/mat"
)

// A compressed is the Hessian of F at P S Qᵀ on tangent vectors as a matrix, where that of the loss is known on all entries of W.
// With full orthonormal bases [P X] and [Q Y] a tangent vector is [P X] T [Q Y]ᵀ with
//
//	T = | M  Bᵀ |   m×n with zeros below, A and B in the bases X and Y.
//	    | A  0  |
//
// A vector of it has the k rows of [M Bᵀ] and then the m-k rows of A: d = k(m+n-k) numbers. The Hessian is that of the loss,
// compressed to these, λ(Mᵢⱼ - Mⱼᵢ)/(sᵢ+sⱼ), h″(ρ) tr M I and, for column c of A and of B, with D = XᵀGY,
//
//	1/s_c | λ   -D |
//	      | -Dᵀ  λ |
//
// of which the absolute value is taken: it is indefinite where singular values of D are above λ, those of directions still
// to come in.
type compressed struct {
	k           int
	left, right *gcg.Factor // [P X] and [Q Y]
	x, y        *gcg.Factor
	h           []float64 // d×d
}

// newCompressed forms it at the present point, with 2(mn+d)mn(m+n) flops.
func newCompressed(n *Iteration, h *model.Matrix) *compressed {
	c := &compressed{k: n.K()}
	c.left, c.x = completed(n.left)
	c.right, c.y = completed(n.right)
	d, mn := c.dim(), h.M*h.N
	half, turned := make([]float64, mn*d), make([]float64, d*mn)
	c.inBases(half, mn, func(i int) []float64 { return h.Row(i)[:mn] })
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

// completed is [P X], square with orthonormal columns, and X.
func completed(p *gcg.Factor) (all, x *gcg.Factor) {
	var qr mat.QR
	qr.Factorize(p.Dense(p.Rows))
	var q mat.Dense
	qr.QTo(&q)
	all, x = gcg.NewFactor(p.Rows, p.Rows), gcg.NewFactor(p.Rows, p.Rows-p.K)
	for i := range p.Rows {
		copy(all.Row(i), q.RawRowView(i))
		copy(all.Row(i)[:p.K], p.Row(i)) // Q has them up to signs
		copy(x.Row(i), q.RawRowView(i)[p.K:])
	}
	return all, x
}

// m is the rows of W.
func (c *compressed) m() int { return c.left.Rows }

// n is the columns of W.
func (c *compressed) n() int { return c.right.Rows }

// dim is k(m+n-k).
func (c *compressed) dim() int { return c.k * (c.m() + c.n() - c.k) }

// inBases takes the rows of a matrix as m×n matrices R, and writes the entries of [P X]ᵀ R [Q Y] that a tangent vector has,
// a row of d for each.
func (c *compressed) inBases(to []float64, rows int, row func(i int) []float64) {
	m, n, d := c.m(), c.n(), c.dim()
	left, right := c.left.Dense(m).RawMatrix().Data, c.right.Dense(n).RawMatrix().Data
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

// at is the place of T_ij in a vector, for i < k or j < k.
func (c *compressed) at(i, j int) int {
	if i < c.k {
		return i*c.n() + j
	}
	return c.k*c.n() + (i-c.k)*c.k + j
}

// addNorm adds the second derivatives of h(κ) along the curve of Local.
func (c *compressed) addNorm(n *Iteration) {
	d, k := c.dim(), c.k
	add := func(a, b int, x float64) { c.h[a*d+b] += x }
	for i, si := range n.sigma {
		for j, sj := range n.sigma {
			bend := n.lambda / (si + sj)
			add(c.at(i, j), c.at(i, j), bend)
			add(c.at(i, j), c.at(j, i), -bend)
			add(c.at(i, i), c.at(j, j), n.curve)
		}
		for r := k; r < c.m(); r++ {
			add(c.at(r, i), c.at(r, i), n.lambda/si)
		}
		for r := k; r < c.n(); r++ {
			add(c.at(i, r), c.at(i, r), n.lambda/si)
		}
	}
	c.addOuter(n)
}

// addOuter adds what A and B have besides λ/s_c. Of the absolute value, for a singular triple (x, σ, y) of D, that is max(σ,
// λ) along x and along y, and -min(σ, λ) between them, a little less where the two are about the same.
func (c *compressed) addOuter(n *Iteration) {
	d, k := c.dim(), c.k
	x, y := c.x, c.y
	if x.K == 0 || y.K == 0 {
		return
	}
	gy := gcg.NewFactor(c.m(), y.K)
	gcg.MulBlock(n.Model.Gradient(), gy, y)
	p, s, q := linalg.ThinSVD(gcg.TMul(x, gy).Dense(x.K))
	above, between := make([]float64, len(s)), make([]float64, len(s))
	for l, v := range s {
		above[l] = max(v-n.lambda, 0)
		between[l] = -min(v, n.lambda, max(v, n.lambda)-leastDistance*n.lambda)
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

// vector is a tangent vector as numbers.
func (c *compressed) vector(t tangent[float64]) []float64 {
	v := make([]float64, 0, c.dim())
	a, b := gcg.TMul(c.x, t.a), gcg.TMul(t.b, c.y)
	for i := range c.k {
		v = append(v, t.m.Row(i)[:c.k]...)
		v = append(v, b.Row(i)[:b.K]...)
	}
	for i := range c.m() - c.k {
		v = append(v, a.Row(i)[:c.k]...)
	}
	return v
}

// tangent is the tangent vector of such numbers.
func (c *compressed) tangent(v []float64) tangent[float64] {
	m, a, b := gcg.Small(c.k, c.k), gcg.Small(c.x.K, c.k), gcg.Small(c.y.K, c.k)
	for i := range c.k {
		copy(m.Row(i), v[c.at(i, 0):c.at(i, c.k)])
		for j := range c.y.K {
			b.Row(j)[i] = v[c.at(i, c.k+j)]
		}
	}
	for i := range c.x.K {
		copy(a.Row(i), v[c.at(c.k+i, 0):c.at(c.k+i, c.k)])
	}
	return tangent[float64]{m, gcg.Mul(c.x, a), gcg.Mul(c.y, b)}
}
