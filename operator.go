package gcg

import "github.com/seed-b18ef778/gcg/internal/kernel"

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

// An Applier is an Operator that makes all predictions of a W of factors at once, where block by block would make again what they
// share. Apply asks it.
type Applier interface {
	Operator
	// ApplyTo writes z = A(U Vᵀ), for all observations.
	ApplyTo(z []float64, u, v *Factor)
}

// An InterceptOperator says which constant of an unpenalised intercept each observation takes, where this does not follow from
// its place in the loss's stride: with tasks, each task has a constant of its own.
type InterceptOperator interface {
	Operator
	// Intercepts is the number of constants, and the constant of each observation; a nil list is as if there were no such method.
	// -1 leaves an observation to its place in the loss's stride, for all of a segment or for none.
	Intercepts() (count int, of []int32)
}

// A Column is A(e_ij), the predictions of one entry of W: Values at the observations Offset + Stride·Index. Index is nil
// where it is 0, 1, 2, … Columns may share Index and Values, which are not to be changed.
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

// Dot is ⟨A(e_ij), r⟩, for an r of all observations.
func (c *Column) Dot(r []float64) (sum float64) {
	switch {
	case c.Stride != 1:
		for t, v := range c.Values {
			sum += v * r[c.At(t)]
		}
		return sum
	case c.Index == nil:
		return kernel.Dot(c.Values, r[c.Offset:])
	}
	return kernel.DotSparse(r[c.Offset:], c.Index, c.Values)
}

// A FactorHessian is the second derivative along factors at some U Vᵀ. It makes one product at a time: gu = E V and gv = Eᵀ U
// with E = A*(H A(dU Vᵀ + U dVᵀ)), where gu and du are m×k, gv and dv n×k.
//
// H is the second derivative of the loss. hess overwrites z, the predictions of the observations from lo on, with H z; they are
// whole rows. Calls of hess on disjoint blocks may be concurrent. If absorb is not nil, H z of all observations is kept, and
// absorb is called once with it and may change it.
type FactorHessian func(gu, gv, du, dv *Factor32, hess func(z []float32, lo int), absorb func(all []float32))

// A WholeGradient writes g = A*(r) at any W, g and W being m×n, or (m+1)×n with centres. It serves one call at a time, as passes
// share work space. residual overwrites z, the predictions A(W) of the observations from lo on, which are whole rows, with r.
// The sum of what it returns is returned, added in an order that the implementation chooses. Calls of residual on disjoint
// blocks may be concurrent.
type WholeGradient func(g, w *Factor32, residual func(z []float32, lo int) float64) float64
