package newton

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/model"
)

// A lowRankCorrection corrects the diagonal preconditioner where it is worst: between directions of small singular values s and
// the leading singular pairs (x, τ, y) of D = (I-PPᵀ) G (I-QQᵀ), whose τ lie just below λ where the spectrum has no gap. Along
// (x, y)/√2 in a column of A and B the Hessian is (λ-τ)/s + d, with d what the observations give. The diagonal is λ/s + d, a
// hundred times as much. The correction
//
//	z_A += X Γ,  z_B += Y Γ,  Γ = K∘(Xᵀr_A + Yᵀr_B),  K_lc = ½ (1/((λ-τ_l)/s_c + d_lc) - 1/(λ/s_c + d_lc)) ≥ 0
//
// keeps it symmetric and positive definite. It takes 8lk flops a row for l pairs. In dU and dV themselves s_c is 1 throughout.
// Without it MovieLens-1M at λ = 25 takes 1.4 times as long.
type lowRankCorrection[T gcg.Real] struct {
	correctable[T]
	x, y *gcg.FactorOf[T] // m×l and n×l
	k    *gcg.FactorOf[T] // K, a Small(l, k)
	turn *model.Spectrum[T]
}

const (
	maxDropped    = 8     // pairs that are remembered beyond those of the certificate, as many as kernels take in one stride
	leastTurned   = 1e-3  // part of its length that a vector must keep beside those before it
	staleBelow    = 0.1   // part to which the excess of the gradient must fall for pairs to be fitted again
	leastDistance = 0.001 // least distance of τ from λ, in parts of λ
)

// A correctable preconditioner knows what it takes the Hessian to be along the columns of X (m×l) in each of the k columns of A,
// and along those of Y in each of B: l×k both. Where it knows that better of other combinations of the columns, turn has these as
// its vectors; that is for dU and dV, whose columns have the same s_c.
type correctable[T gcg.Real] interface {
	preconditioner[T]
	along(x, y *gcg.Factor) (da, db *gcg.Factor, turn *model.Spectrum[T])
}

// withCorrection is a preconditioner, corrected along pairs of D if any are known, with the s_c of its columns.
func withCorrection[T gcg.Real](n *Iteration, of correctable[T], sigma []float64) preconditioner[T] {
	return correctedAlong(n, of, sigma, n.pairs())
}

// correctedAlong is a preconditioner, corrected along some pairs.
func correctedAlong[T gcg.Real](n *Iteration, of correctable[T], sigma []float64, p *pairs) preconditioner[T] {
	if len(p.values) == 0 {
		return of
	}
	return newLowRankCorrection(n, of, sigma, p)
}

// pairs are about singular pairs (x, y), in columns, and their values, descending.
type pairs struct {
	x      *gcg.Factor
	values []float64
	y      *gcg.Factor
	gapAll float64 // the excess of the whole gradient then
}

// pairs are those of D that are known, fitted to the present G.
func (n *Iteration) pairs() *pairs {
	if n.ComplementRight == nil || n.ComplementRight.K == 0 {
		return &pairs{}
	}
	if n.stalePairs() {
		n.fit()
	}
	return n.fitted
}

// stalePairs says that there are pairs to fit anew.
func (n *Iteration) stalePairs() bool {
	some := n.ComplementRight != nil && n.ComplementRight.K > 0
	return some && (n.fitted == nil || n.GapAll < staleBelow*n.fitted.gapAll)
}

// closePairs are those of D that are known, fitted to the present G by more than a power step: where the preconditioner is good
// otherwise, pairs just below λ bound it. The last steps of MovieLens-1M with lists take 77 products in the factors, and 94 with
// pairs of a power step.
func (n *Iteration) closePairs() *pairs {
	if n.stalePairs() {
		n.ComplementRight = n.leadingRight(n.ComplementRight)
	}
	return n.pairs()
}

// krylovBlocks are those of the space that closePairs looks in.
const krylovBlocks = 4

// leadingRight are about the leading right singular vectors of D, d at most, in the block Krylov space of DᵀD and v (n×d).
func (n *Iteration) leadingRight(v *gcg.Factor) *gcg.Factor {
	block := v.Clone()
	block.Project(n.right)
	basis, _ := gcg.Orthonormal(block, leastTurned)
	gcg.Repay(block)
	if basis.K == 0 { // W has them all
		return basis
	}
	images := n.outside(basis)
	for last, b := images, 1; b < krylovBlocks && last.K > 0; b++ {
		block = gcg.Like[float64](n.right, last.K)
		gcg.TMulBlock(n.Model.Gradient(), block, last)
		block.Project(n.right)
		block.Project(basis)
		next, _ := gcg.Orthonormal(block, leastTurned)
		gcg.Repay(block)
		last = n.outside(next)
		basis, images = gcg.Beside(basis, next), gcg.Beside(images, last)
	}
	s := model.NewSpectrum(gcg.TMul(images, images))
	gcg.Repay(images)
	return gcg.Mul(basis, factor.ColumnsOf(s.Vectors.Dense(s.Vectors.K), max(0, basis.K-v.K), basis.K))
}

