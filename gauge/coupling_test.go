package gauge

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
)

// With pairs cut out the bound holds for the norm of what is left, is sharper than one without, and is not below ‖G‖.
func TestCouplingBoundsTheNorm(t *testing.T) {
	const n, k = 300, 5
	rng := rand.New(rand.NewPCG(2, 7))
	s := hiding(n)["linear+10%"]
	w := &gcg.Iterate{M: n, N: n}
	for c := range k { // spaces that nearly hold unit vectors in the bulk, and a little of the top
		u, v := make([]float64, n), make([]float64, n)
		for i := range n {
			u[i], v[i] = 1e-3*rng.NormFloat64(), 1e-3*rng.NormFloat64()
		}
		u[20+c], v[20+c] = 1, 1
		w.Add([]gcg.Atom{gcg.RankOne(u, v)}, []float64{1})
	}
	g := newStructure(diagonalMap(s), gcg.Ask{W: w})
	b := startKrylov(g.complement(), 3)
	if err := b.extend(context.Background(), 12); err != nil {
		t.Fatal(err)
	}
	const pairs = 4
	r := b.ritz()
	x, y, theta := r.pairs(pairs)
	a := r.remainders(pairs)
	image := gcg.NewFactor(n, pairs) // A = DᵀX - YΘ, anew
	gcg.TMulBlock(g.g, image, x)
	image.Project(g.q)
	for c, th := range theta {
		y.ScaleColumn(c, th)
	}
	image.AddScaled(-1, y)
	for c, th := range theta {
		y.ScaleColumn(c, 1/th)
	}
	image.AddScaled(-1, a)
	if d := image.SpectralNorm(); d > 1e-9 {
		t.Errorf("what is left of the pairs is off by %g", d)
	}
	rest := startKrylov(b.d.without(x, y), 4)
	if err := rest.extend(context.Background(), 60); err != nil {
		t.Fatal(err)
	}
	tau := rest.above(rest.ritz(), 1e-9)
	top := s[0]
	bound := g.coupling(x, y, theta, a).bound(tau, top, top*(1+1e-9))
	if bound < top*(1-1e-12) || bound > top*(1+1e-2) {
		t.Errorf("bound %.9g of ‖G‖ = %.9g, with %.6g left of the rest", bound, top, tau)
	}
	if g.coupling(x, y, theta, a).holds(top*(1-1e-6), math.Min(tau, 0.99*top)) {
		t.Error("a norm below ‖G‖ is proven")
	}
}
