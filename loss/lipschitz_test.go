package loss_test

import (
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg/loss"
)

// The unsmoothed values are the textbook's, and u a subgradient of them.
func TestUnsmoothed(t *testing.T) {
	rng := testRand(13)
	const n = 60
	y, s := normals(rng, n, 1), signs(rng, n)
	s[0] = 1
	for _, c := range []struct {
		l     loss.Lipschitz
		value func(i int, z float64) float64
	}{
		{&loss.Absolute{Y: y}, func(i int, z float64) float64 { return math.Abs(z - y[i]) }},
		{&loss.Hinge{Y: s}, func(i int, z float64) float64 { return math.Max(0, 1-s[i]*z) }},
		{&loss.Quantile{Y: y, Tau: 0.8}, func(i int, z float64) float64 { return math.Max(0.8*(y[i]-z), 0.2*(z-y[i])) }},
	} {
		sharp := (&loss.Smoothed{Loss: c.l, Mu: 0.1}).Unsmoothed()
		z, r := normals(rng, n, 2), make([]float64, n)
		z[0] = 1 // a kink of the hinge
		got, want := sharp.Eval(0, z, r), 0.0
		for i := range z {
			want += c.value(i, z[i])
			for range 10 {
				x := z[i] + rng.NormFloat64()
				if c.value(i, x) < c.value(i, z[i])-r[i]*(x-z[i])-1e-14 {
					t.Errorf("%T: %v is no subgradient at %v, target %v", c.l, -r[i], z[i], y[i])
				}
			}
		}
		near(t, "value", got, want, 1e-14)
	}
}

// At its kink a loss has its value and a subgradient, with or without smoothing.
func TestKinks(t *testing.T) {
	y, s := []float64{0, -3, 2}, []float64{1, -1, 1}
	for _, l := range []*loss.Smoothed{
		{Loss: &loss.Absolute{Y: y}}, {Loss: &loss.Hinge{Y: s}}, {Loss: &loss.Quantile{Y: y, Tau: 0.8}},
		{Loss: &loss.Absolute{Y: y}, Mu: 0.1}, {Loss: &loss.Hinge{Y: s}, Mu: 0.1}, {Loss: &loss.Quantile{Y: y, Tau: 0.8}, Mu: 0.1},
	} {
		z, r := y, make([]float64, 3)
		if _, ok := l.Loss.(*loss.Hinge); ok {
			z = s
		}
		if got := l.Eval(0, z, r); got != 0 {
			t.Errorf("%T: value %v at the kink", l.Loss, got)
		}
		// r is in the domain of the conjugate, and L + L* = ⟨-r, z⟩ makes it a subgradient.
		near(t, "conjugate", l.Conjugate(0, r, 1), -dot(r, z), 1e-15)
	}
}
