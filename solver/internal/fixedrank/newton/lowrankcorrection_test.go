package newton_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/newton"
)

// The corrected preconditioner is symmetric and positive definite, and along the softest pair, where the diagonal stays far
// below the inverse of the Hessian, it is larger than the diagonal and not above that inverse by much.
func TestLowRankCorrection(t *testing.T) {
	p, s := swept(t)
	n := newton.New(view.Of(p), s)
	n.Linearise()
	left, _, right := n.Spaces()
	rng := rand.New(rand.NewPCG(3, 1))
	x, values, y := n.Pairs(normal(rng, gcg.NewFactor(right.Rows, 4)))
	for range 19 {
		x, values, y = n.Pairs(y.Clone())
	}
	n.ComplementRight = y.Clone()
	q := newton.InTangents(n)
	if q.Corrections() != x.K {
		t.Fatalf("%d pairs correct the preconditioner", q.Corrections())
	}
	blank := func() newton.Tangent {
		return newton.NewTangent(gcg.Small(n.K(), n.K()), gcg.NewFactor(left.Rows, n.K()), gcg.NewFactor(right.Rows, n.K()))
	}
	random := func() newton.Tangent {
		r := blank()
		_, a, b := r.Blocks()
		normal(rng, a).Project(left)
		normal(rng, b).Project(right)
		return r
	}
	r1, r2 := random(), random()
	z1, z2 := q.Corrected(r1), q.Corrected(r2)
	if a, b := z1.Dot(r2), z2.Dot(r1); math.Abs(a-b) > 1e-10*math.Sqrt(z1.Dot(r1)*z2.Dot(r2)) || !(z1.Dot(r1) > 0) {
		t.Errorf("not symmetric and positive: %v and %v, %v", a, b, z1.Dot(r1))
	}
	soft, last := blank(), n.K()-1
	_, a, b := soft.Blocks()
	for i := range a.Rows {
		a.Row(i)[last] = x.Row(i)[0] / math.Sqrt2
	}
	for i := range b.Rows {
		b.Row(i)[last] = y.Row(i)[0] / math.Sqrt2
	}
	inverse := 1 / soft.Dot(q.Hessian(soft))
	with, without := q.Corrected(soft).Dot(soft), q.Diagonal(soft).Dot(soft)
	if !(with > without && math.Abs(math.Log(with/inverse)) < math.Abs(math.Log(without/inverse))) {
		t.Errorf("along the softest pair (%.3g of %.3g) %.3g, the diagonal %.3g, the inverse of the Hessian %.3g",
			values[0], n.Lambda(), with, without, inverse)
	}
}

// Vectors of a Krylov space from random ones are near the leading pairs, to which they come in the end.
func TestLeadingRight(t *testing.T) {
	p, s := swept(t)
	n := newton.New(view.Of(p), s)
	n.Linearise()
	left, _, right := n.Spaces()
	y := normal(rand.New(rand.NewPCG(3, 1)), gcg.NewFactor(right.Rows, 4))
	g := gcg.NewFactor(left.Rows, right.Rows)
	gcg.MulBlock(n.Model.Gradient(), g, gcg.Identity(right.Rows))
	g.Project(left)
	d := gcg.NewFactor(right.Rows, left.Rows) // Dᵀ
	for i := range left.Rows {
		for j := range right.Rows {
			d.Row(j)[i] = g.Row(i)[j]
		}
	}
	d.Project(right)
	for step, least := range []float64{0.5, 0.95, 0.99, 0.9999} {
		y = n.LeadingRight(y)
		if _, values, _ := n.Pairs(y.Clone()); values[0] < least*d.SpectralNorm() || values[0] > (1+1e-9)*d.SpectralNorm() {
			t.Errorf("step %d: the largest value is %v, not %v", step, values[0], d.SpectralNorm())
		}
	}
}

// Where W has all directions there are no pairs outside, and losing none changes nothing.
func TestNothingOutside(t *testing.T) {
	p, s := testproblem.Completion(t, 1)
	n := newton.New(view.Of(p), s)
	n.Linearise()
	_, _, right := n.Spaces()
	if x, values, y := n.Pairs(gcg.NewFactor(right.Rows, 2)); x.K != 0 || len(values) != 0 || y.K != 0 {
		t.Errorf("%d and %d vectors with values %v", x.K, y.K, values)
	}
	if y := n.LeadingRight(gcg.NewFactor(right.Rows, 2)); y.K != 0 {
		t.Errorf("%d leading vectors", y.K)
	}
	if n.Dropped(gcg.NewFactor(right.Rows, 0)); n.ComplementRight != nil {
		t.Errorf("%d vectors are remembered", n.ComplementRight.K)
	}
}
