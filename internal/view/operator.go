package view

import "github.com/seed-b18ef778/gcg"

// A FusedOperator serves the squared loss by single passes over the data that keep no predictions.
//
// Shapes, here and below: u, du, u2, gu and x are m×k, v, dv, v2 and gv n×k, of one stride in a call. y and r have N entries, in
// the order of the observations. What a method writes comes first; it is overwritten whole, with padding of zeros, and overlaps
// nothing else. Other arguments stay as they are.
type FusedOperator interface {
	gcg.Operator
	// ResidualTo writes r = y - A(U Vᵀ) and returns Σ r². k may be 0.
	ResidualTo(r, y []float64, u, v *gcg.Factor) float64
	// CurvatureTo writes gu = E V - R dV and gv = Eᵀ U - Rᵀ dU, with E = A*(A(dU Vᵀ + U dVᵀ)) and R = A*(r).
	CurvatureTo(gu, gv *gcg.Factor, r []float64, u, v, du, dv *gcg.Factor)
	// Curvature32To is CurvatureTo in float32.
	Curvature32To(gu, gv *gcg.Factor32, r []float32, u, v, du, dv *gcg.Factor32)
	// NormalTo writes gu = A*(A(X Vᵀ)) V.
	NormalTo(gu, x, v *gcg.Factor)
	// Normal32To is NormalTo in float32.
	Normal32To(gu, x, v *gcg.Factor32)
	// DiagonalTo writes du_ic = Σⱼ α²_ij v2_jc and dv_jc = Σᵢ α²_ij u2_ic over the observed (i, j), where the predictions are
	// α_ij W_ij, for the squares u2 and v2 of the entries of U and V. These are the diagonals of the normal operators of U, see
	// NormalTo, and of V. dv may be nil.
	DiagonalTo(du, dv, u2, v2 *gcg.Factor)
}

// A FramedOperator observes X = L W Rᵀ by the single passes of another operator over X (M×N). A factor that stays while others
// change is multiplied with L or R once, and what lies in the spaces of W alone needs no more products with them.
type FramedOperator interface {
	FusedOperator
	// Within is the operator of X, a FusedOperator.
	Within() gcg.Operator
	// Times is L U (M×k) and R V (N×k), in new factors, and BackTo writes gu = Lᵀ X and gv = Rᵀ Y; what is nil is left out.
	Times(u, v *gcg.Factor) (left, right *gcg.Factor)
	BackTo(gu, gv, x, y *gcg.Factor)
	// Times32 and Back32To are these in float32.
	Times32(u, v *gcg.Factor32) (left, right *gcg.Factor32)
	Back32To(gu, gv, x, y *gcg.Factor32)
	// SquaredBackTo writes gu = (L∘L)ᵀ X and gv = (R∘R)ᵀ Y, for diagonals.
	SquaredBackTo(gu, gv, x, y *gcg.Factor)
}

// A HessianOperator multiplies with second derivatives along factors, in float32 and without a vector of predictions: directions
// need no more accuracy.
type HessianOperator interface {
	gcg.Operator
	// HessianAt computes what the products at U Vᵀ (U m×k, V n×k) have in common. U and V must not change while it is used.
	HessianAt(u, v *gcg.Factor) gcg.FactorHessian
}

// A WholeOperator computes gradients at a W that is kept whole, in float32 and without a vector of predictions, for steps whose
// errors the next ones correct.
type WholeOperator interface {
	gcg.Operator
	// Gradients computes what the gradients have in common. centres is nil, or m×n for an intercept with a constant for each column
	// of W: W has one more row then, of the constants, and the observations of a column are made with features less its column of
	// centres.
	Gradients(centres *gcg.Factor) gcg.WholeGradient
}

// A KroneckerOperator approximates second derivatives by a Kronecker product, for preconditioners.
type KroneckerOperator interface {
	gcg.Operator
	// Kronecker approximates X ↦ A*(d∘A(X)) by L X diag(right), for weights d ≥ 0 of the N observations; right has n entries. L is
	// gram, a Small(m, m); where that would be too large, gram is nil and L is diag(left), of m entries. Centred takes the weighted
	// mean off the observations, as an intercept that is always fitted does.
	Kronecker(d []float64, centred bool) (gram *gcg.Factor, left, right []float64)
}

