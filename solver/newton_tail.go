package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg"
)

// A tail corrects the diagonal preconditioner where it is worst: between directions of small singular values s and the leading singular
// pairs (x, τ, y) of G outside the spaces of W, which lie just below λ where the spectrum has no gap. Along (x, y)/√2 in a column of A
// and B the Hessian is (λ-τ)/s + d, with d what the observations give; the diagonal is λ/s + d, a hundred times as much. The correction
//
//	z_A += X Γ,  z_B += Y Γ,  Γ = K∘(Xᵀr_A + Yᵀr_B),  K_lc = ½ (1/((λ-τ_l)/s_c + d_lc) - 1/(λ/s_c + d_lc)) ≥ 0
//
// keeps it symmetric and positive definite. 8·l·k flops a row. In dU and dV themselves s_c is 1 throughout, and the same holds along the
// softest pairs of W, whose τ is λ.
type tail[T gcg.Real] struct {
	*jacobi[T]
	x, y *gcg.FactorOf[T]
	k    *gcg.FactorOf[T] // a Small(l, k)
}

const (
	tailSteps  = 1     // power steps that fit the pairs to the present G
	staleBelow = 0.1   // part to which the excess of the gradient must fall for pairs to be fitted again
	tailFloor  = 0.001 // least distance of τ from λ, in parts of λ
)

// withTail is j, corrected along pairs outside the spaces of W if any are known.
func withTail[T gcg.Real](n *newton, j *jacobi[T]) preconditioner[T] {
	p := n.pairs()
	if len(p.values) == 0 {
		return j
	}
	return newTail(n, j, p)
}

// pairs are about singular pairs (x, y), in columns, and their values, descending.
type pairs struct {
	x      *gcg.Factor
	values []float64
	y      *gcg.Factor
	far    float64 // the excess of the whole gradient then
}

// pairs are those that are known outside the spaces of W, fitted to the present G.
func (n *newton) pairs() *pairs {
	if n.near == nil || n.near.K == 0 {
		return &pairs{}
	}
	if n.fitted == nil || n.far < staleBelow*n.fitted.far {
		n.fit()
	}
	return n.fitted
}

// fit turns the known pairs to the present G.
func (n *newton) fit() {
	n.fitted = n.leadingOutside(n.near.Clone(), tailSteps)
	n.near, n.fitted.far = n.fitted.y, n.far
}

// newTail is j, corrected along pairs of G.
func newTail[T gcg.Real](n *newton, j *jacobi[T], p *pairs) *tail[T] {
	k := gcg.SmallIn[T](p.x.K, n.k())
	da, db := diagonalAlong(p.x, j.a), diagonalAlong(p.y, j.b)
	for l, value := range p.values {
		rest := math.Max(n.slope-value, tailFloor*n.slope)
		for c, s := range j.sigma {
			all := (da.Row(l)[c] + db.Row(l)[c]) / 2 // λ/s + d
			k.Row(l)[c] = T((1/math.Max(all-(n.slope-rest)/s, rest/s) - 1/all) / 2)
		}
	}
	return &tail[T]{j, gcg.FactorIn[T](p.x), gcg.FactorIn[T](p.y), k}
}

// diagonalAlong is Σᵢ x_il²/inverse_ic.
func diagonalAlong[T gcg.Real](x *gcg.Factor, inverse *gcg.FactorOf[T]) *gcg.Factor {
	d := gcg.NewFactor(inverse.Rows, inverse.K)
	d.RowBlocks(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			to, from := d.Row(i), inverse.Row(i)
			for c := range d.K {
				to[c] = 1 / float64(from[c])
			}
		}
	})
	x2 := squaredEntries(x)
	defer gcg.Repay(x2, d)
	return gcg.TMul(x2, d)
}

func (p *tail[T]) repay() {
	p.jacobi.repay()
	repayNarrow(p.x, p.y)
	gcg.Repay(p.k)
}

func (p *tail[T]) sidesTo(z, r tangent[T]) {
	p.jacobi.sidesTo(z, r)
	by := gcg.TMul(p.x, r.a)
	by.AddScaled(1, gcg.TMul(p.y, r.b))
	multiply(by, by, p.k)
	z.a.AddMul(p.x, by)
	z.b.AddMul(p.y, by)
	gcg.Repay(by)
}
