package structured

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// A smooth is L(A x) on vectors, with an intercept b that minimises L(A x + E b) where the problem has one.
type smooth struct {
	p *gcg.Problem // of L alone
	s *gcg.State
	x *gcg.Factor
	v *gcg.Factor // 1
}

// newSmooth shares the oracle of a state.
func newSmooth(op gcg.Operator, l gcg.Loss, of *gcg.Problem, s *gcg.State) (*smooth, error) {
	f := &smooth{p: &gcg.Problem{Operator: op, Loss: l, Gauge: of.Gauge, Penalty: of.Penalty, Intercept: of.Intercept}}
	var err error
	if f.s, err = s.InnerState(f.p, nil); err != nil {
		return nil, err
	}
	m, _, _ := op.Dims()
	f.x, f.v = gcg.NewFactor(m, 1), gcg.NewFactor(1, 1)
	f.v.Row(0)[0] = 1
	return f, nil
}

// apply writes z = A x.
func (f *smooth) apply(z, x []float64) {
	f.x.SetColumn(0, x, 1)
	f.p.Apply(z, &gcg.Iterate{M: f.x.Rows, N: 1, U: f.x, V: f.v})
}

// value is L at z = A x, with the best intercept; the residual is the state's then.
func (f *smooth) value(z []float64) float64 {
	copy(f.s.Z, z)
	if f.s.Intercept != nil {
		f.p.InterceptMap().AddTo(f.s.Z, 1, f.s.Intercept)
	}
	f.s.Recentre(f.p)
	return f.s.Loss
}

// gradientTo writes Aᵀ∇L where value was last.
func (f *smooth) gradientTo(dst []float64) {
	f.p.Operator.Adjoint(f.s.R).MulTo(dst, []float64{1})
	kernel.Scale(-1, dst)
}

const (
	powerSteps = 20 // of the power method: what they miss of ‖A‖², powerRoom is for, and steps that are searched raise the rest
	// powerRoom is how far ‖A‖² may be above what powerSteps find.
	powerRoom = 1.1
)

// curvature is about the largest eigenvalue of the second derivative of L(A x).
func (f *smooth) curvature() float64 {
	m, _, nobs := f.p.Operator.Dims()
	x, z, top := make([]float64, m), make([]float64, nobs), 0.0
	for i := range x {
		x[i] = 1 + math.Sin(float64(i+1)) // no direction of a design is orthogonal to it but by chance
	}
	for range powerSteps {
		size := norm(x)
		if !(size > 0) {
			break
		}
		kernel.Scale(1/size, x)
		f.apply(z, x)
		top = math.Max(top, kernel.SumSq(z))
		f.p.Operator.Adjoint(z).MulTo(x, []float64{1})
	}
	c := 1.0
	if l := view.OfLoss(f.p.Loss).Curved; l != nil {
		c = gcg.CurvatureAt(l, f.s.Z)
	}
	if top *= c * powerRoom; !(top > 0) || math.IsInf(top, 1) {
		return 1
	}
	return top
}
