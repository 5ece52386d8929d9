package structured

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// Differences is g = w‖Dᵏx‖₁ with the differences of order k of neighbouring entries: the total variation for k = 1, and for
// k = 2 that of slopes, whose solutions are straight in pieces [Kim, Koh, Boyd and Gorinevsky 2009].
type Differences struct {
	P, Order int // 1 ≤ Order < P
	Weight   float64
}

// Name is fused, or trend.
func (g *Differences) Name() string {
	if g.Order == 1 {
		return "fused"
	}
	return fmt.Sprintf("trend of order %d", g.Order-1)
}

// maxOrder is the largest order: entries of Dᵏ grow as 2ᵏ, and what depends on them loses digits.
const maxOrder = 5

// Check refuses orders and weights that make no penalty.
func (g *Differences) Check() error {
	switch {
	case g.Order < 1 || g.Order > maxOrder:
		return fmt.Errorf("structured: differences have an order from 1 to %d, not %d", maxOrder, g.Order)
	case g.P <= g.Order:
		return fmt.Errorf("structured: %d features have no differences of order %d", g.P, g.Order)
	case !(g.Weight >= 0) || math.IsInf(g.Weight, 1):
		return fmt.Errorf("structured: the weight of the differences is %v; it is a finite number, 0 or more", g.Weight)
	}
	return nil
}

// Size is p, and p - k.
func (g *Differences) Size() (p, n int) { return g.P, g.P - g.Order }

// BTo takes differences k times.
func (g *Differences) BTo(z, x []float64) {
	d := append([]float64(nil), x...)
	for k := range g.Order {
		for i := range len(x) - k - 1 {
			d[i] = d[i+1] - d[i]
		}
	}
	copy(z, d)
}

// BTTo is the transpose: (Dᵀu)ᵢ = uᵢ₋₁ - uᵢ, k times.
func (g *Differences) BTTo(x, u []float64) {
	n := copy(x, u)
	for range g.Order {
		x[n] = 0
		before := 0.0
		for i := range n + 1 {
			before, x[i] = x[i], before-x[i]
		}
		n++
	}
}

// Value is w‖z‖₁.
func (g *Differences) Value(z []float64) float64 { return g.Weight * linalg.SumAbs(z) }

// Polar is ‖u‖_∞/w.
func (g *Differences) Polar(u []float64) float64 {
	if top := linalg.MaxAbs(u); top > 0 {
		return top / g.Weight
	}
	return 0
}

// ProjectTo clips u to [-w, w].
func (g *Differences) ProjectTo(u []float64) {
	for i, x := range u {
		u[i] = math.Max(-g.Weight, math.Min(g.Weight, x))
	}
}

// SlopeTo keeps the entries of e at which |v| is below w.
func (g *Differences) SlopeTo(dst, v, e []float64) {
	for i, x := range v {
		if math.Abs(x) < g.Weight {
			dst[i] = e[i]
		} else {
			dst[i] = 0
		}
	}
}

// Radius is w times the root of the number of differences.
func (g *Differences) Radius() float64 { return g.Weight * math.Sqrt(float64(g.P-g.Order)) }

// Scaled has c times the weight.
func (g *Differences) Scaled(c float64) Penalty {
	return &Differences{P: g.P, Order: g.Order, Weight: c * g.Weight}
}

// Norm2 is 4ᵏ.
func (g *Differences) Norm2() float64 { return math.Pow(4, float64(g.Order)) }

// ready is for the total variation.
func (g *Differences) ready() bool { return g.Order == 1 }

// whole is the fused lasso of all entries.
func (g *Differences) whole() *cells { return &cells{weight: g.Weight} }

func (g *Differences) proxTo(dst, v []float64, t float64, h *shrinkage) {
	g.whole().proxTo(dst, v, t, h)
}
func (g *Differences) dualTo(u, q []float64, bound float64) float64 {
	return g.whole().dualTo(u, q, bound)
}
func (g *Differences) value(x []float64) float64 { return g.whole().value(x) }
func (g *Differences) size(x []float64) float64  { return linalg.SumAbs(x) }

// differenced is B as an operator on a W of one column.
type differenced struct{ g Penalty }

// Dims is p×1, and the number of entries of B x.
func (o differenced) Dims() (m, n, nobs int) {
	p, size := o.g.Size()
	return p, 1, size
}

// AtomTo is z = B a from observation lo on.
func (o differenced) AtomTo(z []float64, lo int, a *gcg.Atom) {
	p, _ := o.g.Size()
	x := make([]float64, p)
	if a.LowRank() {
		for i := range x {
			for c := range a.U.K {
				x[i] += a.U.Row(i)[c] * a.V.Row(0)[c]
			}
		}
	} else {
		for e, v := range a.Vals {
			x[a.Rows[e]] += v
		}
	}
	o.partTo(z, lo, x)
}

// FactoredTo is z = B U Vᵀ from observation lo on.
func (o differenced) FactoredTo(z []float64, lo int, u, v *gcg.Factor) {
	o.AtomTo(z, lo, &gcg.Atom{U: u, V: v})
}

// partTo is part of B x.
func (o differenced) partTo(z []float64, lo int, x []float64) {
	_, size := o.g.Size()
	if len(z) == size {
		o.g.BTo(z, x)
		return
	}
	all := make([]float64, size)
	o.g.BTo(all, x)
	copy(z, all[lo:lo+len(z)])
}

// Adjoint is Bᵀr as a column.
func (o differenced) Adjoint(r []float64) gcg.Map {
	p, _ := o.g.Size()
	x := make([]float64, p)
	o.g.BTTo(x, r)
	return column(x)
}

// A column is a map of one column.
type column []float64

// Dims is p×1.
func (g column) Dims() (m, n int) { return len(g), 1 }

// MulTo is dst = x·column.
func (g column) MulTo(dst, x []float64) {
	for i, v := range g {
		dst[i] = v * x[0]
	}
}

// TMulTo is the product with the column.
func (g column) TMulTo(dst, y []float64) {
	var sum float64
	for i, v := range g {
		sum += v * y[i]
	}
	dst[0] = sum
}

// RowsTo copies entries.
func (g column) RowsTo(dst []float64, lo int) { copy(dst, g[lo:]) }
