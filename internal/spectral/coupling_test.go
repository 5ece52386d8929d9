package spectral

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"gonum.org/v1/gonum/mat"
)

// inTheBulk has spaces that nearly hold unit vectors in the bulk, and a little of the top.
func inTheBulk(rng *rand.Rand, n, k int) *gcg.Iterate {
	w := &gcg.Iterate{M: n, N: n}
	for c := range k {
		u, v := make([]float64, n), make([]float64, n)
		for i := range n {
			u[i], v[i] = 1e-3*rng.NormFloat64(), 1e-3*rng.NormFloat64()
		}
		u[20+c], v[20+c] = 1, 1
		w.Add([]gcg.Atom{gcg.RankOne(u, v)}, []float64{1})
	}
	return w
}

// With pairs cut out the bound holds for the norm of what is left, is sharper than one without, and is not below ‖G‖.
func TestCouplingBoundsTheNorm(t *testing.T) {
	const n, k = 300, 5
	rng := rand.New(rand.NewPCG(2, 7))
	s := hiding(n)["linear+10%"]
	g := NewStructure(diagonalMap(s), gcg.Ask{W: inTheBulk(rng, n, k)})
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
	remaining := startKrylov(b.d.without(x, y), 4)
	if err := remaining.extend(context.Background(), 60); err != nil {
		t.Fatal(err)
	}
	tau := remaining.above(remaining.ritz(), 1e-9)
	top := s[0]
	bound := g.coupling(x, y, theta, a).bound(tau, top, top*(1+1e-9))
	if bound < top*(1-1e-12) || bound > top*(1+1e-2) {
		t.Errorf("bound %.9g of ‖G‖ = %.9g, with %.6g left of the rest", bound, top, tau)
	}
	if g.coupling(x, y, theta, a).holds(top*(1-1e-6), math.Min(tau, 0.99*top)) {
		t.Error("a norm below ‖G‖ is proven")
	}
}

// However poor the pairs are that are cut out, what couples them to the rest counts: no norm below ‖G‖ holds, though the norm of
// the rest is exact.
func TestCouplingOfPoorPairs(t *testing.T) {
	const n = 100
	rng := rand.New(rand.NewPCG(4, 7))
	s := hiding(n)["linear+10%"]
	top, coupled := s[0], 0
	for _, w := range []*gcg.Iterate{nil, inTheBulk(rng, n, 3)} {
		for _, steps := range []int{2, 3, 4, 6, 9} {
			g := NewStructure(diagonalMap(s), gcg.Ask{W: w})
			b := startKrylov(g.complement(), 3)
			if err := b.extend(context.Background(), steps); err != nil {
				t.Fatal(err)
			}
			for _, pairs := range []int{1, 4, 8} {
				x, y, theta := b.ritz().pairs(pairs)
				a := b.ritz().remainders(pairs)
				remaining := gcg.NewFactor(n, n)
				for i := range n {
					remaining.Row(i)[i] = 1
				}
				d := b.d.without(x, y)
				d.right(remaining)
				tau := d.mul(remaining).SpectralNorm()
				c := g.coupling(x, y, theta, a)
				if bound := c.bound(tau, 0.9*top, 0.9*top); bound < top*(1-1e-12) {
					t.Errorf("%d steps, %d pairs: bound %.9g of ‖G‖ = %.9g, with %.6g left of the rest", steps, pairs, bound, top, tau)
				}
				if theta[0] < 0.999*top && tau < 0.999*top {
					coupled++
				}
			}
		}
	}
	if coupled == 0 {
		t.Error("no pairs are poor: nothing is tested")
	}
}

// A bound that is wanted without any tolerance is found all the same.
func TestCouplingWithoutTolerance(t *testing.T) {
	c := coupling{core: mat.NewDense(2, 2, []float64{1, 0, 0, 0.5}), ff: gcg.NewFactor(2, 2)}
	if bound := c.bound(0.3, 1, 1); !(bound >= 1 && bound <= 1+1e-11) {
		t.Errorf("bound %.17g of the norm 1", bound)
	}
}

// What rounding could hide is above the largest value of a proof.
func TestCouplingLeavesRoomForRounding(t *testing.T) {
	const n = 60
	s := make([]float64, n)
	var trace float64
	for i := range s {
		s[i] = 1 - 1e-13*float64(i)
		trace += s[i] * s[i]
	}
	c := coupling{core: mat.NewDense(n, n, nil), ff: gcg.NewFactor(n, n)}
	for i, x := range s {
		c.core.Set(i, i, x)
	}
	if room := (2*n + 2) * linalg.Epsilon * trace; c.holds(1+room, 0) || !c.holds(1+1e-10, 0) {
		t.Errorf("‖G‖ = 1 holds for %.3g more, or not for 1e-10", room)
	}
}
