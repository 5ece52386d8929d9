package fixedrank

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
)

// A turn is the change of factors (U, V) → (U T, V T⁻ᵀ), which keeps U Vᵀ. back is T⁻ᵀ.
type turn struct{ t, back *gcg.Factor32 }

// of is the turned x, as a new pair.
func (t turn) of(x factors) factors {
	y := x.blank()
	t.to(y, x)
	return y
}

// to overwrites y with the turned x.
func (t turn) to(y, x factors) {
	clear(y.u.Data)
	clear(y.v.Data)
	y.u.AddMul(x.u, t.t)
	y.v.AddMul(x.v, t.back)
}

// balancing is the turn to UᵀU = VᵀV = S, the singular values of the product. No other pair has a smaller ½(‖U‖² + ‖V‖²),
// and ridge regressions come to it slowly, as what one factor has too much is hardly seen in the other; and with orthogonal
// columns the diagonal is a good preconditioner of each. With the Cholesky factor L of UᵀU and LᵀVᵀV L = Z M Zᵀ it is T =
// L⁻ᵀZM^¼. It is not ok where UᵀU is singular.
func balancing(x factors) (t turn, ok bool) {
	gu, gv := factor.WideGram(x.u), factor.WideGram(x.v)
	k := x.u.K
	lower, inverse, ok := linalg.InverseRoot(gu.Data, k, gu.Stride, dependent*factor.MaxDiagonal(gu))
	if !ok {
		return t, false
	}
	l, root := gcg.Small(k, k), gcg.Small(k, k) // L and L⁻ᵀ
	for i := range k {
		for j := range i + 1 {
			l.Row(i)[j], root.Row(j)[i] = lower[i*k+j], inverse[i*k+j]
		}
	}
	values, e := gcg.TMul(l, gcg.Mul(gv, l)).SymEigen(true)
	if !(values[0] > dependent*dependent*values[k-1]) {
		return t, false
	}
	z, y := gcg.SmallOf(e), gcg.SmallOf(e)
	for c, v := range values {
		z.ScaleColumn(c, math.Pow(v, 1.0/4))
		y.ScaleColumn(c, math.Pow(v, -1.0/4))
	}
	return turn{gcg.FactorIn[float32](gcg.Mul(root, z)), gcg.FactorIn[float32](gcg.Mul(l, y))}, true
}

// dependent is the part of the largest squared length of U's columns below which a pivot of UᵀU is rounding: the columns are then
// linearly dependent. Eigenvalues of LᵀVᵀV L are products of two such squares.
const dependent = 1e-14