// A GramOperator has separate observations for each column of W, so that X ↦ A*(d∘A(X)) multiplies each column with a matrix.
type GramOperator interface {
	gcg.Operator
	// Grams are these n matrices, each a Small(m, m), for weights d ≥ 0 of the N observations; nil where they would take more time
	// than products with the data. Centred takes the weighted mean off the observations of a column, as an intercept that is always
	// fitted does.
	Grams(d []float64, centred bool) []*gcg.Factor
}

// A RidgeOperator lowers the squared loss over one factor at a time, row by row.
type RidgeOperator interface {
	FusedOperator
	// RidgeRows lowers f = ½‖y - A(U Vᵀ)‖² + ridge/2·‖U‖², for a ridge ≥ 0, by so many conjugate gradient steps on each row of U, in
	// float32. It begins at u, which is overwritten. It returns ‖y - A(U Vᵀ)‖² at the start, and the gain ≥ 0 by which f has fallen
	// but for rounding.
	RidgeRows(u, v *gcg.Factor32, y []float32, ridge float64, steps int) (square, gain float64)
	// Transposed is the operator of Wᵀ, which is a RidgeOperator too, and y in the order of its observations; both are new.
	Transposed(y []float32) (t gcg.Operator, turned []float32)
}

// A ColumnOperator gives the predictions of single entries, which coordinate methods work on.
type ColumnOperator interface {
	gcg.Operator
	// Columns has the column of each entry (rows[t], cols[t]), from one pass over the data. Others may share their values, which
	// are not to be changed.
	Columns(rows, cols []int32) []gcg.Column
}

// A BoundingOperator bounds gradients without a pass over the data.
type BoundingOperator interface {
	ColumnOperator
	// Bounded is the operator whose gradients are bounded, or nil where bounds cost as much as gradients. A type that embeds one
	// and observes something else inherits bounds that do not hold for it, and is told apart by this.
	Bounded() gcg.Operator
	// AdjointBoundTo writes dst_ij ≥ |A*(r)_ij|, row-major: ‖A(e_ij)‖ times the norm of r where A(e_ij) has observations, by Cauchy
	// and Schwarz, with room for rounding.
	AdjointBoundTo(dst, r []float64)
	// Unpicked is how many of the columns of these rows of W are still to be picked out of the data.
	Unpicked(rows []int32) int
}

// OperatorCapabilities is what an operator offers beyond gcg.Operator; nil where it does not.
type OperatorCapabilities struct {
	Squares    gcg.Squares // the loss of the problem as well: it keeps no predictions
	Fused      FusedOperator
	Framed     FramedOperator // and Fused
	Within     FusedOperator  // of Framed
	Hessian    HessianOperator
	Whole      WholeOperator
	Kronecker  KroneckerOperator
	Grams      GramOperator
	Columns    ColumnOperator
	Bounding   BoundingOperator // Bounded is the operator itself
	Intercepts gcg.InterceptOperator
	Applier    gcg.Applier
	Identity   bool // z = W, row by row
}

// OfOperator asks for all of them.
func OfOperator(op gcg.Operator) (c OperatorCapabilities) {
	c.Squares, _ = op.(gcg.Squares)
	c.Fused, _ = op.(FusedOperator)
	if c.Framed, _ = op.(FramedOperator); c.Framed != nil {
		c.Within, _ = c.Framed.Within().(FusedOperator)
	}
	c.Hessian, _ = op.(HessianOperator)
	c.Whole, _ = op.(WholeOperator)
	c.Kronecker, _ = op.(KroneckerOperator)
	c.Grams, _ = op.(GramOperator)
	c.Columns, _ = op.(ColumnOperator)
	if b, ok := op.(BoundingOperator); ok && Same(b.Bounded(), op) {
		c.Bounding = b
	}
	c.Intercepts, _ = op.(gcg.InterceptOperator)
	c.Applier, _ = op.(gcg.Applier)
	i, ok := op.(interface{ IsIdentity() bool })
	c.Identity = ok && i.IsIdentity()
	return c
}

// Transposed is the operator of Wᵀ and y in the order of its observations, both new; t is nil where the transpose is no
// RidgeOperator.
func Transposed(op RidgeOperator, y []float32) (t RidgeOperator, turned []float32) {
	of, turned := op.Transposed(y)
	t, _ = of.(RidgeOperator)
	return t, turned
}
