package mmbs

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/view"
	"gonum.org/v1/gonum/mat"
)

// random is a tangent vector that is horizontal.
func (at *point) random(rng *rand.Rand) *tangent {
	k := len(at.b)
	x := &tangent{u: gcg.NewFactor(at.u.Rows, k), v: gcg.NewFactor(at.v.Rows, k), b: mat.NewDense(k, k, nil)}
	for _, f := range []*gcg.Factor{x.u, x.v} {
		for i := range f.Rows {
			for c := range k {
				f.Row(i)[c] = rng.NormFloat64()
			}
		}
	}
	for i := range k {
		for j := range k {
			x.b.Set(i, j, at.b[i]*rng.NormFloat64()*at.b[j]/at.b[0])
		}
	}
	less(x.u, at.u, symmetric(inner(at.u, x.u)))
	less(x.v, at.v, symmetric(inner(at.v, x.v)))
	symmetric(x.b)
	return at.horizontal(x)
}

// Along a retraction φ changes as the gradient and the second derivatives say, which are symmetric, horizontal, and those of W.
func TestDerivatives(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	classes := testproblem.Classes(t, 40, 7, 5, false)
	classes.Gauge = gauge.Trace{}
	sampled, _ := testproblem.Completion(t, 1)
	const lambda = 0.003 // for which all three directions stay
	for name, p := range map[string]*gcg.Problem{"classes": classes, "completion": sampled} {
		p.Penalty = gauge.Linear{Lambda: lambda}
		s, err := gcg.NewState(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		u, v := gcg.NewFactor(s.W.M, 3), gcg.NewFactor(s.W.N, 3)
		for _, f := range []*gcg.Factor{u, v} {
			for i := range f.Rows {
				for c := range f.K {
					f.Row(i)[c] = rng.NormFloat64()
				}
			}
		}
		at := &point{}
		at.u, at.b, at.v = gcg.SVD(u, v, negligible)
		f := &function{p: view.Of(p), lambda: lambda, s: s}
		value := f.value(at)
		g := f.gradient()
		x, y := at.random(rng), at.random(rng)
		if again := at.horizontal(combined(1, x, 0, x)); math.Abs(at.dot(again, again)-at.dot(x, x)) > 1e-9*at.dot(x, x) {
			t.Errorf("%s: a horizontal vector is changed", name)
		}
		hx, hy := f.hessian(x), f.hessian(y)
		if a, b := at.dot(hx, y), at.dot(x, hy); math.Abs(a-b) > 1e-8*(math.Abs(a)+math.Abs(b)) {
			t.Errorf("%s: ⟨Hx, y⟩ = %v, ⟨x, Hy⟩ = %v", name, a, b)
		}
		slope := at.dot(g, x)
		const step = 1e-5
		along := func(h float64) float64 {
			to, ok := at.retract(combined(h, x, 0, x))
			if !ok {
				t.Fatal("no point there")
			}
			return f.value(to)
		}
		if got := (along(step) - along(-step)) / (2 * step); math.Abs(got-slope) > 1e-5*(math.Abs(slope)+math.Abs(value)) {
			t.Errorf("%s: the slope is %v, the gradient says %v", name, got, slope)
		}
		// at a retraction of first order only the curvature at a stationary point is that of the Hessian; there the terms of the
		// gradient vanish
		(&Method{}).descend(t.Context(), f, at, 60, 1e-9)
		at = f.at
		value = f.value(at)
		f.gradient()
		x = at.random(rng)
		curvature := at.dot(f.hessian(x), x)
		const wide = 1e-3
		if got := (along(wide) - 2*value + along(-wide)) / (wide * wide); math.Abs(got-curvature) > 1e-3*math.Abs(curvature) {
			t.Errorf("%s: the curvature is %v, the Hessian says %v", name, got, curvature)
		}
	}
}