// outside is D y, for y beside the right vectors of W.
func (n *Iteration) outside(y *gcg.Factor) *gcg.Factor {
	dy := gcg.Like[float64](n.left, y.K)
	if y.K > 0 {
		gcg.MulBlock(n.Model.Gradient(), dy, y)
		dy.Project(n.left)
	}
	return dy
}

// fit turns the known pairs to the present G.
func (n *Iteration) fit() {
	n.fitted = n.turned(n.ComplementRight.Clone())
	n.ComplementRight, n.fitted.gapAll = n.fitted.y, n.GapAll
}

// turned are about the leading singular pairs of D, descending, by one power step from v (n×d), whose memory it takes.
func (n *Iteration) turned(v *gcg.Factor) *pairs {
	defer func() { gcg.Repay(v) }()
	g := n.Model.Gradient()
	v.Project(n.right)
	y, _ := gcg.Orthonormal(v, leastTurned)
	if y.K == 0 { // W has them all
		return &pairs{x: gcg.Like[float64](n.left, 0), y: y}
	}
	gy := n.outside(y)
	x, _ := gcg.Orthonormal(gy, leastTurned)
	gcg.Repay(gy, v)
	if v = gcg.Like[float64](n.right, x.K); x.K == 0 {
		return &pairs{x: x, y: y}
	}
	gcg.TMulBlock(g, v, x)
	v.Project(n.right)
	a, s, b := linalg.ThinSVD(gcg.TMul(v, y).Dense(x.K))
	if n.fittedNorm = s[0]; n.RankUnproven {
		n.ComplementNorm = math.Max(n.ComplementNorm, s[0])
	}
	defer gcg.Repay(x, y)
	return &pairs{x: gcg.Mul(x, gcg.SmallOf(a)), values: s, y: gcg.Mul(y, gcg.SmallOf(b))}
}

// RememberDropped adds right vectors (n×d) that a step dropped to those from which pairs are fitted. They are near singular
// vectors of D with values close to λ. Where they belong to the solution the polar brings them back.
func (n *Iteration) RememberDropped(v *gcg.Factor) {
	if v.K == 0 {
		return
	}
	if n.ComplementRight != nil {
		v = gcg.Beside(v, n.ComplementRight)
	}
	n.ComplementRight = v.Widen(min(v.K, view.MaxOutside+maxDropped))
}

// newLowRankCorrection is a preconditioner, corrected along pairs of G.
func newLowRankCorrection[T gcg.Real](n *Iteration, of correctable[T], sigma []float64, p *pairs) *lowRankCorrection[T] {
	k := gcg.SmallIn[T](p.x.K, n.K())
	da, db, turn := of.along(p.x, p.y)
	for l, value := range p.values {
		distance := math.Max(n.lambda-value, leastDistance*n.lambda)
		for c, s := range sigma {
			all := (da.Row(l)[c] + db.Row(l)[c]) / 2 // λ/s + d
			k.Row(l)[c] = T((1/math.Max(all-(n.lambda-distance)/s, distance/s) - 1/all) / 2)
		}
	}
	return &lowRankCorrection[T]{of, gcg.FactorIn[T](p.x), gcg.FactorIn[T](p.y), k, turn}
}

// diagonalAlong is Σᵢ x_il²/inverse_ic.
func diagonalAlong[T gcg.Real](x *gcg.Factor, inverse *gcg.FactorOf[T]) *gcg.Factor {
	d := gcg.Like[float64](inverse, inverse.K)
	d.RowBlocks(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			to, from := d.Row(i), inverse.Row(i)
			for c := range d.K {
				to[c] = 1 / float64(from[c])
			}
		}
	})
	x2 := factor.SquaredEntries(x)
	defer gcg.Repay(x2, d)
	return gcg.TMul(x2, d)
}

// repay gives its memory back.
func (p *lowRankCorrection[T]) repay() {
	p.correctable.repay()
	factor.RepayNarrow(p.x, p.y)
	gcg.Repay(p.k)
}

// blocksTo writes A and B of what is corrected, and adds X Γ and Y Γ.
func (p *lowRankCorrection[T]) blocksTo(z, r tangent[T]) {
	p.correctable.blocksTo(z, r)
	by := gcg.TMul(p.x, r.a)
	by.AddScaled(1, gcg.TMul(p.y, r.b))
	if p.turn != nil {
		by = gcg.Mul(by, p.turn.Vectors)
	}
	factor.Multiply(by, by, p.k)
	if p.turn != nil {
		by = gcg.Mul(by, p.turn.VectorsT)
	}
	z.a.AddMul(p.x, by)
	z.b.AddMul(p.y, by)
	gcg.Repay(by)
}
