package view

import "github.com/seed-b18ef778/gcg"

// A Checker is a loss that can look through its own data for targets that are no numbers, labels out of range and weights that
// are negative.
type Checker interface {
	gcg.Loss
	// Check is an error that names the first wrong one, or nil.
	Check() error
}

// A Single is a loss that is evaluated in float32 as well, for steps whose errors the next ones correct.
type Single interface {
	gcg.Loss
	// Residual32 overwrites z, the predictions of the block that starts at lo, with r = -∂L/∂z, and returns the block's loss.
	Residual32(lo int, z []float32) float64
}

// A Bent loss is smooth by a width, and has bends where that is small.
type Bent interface {
	gcg.Loss
	// Widened is the loss with a width for which it is below its kinks by short at most, or its own where that is larger.
	Widened(short float64) gcg.Loss
}

// LossCapabilities is what a loss offers beyond gcg.Loss; nil where it does not.
type LossCapabilities struct {
	Curved       gcg.CurvedLoss   // ∇²L
	Outer        gcg.OuterLoss    // ∇²L of a row is diag(d) - v vᵀ
	LeastSquares gcg.LeastSquares // ∇²L is the same everywhere
	Conjugate    gcg.ConjugateLoss
	Bounded      gcg.BoundedLoss
	Single       Single
	Checker      Checker
	Bent         Bent
	Separable    bool // ∇²L is diagonal, see gcg.Separable
	Proximity    Proximity
}

// OfLoss asks for all of them. A nil loss has none.
func OfLoss(l gcg.Loss) (c LossCapabilities) {
	if l == nil {
		return c
	}
	if c.Curved, _ = l.(gcg.CurvedLoss); c.Curved != nil {
		c.Outer, _ = l.(gcg.OuterLoss)
		c.LeastSquares, _ = l.(gcg.LeastSquares)
	}
	c.Conjugate, _ = l.(gcg.ConjugateLoss)
	c.Bounded, _ = l.(gcg.BoundedLoss)
	c.Single, _ = l.(Single)
	c.Checker, _ = l.(Checker)
	c.Bent, _ = l.(Bent)
	c.Separable = gcg.Separable(l)
	c.Proximity = proximityOf(l)
	return c
}
