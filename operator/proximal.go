package operator

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
)

// Proximal is the operator and the loss of ½β‖V - T‖_F² as one, for a target T (m×n) known through products: a low-rank matrix
// plus a sparse one, say. With a gauge and a penalty its solution is the proximity operator of h∘κ, with step 1/β, at T. For the
// inner problem ½β‖V - X + G/β‖² of a proximal gradient step from X, T is gcg.Sum(X, gcg.Scaled(G, -1/β)). It has no predictions,
// which would be m·n numbers, and forms no matrix: values are inner products, ‖T‖² - 2⟨T, V⟩ + ‖V‖², and are off by about 1e-16
// β‖T‖².
//
// It is a gcg.Squares, y being T, and so for gauges of low-rank atoms. It is at one V at a time, and so serves one Run at a time.
type Proximal struct {
	m, n   int
	target gcg.Map
	beta   float64
	square float64     // ‖T‖²
	u, v   *gcg.Factor // V = U Vᵀ, or nil
	rr, ry float64     // ‖T-V‖² and ⟨T-V, T⟩
}

// NewProximal takes the target and β. ‖T‖² is computed by gcg.SquaredNorm. It refuses an empty target, one whose norm is not
// finite, and a β that is not positive and finite.
func NewProximal(target gcg.Map, beta float64) (*Proximal, error) {
	m, n := target.Dims()
	if m < 1 || n < 1 {
		return nil, fmt.Errorf("operator: there is no %d×%d matrix", m, n)
	}
	if !(beta > 0) || math.IsInf(beta, 1) {
		return nil, fmt.Errorf("operator: β is %v; it must be a positive finite number", beta)
	}
	square := gcg.SquaredNorm(target)
	if math.IsNaN(square) || math.IsInf(square, 0) {
		return nil, fmt.Errorf("operator: the squared norm of the target is %v", square)
	}
	p := &Proximal{m: m, n: n, target: target, beta: beta, square: math.Max(square, 0)}
	p.Move(nil, nil)
	return p, nil
}

// Dims is the size m×n of V and 0, as no observations are shown.
func (p *Proximal) Dims() (m, n, nobs int) { return p.m, p.n, 0 }

// The methods of gcg.Operator and gcg.LeastSquares show no observations, so that those on blocks have nothing to do.

func (p *Proximal) AtomTo([]float64, int, *gcg.Atom)                    {}
func (p *Proximal) FactoredTo([]float64, int, *gcg.Factor, *gcg.Factor) {}
func (p *Proximal) Len() int                                            { return 0 }
func (p *Proximal) Stride() int                                         { return 1 }
func (p *Proximal) Eval(int, []float64, []float64) float64              { return 0 }
func (p *Proximal) HessTo([]float64, int, []float64, []float64)         {}
func (p *Proximal) Curvature() float64                                  { return p.beta }
func (p *Proximal) Target() []float64                                   { return nil }
func (p *Proximal) Weights() []float64                                  { return nil }
func (p *Proximal) Scale() float64                                      { return p.beta }

// Adjoint is β(T - V), valid until the next Move.
func (p *Proximal) Adjoint([]float64) gcg.Map {
	g := gcg.Scaled(p.target, p.beta)
	if p.u == nil {
		return g
	}
	return gcg.Sum(g, gcg.Scaled(gcg.LowRank(p.u, p.v), -p.beta))
}

// Move goes to V = U Vᵀ, which is copied, and returns ½β‖V - T‖². It takes a product of T with k columns.
func (p *Proximal) Move(u, v *gcg.Factor) float64 {
	p.u, p.v, p.rr, p.ry = nil, nil, p.square, p.square
	if u != nil && u.K > 0 {
		p.u, p.v = u.Clone(), v.Clone()
		inner := gcg.InnerProduct(gcg.LowRank(u, v), p.target)
		p.rr = math.Max(p.square-2*inner+inProducts(u, v, u, v), 0)
		p.ry = p.square - inner
	}
	return p.beta * p.rr / 2
}

// inProducts is ⟨U Vᵀ, P Qᵀ⟩ = ⟨UᵀP, VᵀQ⟩.
func inProducts(u, v, p, q *gcg.Factor) float64 {
	a, b := gcg.TMul(u, p), gcg.TMul(v, q)
	defer gcg.Repay(a, b)
	return a.Dot(b)
}

// Sums are β‖T - V‖² and β⟨T - V, T⟩.
func (p *Proximal) Sums() (rr, ry float64) { return p.beta * p.rr, p.beta * p.ry }

// Cross is β times ⟨z, z⟩, ⟨z, a⟩ and ⟨a, a⟩ for z = U Vᵀ and a = P Qᵀ.
func (p *Proximal) Cross(u, v, x, q *gcg.Factor) (zz, za, aa float64) {
	return p.beta * inProducts(u, v, u, v), p.beta * inProducts(u, v, x, q), p.beta * inProducts(x, q, x, q)
}

// AlongTo has gu = β(dU VᵀV + U dVᵀV) - R dV and gv = β(dV UᵀU + V dUᵀU) - Rᵀ dU.
func (p *Proximal) AlongTo(gu, gv, u, v, du, dv *gcg.Factor) {
	ru, rv := gcg.Both(p.Adjoint(nil), du, dv)
	alongTo(gu, ru, u, v, du, dv, p.beta)
	alongTo(gv, rv, v, u, dv, du, p.beta)
	gcg.Repay(ru, rv)
}

