package gcg

// An Operator is A: R^{m×n} → R^N. It works on blocks of observations, so that no solver needs N-vectors that it
// does not keep; the calls on disjoint blocks may be concurrent.
type Operator interface {
	Dims() (m, n, nobs int)
	// AtomTo writes z = A(a) on observations lo … lo+len(z)-1.
	AtomTo(z []float64, lo int, a *Atom)
	// FactoredTo writes z = A(U Vᵀ) on observations lo … lo+len(z)-1; U is m×k, V is n×k.
	FactoredTo(z []float64, lo int, u, v *Factor)
	// Adjoint is the map G with ⟨A(a), r⟩ = ⟨a, G⟩: a view, valid until r changes.
	Adjoint(r []float64) Map
}

// An InterceptOperator says which constant of an unpenalised intercept each observation takes, where that is not the one of its
// place in the loss's stride: with tasks, each has its own.
type InterceptOperator interface {
	Operator
	// Intercepts is the number of constants and the one of each observation; nil is as if there were no such method.
	Intercepts() (count int, of []int32)
}

// A FusedOperator works on y - A(U Vᵀ) in single passes that never keep predictions, for the squared loss.
//
// Shapes, here and below: u, du, u2, gu and x are m×k, v, dv, v2 and gv n×k, of one stride in a call. y and r have N entries, in the order of
// the observations. What a method writes comes first; it is overwritten whole, with padding of zeros, and overlaps nothing else. Other
// arguments stay as they are. Its Adjoint is a BilateralMap.
type FusedOperator interface {
	Operator
	// ResidualTo writes r = y - A(U Vᵀ) and returns Σ r². k may be 0.
	ResidualTo(r, y []float64, u, v *Factor) float64
	// CurvatureTo writes gu = E V - R dV and gv = Eᵀ U - Rᵀ dU, with E = A*(A(dU Vᵀ + U dVᵀ)) and R = A*(r).
	CurvatureTo(gu, gv *Factor, r []float64, u, v, du, dv *Factor)
	// Curvature32To is CurvatureTo in float32.
	Curvature32To(gu, gv *Factor32, r []float32, u, v, du, dv *Factor32)
	// NormalTo writes gu = A*(A(X Vᵀ)) V.
	NormalTo(gu, x, v *Factor)
	// Normal32To is NormalTo in float32.
	Normal32To(gu, x, v *Factor32)
	// DiagonalTo writes du_ic = Σⱼ α²_ij v2_jc and dv_jc = Σᵢ α²_ij u2_ic over the observed (i, j), the predictions α_ij W_ij: the diagonal
	// of what NormalTo and its twin for V do, for the squares u2 and v2 of the entries of U and V. dv may be nil.
	DiagonalTo(du, dv, u2, v2 *Factor)
}

// A HessianOperator forms second derivatives along factors in float32 and without a vector of predictions: a direction needs no
// more.
type HessianOperator interface {
	Operator
	// HessianAt keeps what the products at U Vᵀ (m×k and n×k) have in common. They must not change meanwhile.
	HessianAt(u, v *Factor) FactorHessian
}

// A FactorHessian is the second derivative at some U Vᵀ, for one product at a time. Shapes are those of a FusedOperator, k that of U and V.
type FactorHessian interface {
	// ProductTo writes gu = E V and gv = Eᵀ U with E = A*(H A(dU Vᵀ + U dVᵀ)); hess overwrites z, a block of predictions from
	// observation lo on that ends with a whole row of them, with H z. The calls on disjoint blocks may be concurrent. Where absorb
	// is not nil it is called once with H z of all observations, which are kept for it, and may change it.
	ProductTo(gu, gv, du, dv *Factor32, hess func(z []float32, lo int), absorb func(all []float32))
}

// A WholeOperator forms gradients at a W that is kept whole, in float32 and without a vector of predictions: steps which the next
// ones correct need no more.
type WholeOperator interface {
	Operator
	// Gradients keeps what they have in common. Centres (m×n) are nil but for an intercept of a constant for each column of W: W has a row
	// more then, of the constants, and a column's observations are those of features less its column of centres.
	Gradients(centres *Factor) WholeGradient
}

// A WholeGradient is the gradient at any W, one at a time: passes share work space.
type WholeGradient interface {
	// GradientTo writes g = A*(r), of the shape of w: m×n, or (m+1)×n with centres. residual overwrites z, a block of A(W) from observation lo on that starts and ends with a
	// whole row of them, with r; the sum of what it returns is returned, added in an order of its own. The calls on disjoint blocks may be
	// concurrent.
	GradientTo(g, w *Factor32, residual func(z []float32, lo int) float64) float64
}

// A KroneckerOperator approximates its second derivatives, for preconditioners.
type KroneckerOperator interface {
	Operator
	// Kronecker approximates X → A*(d∘A(X)) by L X diag(right), for weights d ≥ 0 (N) of the observations; right has n entries. L is gram, a
	// Small(m, m); where that would be too large it is nil and L is diag(left), of m entries. Centred takes the observations less their
	// weighted mean, as an intercept that is always fitted does.
	Kronecker(d []float64, centred bool) (gram *Factor, left, right []float64)
}

// A GramOperator has observations of their own for the columns of W, so that X → A*(d∘A(X)) is block diagonal in them.
type GramOperator interface {
	Operator
	// Grams are the n matrices G_c, each a Small(m, m), that it multiplies the columns with, for weights d ≥ 0 (N) of the observations; nil
	// where they would take more than products with the data. Centred takes the observations of a column less their weighted mean, as
	// an intercept that is always fitted does.
	Grams(d []float64, centred bool) []*Factor
}

// A RidgeOperator lowers the squared loss over one factor at a time, row by row.
type RidgeOperator interface {
	FusedOperator
	// RidgeRows lowers f = ½‖y - A(U Vᵀ)‖² + ridge/2·‖U‖², ridge ≥ 0, over U by so many conjugate gradient steps on each row from where it
	// is, in float32: u is overwritten. It returns ‖y - A(U Vᵀ)‖² at the start, and the gain ≥ 0, by which f is less now but for
	// rounding.
	RidgeRows(u, v *Factor32, y []float32, ridge float64, steps int) (square, gain float64)
	// Transposed is the operator of Wᵀ, and y in the order of its observations, new.
	Transposed(y []float32) (t RidgeOperator, turned []float32)
}

// A Column is A(e_ij), the predictions of one entry of W: Values at the observations Offset + Stride·Index. Index is nil
// where it is 0, 1, 2, …
type Column struct {
	Index          []int32
	Values         []float64
	Offset, Stride int
}

// At is the observation of Values[t].
func (c *Column) At(t int) int {
	if c.Index != nil {
		t = int(c.Index[t])
	}
	return c.Offset + c.Stride*t
}

// A ColumnOperator gives the predictions of single entries, which coordinate methods work on.
type ColumnOperator interface {
	Operator
	// Columns extracts the columns of the entries (rows[t], cols[t]) in one pass over the data; entries of one feature share values.
	Columns(rows, cols []int32) []Column
}
