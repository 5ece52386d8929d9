package loss_test

import (
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/loss"
)

// proximable is a loss with a proximity operator and a conjugate.
type proximable interface {
	gcg.ConjugateLoss
	ProxTo(z, v []float64, lo int, rho float64)
	ClipTo(r []float64, lo int)
}

// withProx are the losses that have a proximity operator, on n observations.
func withProx(n int) map[string]proximable {
	rng := testRand(5)
	y, signs, omega := normals(rng, n, 1), make([]float64, n), make([]float64, n)
	for i := range y {
		signs[i], omega[i] = math.Copysign(1, y[i]), float64(1+i%3)/2
	}
	some := append([]float64(nil), omega...)
	for i := 0; i < n; i += 4 {
		some[i] = 0
	}
	return map[string]proximable{
		"squared":         &loss.Squared{Y: y, Omega: omega},
		"huber":           &loss.Huber{Y: y, Mu: 0.3, Omega: omega},
		"deviation":       &loss.Deviation{Y: y, Lambda: 0.4},
		"squared, ℓ1":     &loss.WithL1{Loss: &loss.Squared{Y: y, Omega: some}, Lambda: 0.3, Constant: 2},
		"huber, ℓ1":       &loss.WithL1{Loss: &loss.Huber{Y: y, Mu: 0.3, Omega: omega}, Lambda: 0.2},
		"logistic, ℓ1":    &loss.WithL1{Loss: &loss.Logistic{Y: signs, Omega: some}, Lambda: 0.1},
		"hinge, ℓ1":       &loss.WithL1{Loss: &loss.SmoothedHinge{Y: signs, Mu: 0.5, Omega: omega}, Lambda: 0.1},
		"square hinge, 0": &loss.WithL1{Loss: &loss.SquaredHinge{Y: signs, Omega: omega}},
	}
}

// No point near that of the proximity operator is better, and v - z over the step is a subgradient: ℓ(z) + ℓ*(p) = pz.
func TestProx(t *testing.T) {
	const n = 24
	for name, l := range withProx(n) {
		v := normals(testRand(6), n, 2)
		for _, rho := range []float64{0.1, 1, 20} {
			z, p := make([]float64, n), make([]float64, n)
			l.ProxTo(z, v, 0, rho)
			var inner float64
			for i := range z {
				p[i] = rho * (z[i] - v[i]) // -1 times the subgradient
				inner -= p[i] * z[i]
			}
			l.ClipTo(p, 0) // of rounding
			for i, x := range p {
				if math.Abs(x-rho*(z[i]-v[i])) > 1e-8*math.Max(1, rho) {
					t.Errorf("%s, ρ = %v: entry %d of the subgradient is %v, and %v within the domain", name, rho, i, rho*(z[i]-v[i]), x)
				}
			}
			value, conj := l.Eval(0, z, nil), l.Conjugate(0, p, 1)
			if gap := value + conj - inner; math.Abs(gap) > 1e-8*math.Max(1, rho)*float64(n) {
				t.Errorf("%s, ρ = %v: ℓ(z) + ℓ*(p) - pz = %v", name, rho, gap)
			}
			half := make([]float64, n/2)
			l.ProxTo(half, v[n/2:], n/2, rho)
			for i, x := range half {
				if math.Abs(x-z[n/2+i]) > 1e-12*(1+math.Abs(x)) {
					t.Errorf("%s: %v in a block, %v in the whole", name, x, z[n/2+i])
				}
			}
		}
	}
}

// ℓ(z) + ℓ*(p) ≥ pz at any two points, with equality at the subgradient that Eval writes; clipped points are in the domain.
func TestFenchelOfCorners(t *testing.T) {
	const n = 24
	for name, l := range withProx(n) {
		if c, ok := l.(interface{ Check() error }); ok {
			if err := c.Check(); err != nil {
				t.Fatal(err)
			}
		}
		z, r := normals(testRand(8), n, 2), make([]float64, n)
		z[3], z[5] = 0, 0
		value := l.Eval(0, z, r)
		var inner float64
		for i := range z {
			inner -= r[i] * z[i]
		}
		if gap := value + l.Conjugate(0, r, 1) - inner; math.Abs(gap) > 1e-10 {
			t.Errorf("%s: ℓ(z) + ℓ*(p) - pz = %v at the subgradient", name, gap)
		}
		other := normals(testRand(9), n, 1)
		l.ClipTo(other, 0)
		inner = 0
		for i := range z {
			inner -= other[i] * z[i]
		}
		conj := l.Conjugate(0, other, 1)
		if math.IsInf(conj, 1) || value+conj < inner-1e-10 {
			t.Errorf("%s: ℓ*(p) = %v at a clipped point, and pz - ℓ(z) = %v", name, conj, inner-value)
		}
	}
}

// Sizes and weights that make no loss are refused.
func TestRefusedCorners(t *testing.T) {
	for _, l := range []interface{ Check() error }{&loss.Deviation{Y: []float64{1}}, &loss.Deviation{Lambda: 1}, &loss.WithL1{},
		&loss.WithL1{Loss: &loss.Squared{Y: []float64{1}}, Lambda: -1}, &loss.WithL1{Loss: &loss.Squared{Y: []float64{math.NaN()}}}} {
		if l.Check() == nil {
			t.Errorf("%+v is taken", l)
		}
	}
}