// alongTo writes gu = β(dU VᵀV + U dVᵀV) - R.
func alongTo(gu, r, u, v, du, dv *gcg.Factor, beta float64) {
	own, other := gcg.TMul(v, v), gcg.TMul(dv, v)
	gu.MulTo(du, own)
	gu.AddMul(u, other)
	gu.Scale(beta)
	gu.AddScaled(-1, r)
	gcg.Repay(own, other)
}

// Along32To is AlongTo, computed in float64.
func (p *Proximal) Along32To(gu, gv, u, v, du, dv *gcg.Factor32) {
	wu, wv := gcg.Room[float64](gu.Rows, gu.K), gcg.Room[float64](gv.Rows, gv.K)
	p.AlongTo(wu, wv, wide(u), wide(v), wide(du), wide(dv))
	narrowInto(gu, wu)
	narrowInto(gv, wv)
}

// NormalTo has gu = β X VᵀV.
func (p *Proximal) NormalTo(gu, x, v *gcg.Factor) {
	gram := gcg.TMul(v, v)
	gu.MulTo(x, gram)
	gu.Scale(p.beta)
	gcg.Repay(gram)
}

// Normal32To is NormalTo in float32.
func (p *Proximal) Normal32To(gu, x, v *gcg.Factor32) {
	gram := gcg.TMul(v, v)
	gu.MulTo(x, gram)
	gu.Scale(float32(p.beta))
	gcg.Repay(gram)
}

// DiagonalTo has the sums of the columns of v2 and u2, times β, in every row.
func (p *Proximal) DiagonalTo(du, dv, u2, v2 *gcg.Factor) {
	inEachRow(du, v2, p.beta)
	if dv != nil {
		inEachRow(dv, u2, p.beta)
	}
}

// inEachRow writes β times the sums of the columns of x into every row of dst.
func inEachRow(dst, x *gcg.Factor, beta float64) {
	sums := make([]float64, x.Stride)
	for i := range x.Rows {
		for c, v := range x.Row(i) {
			sums[c] += beta * v
		}
	}
	dst.RowBlocks(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			copy(dst.Row(i), sums)
		}
	})
}

// RidgeRows minimises ½‖T - U Vᵀ‖² + ridge/2·‖U‖² over U exactly, in place of steps: U = T V (VᵀV + ridge·I)⁻¹, one product of T.
func (p *Proximal) RidgeRows(u, v *gcg.Factor32, ridge float64, _ int) (square, gain float64) {
	return p.ridgeSide(u, v, p.target, ridge)
}

// RidgeColumns does the same over V.
func (p *Proximal) RidgeColumns(v, u *gcg.Factor32, ridge float64, _ int) (square, gain float64) {
	return p.ridgeSide(v, u, gcg.Transposed(p.target), ridge)
}

// ridgeSide solves for one factor; of the target is T or Tᵀ.
func (p *Proximal) ridgeSide(u32, v32 *gcg.Factor32, of gcg.Map, ridge float64) (square, gain float64) {
	old, v := wide(u32), wide(v32)
	tv, gram := gcg.Room[float64](old.Rows, old.K), gcg.TMul(v, v)
	gcg.MulBlock(of, tv, v)
	square = p.square - 2*old.Dot(tv) + inProducts(old, v, old, v)
	for c := range v.K {
		gram.Row(c)[c] += ridge
	}
	inverse, shift := shiftedInverse(gram, v.K)
	tv.AddScaled(shift, old)
	u := gcg.Mul(tv, inverse)
	narrowInto(u32, u)
	old.AddScaled(-1, u)
	gain = old.Dot(gcg.Mul(old, gram))/2 + shift*old.Dot(old)
	return math.Max(square, 0), math.Max(gain, 0)
}

// shiftedInverse is (G + shift·I)⁻¹ of a positive semidefinite Small(k, k). The shift is 0 unless G is singular but for rounding;
// a regression then takes a proximal step, which lowers it too.
func shiftedInverse(g *gcg.Factor, k int) (inverse *gcg.Factor, shift float64) {
	var trace float64
	for c := range k {
		trace += g.Row(c)[c]
	}
	x, ok := rootOf(g, k, 0, rounding.Sum*trace)
	if !ok {
		shift = math.Max(rounding.Decomposed*trace, math.SmallestNonzeroFloat64/0x1p-52)
		x, _ = rootOf(g, k, shift, 0)
	}
	inverse = gcg.Small(k, k)
	for i := range k { // XᵀX, X lower triangular
		for c := range i + 1 {
			kernel.Axpy(x[i*k+c], x[i*k:i*k+k], inverse.Row(c)[:k])
		}
	}
	return inverse, shift
}

// rootOf is the X with X (G + shift·I) Xᵀ = I, where every pivot is above floor.
func rootOf(g *gcg.Factor, k int, shift, floor float64) (x []float64, ok bool) {
	full := make([]float64, k*k)
	for c := range k {
		copy(full[c*k:], g.Row(c)[:k])
		full[c*k+c] += shift
	}
	_, x, ok = linalg.InverseRoot(full, k, k, floor)
	return x, ok
}

// wide is F in float64, in a new factor.
func wide(f *gcg.Factor32) *gcg.Factor { return gcg.FactorIn[float64](f) }

// narrowInto rounds F into dst, of its shape.
func narrowInto(dst *gcg.Factor32, f *gcg.Factor) { kernel.Convert(dst.Data, f.Data) }
