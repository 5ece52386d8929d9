package operator

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

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
	x, ok := rootOf(g, k, 0, 1e-14*trace)
	if !ok {
		shift = math.Max(1e-10*trace, math.SmallestNonzeroFloat64/0x1p-52)
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
