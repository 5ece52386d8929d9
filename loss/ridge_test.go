package loss_test

import (
	"testing"

	"github.com/seed-b18ef778/gcg/loss"
)

// A ridge is a squared loss of zeros, of weight μ, and takes no intercept.
func TestRidge(t *testing.T) {
	rng := testRand(8)
	l := &loss.Ridge{N: 30, Mu: 0.7, Group: 3}
	testLoss(t, l, 1)
	omega := make([]float64, 30)
	for i := range omega {
		omega[i] = 0.7
	}
	twin := &loss.Squared{Y: make([]float64, 30), Omega: omega}
	z, r, q := normals(rng, 30, 2), make([]float64, 30), make([]float64, 30)
	near(t, "value", l.Eval(0, z, r), twin.Eval(0, z, q), 1e-14)
	for i := range r {
		near(t, "residual", r[i], q[i], 1e-14)
	}
	near(t, "conjugate", l.Conjugate(0, r, 0.4), twin.Conjugate(0, r, 0.4), 1e-14)
	if s := loss.Stack(&loss.Logistic{Y: signs(rng, 6)}, l).Segments(); len(s) != 2 || s[0].Fixed || !s[1].Fixed {
		t.Errorf("segments %v", s)
	}
	for _, mu := range []float64{0, -1} {
		if (&loss.Ridge{N: 1, Mu: mu}).Check() == nil {
			t.Errorf("μ = %v is not refused", mu)
		}
	}
}
