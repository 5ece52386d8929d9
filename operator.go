package gcg

// An Operator is the linear map A: R^{m×n} → R^N from W to the predictions of N observations. It works on blocks of observations,
// so that no solver needs N-vectors that it does not keep; calls on disjoint blocks may be concurrent.
type Operator interface {
	// Dims is the size m×n of W and the number N of observations.
	Dims() (m, n, nobs int)
	// AtomTo writes z = A(a) on observations lo … lo+len(z)-1.
	AtomTo(z []float64, lo int, a *Atom)
	// FactoredTo writes z = A(U Vᵀ) on observations lo … lo+len(z)-1; U is m×k, V is n×k.
	FactoredTo(z []float64, lo int, u, v *Factor)
	// Adjoint is the map G with ⟨A(a), r⟩ = ⟨a, G⟩: a view, valid until r changes.
	Adjoint(r []float64) Map
}

// An InterceptOperator says which constant of an unpenalised intercept each observation takes, where this does not follow from
// its place in the loss's stride: with tasks, each task has a constant of its own.
type InterceptOperator interface {
	Operator
	// Intercepts is the number of constants, and the constant of each observation; a nil list is as if there were no such method.
	// -1 leaves an observation to its place in the loss's stride, for all of a segment or for none.
	Intercepts() (count int, of []int32)
}

// A FusedOperator serves the squared loss by single passes over the data that keep no predictions. Its Adjoint is a BilateralMap.
//
// Shapes, here and below: u, du, u2, gu and x are m×k, v, dv, v2 and gv n×k, of one stride in a call. y and r have N entries, in
// the order of the observations. What a method writes comes first; it is overwritten whole, with padding of zeros, and overlaps
// nothing else. Other arguments stay as they are.
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
	// DiagonalTo writes du_ic = Σⱼ α²_ij v2_jc and dv_jc = Σᵢ α²_ij u2_ic over the observed (i, j), where the predictions are
	// α_ij W_ij, for the squares u2 and v2 of the entries of U and V. These are the diagonals of the normal operators of U, see
	// NormalTo, and of V. dv may be nil.
	DiagonalTo(du, dv, u2, v2 *Factor)
}

// A HessianOperator multiplies with second derivatives along factors, in float32 and without a vector of predictions: directions
// need no more accuracy.
type HessianOperator interface {
	Operator
	// HessianAt computes what the products at U Vᵀ (U m×k, V n×k) have in common. U and V must not change while it is used.
	HessianAt(u, v *Factor) FactorHessian
}

// A FactorHessian is the second derivative at some U Vᵀ. It makes one product at a time. Shapes are those of a FusedOperator, with
// the k of U and V.
type FactorHessian interface {
	// ProductTo writes gu = E V and gv = Eᵀ U with E = A*(H A(dU Vᵀ + U dVᵀ)), where H is the second derivative of the loss: hess
	// overwrites z, the predictions of the observations from lo on, which are whole rows, with H z. Calls of hess on disjoint blocks
	// may be concurrent. If absorb is not nil, H z of all observations is kept, and absorb is called once with it and may change it.
	ProductTo(gu, gv, du, dv *Factor32, hess func(z []float32, lo int), absorb func(all []float32))
}

// A WholeOperator computes gradients at a W that is kept whole, in float32 and without a vector of predictions, for steps whose
// errors the next ones correct.
type WholeOperator interface {
	Operator
	// Gradients computes what the gradients have in common. centres is nil, or m×n for an intercept with a constant for each column
	// of W: W has one more row then, of the constants, and the observations of a column are made with features less its column of
	// centres.
	Gradients(centres *Factor) WholeGradient
}

// A WholeGradient computes the gradient at any W. It serves one call at a time, as passes share work space.
type WholeGradient interface {
	// GradientTo writes g = A*(r), of the shape of w: m×n, or (m+1)×n with centres. residual overwrites z, the predictions A(W) of
	// the observations from lo on, which are whole rows, with r. The sum of what it returns is returned, added in an order that the
	// implementation chooses. Calls of residual on disjoint blocks may be concurrent.
	GradientTo(g, w *Factor32, residual func(z []float32, lo int) float64) float64
}

// A KroneckerOperator approximates second derivatives by a Kronecker product, for preconditioners.
type KroneckerOperator interface {
	Operator
	// Kronecker approximates X ↦ A*(d∘A(X)) by L X diag(right), for weights d ≥ 0 of the N observations; right has n entries. L is
	// gram, a Small(m, m); where that would be too large, gram is nil and L is diag(left), of m entries. Centred takes the weighted
	// mean off the observations, as an intercept that is always fitted does.
	Kronecker(d []float64, centred bool) (gram *Factor, left, right []float64)
}

// A GramOperator has separate observations for each column of W, so that X ↦ A*(d∘A(X)) multiplies each column with a matrix.
type GramOperator interface {
	Operator
	// Grams are these n matrices, each a Small(m, m), for weights d ≥ 0 of the N observations; nil where they would take more time
	// than products with the data. Centred takes the weighted mean off the observations of a column, as an intercept that is always
	// fitted does.
	Grams(d []float64, centred bool) []*Factor
}

// A RidgeOperator lowers the squared loss over one factor at a time, row by row.
type RidgeOperator interface {
	FusedOperator
	// RidgeRows lowers f = ½‖y - A(U Vᵀ)‖² + ridge/2·‖U‖², for a ridge ≥ 0, by so many conjugate gradient steps on each row of U, in
	// float32. It begins at u, which is overwritten. It returns ‖y - A(U Vᵀ)‖² at the start, and the gain ≥ 0 by which f has fallen
	// but for rounding.
	RidgeRows(u, v *Factor32, y []float32, ridge float64, steps int) (square, gain float64)
	// Transposed is the operator of Wᵀ, and y in the order of its observations; both are new.
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
	// Columns has the column of each entry (rows[t], cols[t]), from one pass over the data; those of entries of one feature may share
	// values.
	Columns(rows, cols []int32) []Column
}
