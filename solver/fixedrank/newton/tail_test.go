package newton

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
	"github.com/seed-b18ef778/gcg/solver/view"
)

// The corrected preconditioner is symmetric and positive definite, and along the softest pair, where the diagonal stays far below the
// inverse of the Hessian, it is larger than the diagonal and not above that inverse by much.
func TestTailPreconditioner(t *testing.T) {
	p, s := fixedrank.sweepProblem(t, 1)
	for range 3 { // each ends early, as Newton steps would follow
		(&fixedrank.Local{}).sweepWhileGood(context.Background(), view.Of(p), s, 0)
	}
	n := New(view.Of(p), s)
	n.Linearise()
	rng := rand.New(rand.NewPCG(3, 1))
	n.Near = randomLike(rng, gcg.NewFactor(n.right.Rows, 4))
	near := n.turned(n.Near.Clone())
	for range 19 {
		near = n.turned(near.y.Clone())
	}
	n.Near = near.y.Clone()
	c := n.Model.Curvature()
	q := newQuadratic(n, c)
	with, ok := q.pre.(*lowRankCorrection[float64])
	if !ok || with.x.K != near.x.K {
		t.Fatalf("the preconditioner is a %T", q.pre)
	}
	random := func() tangent[float64] {
		r := q.grad.clone()
		randomLike(rng, r.a)
		randomLike(rng, r.b)
		r.m.Scale(0)
		r.a.Project(q.p)
		r.b.Project(q.q)
		return r
	}
	r1, r2 := random(), random()
	z1, z2 := r1.clone(), r2.clone()
	with.sidesTo(z1, r1)
	with.sidesTo(z2, r2)
	if a, b := z1.dot(r2), z2.dot(r1); math.Abs(a-b) > 1e-10*math.Sqrt(z1.dot(r1)*z2.dot(r2)) || !(z1.dot(r1) > 0) {
		t.Errorf("not symmetric and positive: %v and %v, %v", a, b, z1.dot(r1))
	}
	soft := q.grad.zero()
	last := n.K() - 1
	for i := range soft.a.Rows {
		soft.a.Row(i)[last] = near.x.Row(i)[0] / math.Sqrt2
	}
	for i := range soft.b.Rows {
		soft.b.Row(i)[last] = near.y.Row(i)[0] / math.Sqrt2
	}
	h, z, plain := soft.zero(), soft.zero(), soft.zero()
	q.hessian(h, soft)
	with.sidesTo(z, soft)
	with.Jacobi.sidesTo(plain, soft)
	inverse := 1 / soft.dot(h)
	if with, without := z.dot(soft), plain.dot(soft); !(with > without && math.Abs(math.Log(with/inverse)) < math.Abs(math.Log(without/inverse))) {
		t.Errorf("along the softest pair (%.3g of %.3g) %.3g, the diagonal %.3g, the inverse of the Hessian %.3g", near.values[0], n.lambda, with, without, inverse)
	}
}

func randomLike(rng *rand.Rand, f *gcg.Factor) *gcg.Factor {
	for i := range f.Rows {
		for c := range f.K {
			f.Row(i)[c] = rng.NormFloat64()
		}
	}
	return f
}

// Where W has all directions there are no pairs outside, and losing none changes nothing.
func TestNothingOutside(t *testing.T) {
	p, s := fixedrank.sweepProblem(t, 1)
	n := New(view.Of(p), s)
	n.Linearise()
	if p := n.turned(gcg.NewFactor(n.right.Rows, 2)); p.x.K != 0 || len(p.values) != 0 || p.y.K != 0 {
		t.Errorf("%d and %d vectors with values %v", p.x.K, p.y.K, p.values)
	}
	if n.lose(gcg.NewFactor(n.right.Rows, 0)); n.Near != nil {
		t.Errorf("%d vectors are remembered", n.Near.K)
	}
}
