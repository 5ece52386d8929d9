package newton

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/model"
)

// What tests of package newton_test see of the inside, in float64.
type (
	Tangent    = tangent[float64]
	Kronecker  = kronecker[float64]
	Compressed = compressed
)

// NewTangent is that of M, A and B, and Blocks are these.
func NewTangent(m, a, b *gcg.Factor) Tangent { return Tangent{m, a, b} }

func (t tangent[T]) Blocks() (m *gcg.Factor, a, b *gcg.FactorOf[T]) { return t.m, t.a, t.b }

func (t tangent[T]) Dot(o tangent[T]) float64 { return t.dot(o) }

func (t tangent[T]) Zero() tangent[T] { return t.zero() }

// Times is by·t.
func (t tangent[T]) Times(by float64) tangent[T] {
	x := t.clone()
	x.scale(by)
	return x
}

// At is an iteration at P S Qᵀ without a problem.
func At(left, right *gcg.Factor, sigma []float64, lambda float64) *Iteration {
	return &Iteration{position: position{left: left, right: right, sigma: sigma, lambda: lambda}}
}

// Spaces are P, S and Q.
func (n *Iteration) Spaces() (left *gcg.Factor, sigma []float64, right *gcg.Factor) {
	return n.left, n.sigma, n.right
}

func (n *Iteration) Factors() (u, v *gcg.Factor) { return n.factors() }

// Within is the gradient in M.
func (n *Iteration) Within() *gcg.Factor { return n.grad.m }

func (n *Iteration) Loss() float64 { return n.loss }

func (n *Iteration) Evaluate() { n.evaluate() }

func (n *Iteration) Back(old *Iteration) { n.back(old) }

func (n *Iteration) Lambda() float64 { return n.lambda }

func (n *Iteration) SetLambda(lambda float64) { n.lambda = lambda }

// Dropped remembers right vectors as those that a step dropped.
func (n *Iteration) Dropped(v *gcg.Factor) { n.RememberDropped(v) }

// NoRoom makes the trust regions empty.
func (n *Iteration) NoRoom() { n.radii = [kinds]float64{} }

// LeadingRight are about the leading right singular vectors of D from v on.
func (n *Iteration) LeadingRight(v *gcg.Factor) *gcg.Factor { return n.leadingRight(v) }

// Pairs are x, their values and y after a power step from v.
func (n *Iteration) Pairs(v *gcg.Factor) (x *gcg.Factor, values []float64, y *gcg.Factor) {
	p := n.turned(v)
	return p.x, p.values, p.y
}

// A Chart is coordinates, which take the gradient of the iteration over.
type Chart struct{ q coordinates[float64] }

func InTangents(n *Iteration) Chart { return Chart{newQuadratic(n, n.Model.Curvature())} }

func InFactors(n *Iteration) Chart { return Chart{newBilinear(n, n.Model.Curvature())} }

func InCore(n *Iteration) Chart { return Chart{newCore(n, n.Model.Curvature())} }

func (c Chart) Gradient() Tangent { return c.q.Gradient() }

func (c Chart) Retract(t Tangent) { c.q.retract(t) }

func (c Chart) Hessian(t Tangent) Tangent {
	h := t.zero()
	c.q.hessian(h, t)
	return h
}

// Added is what coordinates in the factors add to λ, and whether these are such.
func (c Chart) Added() (by float64, inFactors bool) {
	if q, ok := c.q.(*bilinear[float64]); ok {
		return q.raised - q.n.lambda, true
	}
	return 0, false
}

// Corrected is the preconditioner of A and B, Diagonal that without the correction along pairs, of which there are Corrections.
func (c Chart) Corrected(r Tangent) Tangent { return preconditioned(c.correction(), r) }

func (c Chart) Diagonal(r Tangent) Tangent { return preconditioned(c.correction().correctable, r) }

func (c Chart) Corrections() int {
	if l := c.correction(); l != nil {
		return l.x.K
	}
	return 0
}

func (c Chart) correction() *lowRankCorrection[float64] {
	l, _ := c.q.(*quadratic[float64]).pre.(*lowRankCorrection[float64])
	return l
}

func preconditioned(p preconditioner[float64], r Tangent) Tangent {
	z := r.zero()
	p.blocksTo(z, r)
	return z
}

// Side solves L Z J + λ Z S⁻¹ = R for an n×k R.
func Side(rows int, l model.Spectrum[float64], j *gcg.Factor, sigma []float64, lambda float64) func(z, r *gcg.Factor) {
	return newKroneckerSide(rows, l, whitened(j, sigma), lambda).solveTo
}

func NewKronecker(n *Iteration, l, r model.Spectrum[float64]) *Kronecker {
	return newKronecker[float64](n, l, r)
}

// A CoreEquation is that of K, J and S.
type CoreEquation struct{ e *coreEquation }

func NewCoreEquation(k, j *gcg.Factor, sigma []float64, lambda float64) CoreEquation {
	return CoreEquation{newCoreEquation(k, j, sigma, lambda)}
}

func (c CoreEquation) Solve(z, r *gcg.Factor) { c.e.solveTo(z, r) }

func (c CoreEquation) Apply(dst, m *gcg.Factor) { c.e.applyTo(dst, m) }

func (c CoreEquation) Pairs(z, r *gcg.Factor) { c.e.pairsTo(z, r) }

// Solve is the preconditioned r.
func (k *kronecker[T]) Solve(r tangent[T]) tangent[T] {
	z := r.zero()
	k.CoreTo(z.m, r.m)
	k.blocksTo(z, r)
	return z
}

// J is QᵀRQ, and SolveA writes A alone.
func (k *kronecker[T]) J() *gcg.Factor { return k.core.j }

func (k *kronecker[T]) SolveA(z, r *gcg.FactorOf[T]) { k.a.solveTo(z, r) }

func (k *kronecker[T]) Couples() bool { return k.lp != nil }

// CoreAccuracy is that of M, DistanceFloor the least distance of τ from λ.
const (
	CoreAccuracy  = coreAccuracy
	DistanceFloor = leastDistance
)

func NewCompressed(n *Iteration, h *model.Matrix) *Compressed { return newCompressed(n, h) }

func (c *compressed) Complements() (x, y *gcg.Factor) { return c.x, c.y }

func (c *compressed) Entry(a, b int) float64 { return c.h[a*c.dim()+b] }

func (c *compressed) Row(a int) []float64 { return c.h[a*c.dim() : (a+1)*c.dim()] }

func (c *compressed) At(i, j int) int { return c.at(i, j) }

func (c *compressed) Vector(t Tangent) []float64 { return c.vector(t) }

func (c *compressed) Tangent(v []float64) Tangent { return c.tangent(v) }

// Framed solves LᵀDL Z C + λZ = R for a side L on the left and on the right, by products with L and its transpose.
func Framed(g *model.Gram, c *gcg.Factor, lambda float64, times, back func(x *gcg.Factor) *gcg.Factor) func(z, r *gcg.Factor) {
	f := &framed[float64]{a: newGramSide[float64](g, c, lambda), b: newGramSide[float64](g, c, lambda),
		times: func(u, v *gcg.Factor) (left, right *gcg.Factor) { return times(u), times(v) },
		back: func(gu, gv, x, y *gcg.Factor) {
			copy(gu.Data, back(x).Data)
			copy(gv.Data, back(y).Data)
		}}
	return func(z, r *gcg.Factor) {
		right := z.Clone()
		f.blocksTo(tangent[float64]{nil, z, right}, tangent[float64]{nil, r, r})
		if !z.Equal(right) {
			panic("the sides differ")
		}
	}
}
