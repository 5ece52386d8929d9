package newton

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
	"github.com/seed-b18ef778/gcg/solver/fixedrank/model"
	"github.com/seed-b18ef778/gcg/solver/fixedrank/newton"
	"github.com/seed-b18ef778/gcg/solver/view"
	"gonum.org/v1/gonum/mat"
)

// In bilinear coordinates and in those of the core the Hessian is symmetric, and F along the curve that retract ends follows gradient and Hessian to third
// order; with bilinear ones the local objective and the excess that they add to its Hessian do, and F is not above it.
func TestCoordinatesFollowF(t *testing.T) {
	for name, chart := range map[string]func(n *newton.Iteration, c model.Curvature[float64]) newton.coordinates[float64]{
		"bilinear": func(n *newton.Iteration, c model.Curvature[float64]) newton.coordinates[float64] {
			return newton.newBilinear(n, c)
		},
		"core": func(n *newton.Iteration, c model.Curvature[float64]) newton.coordinates[float64] {
			return newton.newCore(n, c)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, s := testproblem.Completion(t, 1)
			(&fixedrank.Local{}).sweepWhileGood(context.Background(), view.Of(p), s, 0)
			n := newton.New(view.Of(p), s)
			rng := rand.New(rand.NewPCG(7, 1))
			n.Linearise()
			q := chart(n, n.Model.Curvature())
			g := q.Gradient().clone()
			t1, t2 := randomIn(rng, n, g), randomIn(rng, n, g)
			h1, h2 := t1.zero(), t1.zero()
			q.hessian(h1, t1)
			q.hessian(h2, t2)
			if a, b := h1.dot(t2), h2.dot(t1); math.Abs(a-b) > 1e-10*math.Sqrt(h1.dot(h1)*t2.dot(t2)) {
				t.Errorf("not symmetric: %v and %v", a, b)
			}
			off := func(step float64) float64 {
				old := *n
				defer n.back(&old)
				x := t1.clone()
				x.scale(step)
				q.retract(x)
				n.evaluate()
				f := n.F
				if q.kind() == newton.sideways {
					u, v := old.factors()
					u.AddScaled(1, x.a)
					v.AddScaled(1, x.b)
					if f = n.loss + n.lambda*(u.Dot(u)+v.Dot(v))/2; n.F > f*(1+1e-12) {
						t.Errorf("F is %v, the local objective %v", n.F, f)
					}
				}
				if q, ok := q.(*newton.bilinear[float64]); ok {
					f += (q.slope - n.lambda) * x.dot(x) / 2
				}
				return math.Abs(f - old.F - step*g.dot(t1) - step*step/2*t1.dot(h1))
			}
			if large, small := off(0.02), off(0.01); !(large > 6*small && large < 10*small) {
				t.Errorf("a step leaves %v unexplained, half of it %v", large, small)
			}
		})
	}
}

// randomIn is a random tangent of the kind of g, as long as the smallest singular value.
func randomIn(rng *rand.Rand, n *newton.Iteration, g newton.tangent[float64]) newton.tangent[float64] {
	x := g.clone()
	for _, f := range []*gcg.Factor{x.a, x.b} {
		newton.randomLike(rng, f)
	}
	for i := range x.m.K {
		for j := range x.m.K {
			x.m.Row(i)[j] = rng.NormFloat64()
		}
	}
	x.scale(n.sigma[n.K()-1] / math.Sqrt(x.dot(x)))
	return x
}

// A step in the factors that leaves hardly anything of a direction drops it, and remembers it.
func TestBilinearDropsWhatVanishes(t *testing.T) {
	p, s := testproblem.Completion(t, 1)
	(&fixedrank.Local{}).sweepWhileGood(context.Background(), view.Of(p), s, 0)
	n := newton.New(view.Of(p), s)
	n.Linearise()
	q := newton.newBilinear(n, n.Model.Curvature())
	step, k := q.Gradient().zero(), n.K()
	for _, side := range [][2]*gcg.Factor{{step.a, q.u}, {step.b, q.v}} {
		for i := range side[0].Rows {
			side[0].Row(i)[k-1] = -0.9 * side[1].Row(i)[k-1]
		}
	}
	q.retract(step)
	if n.K() != k-1 || n.left.K != k-1 || n.right.K != k-1 || n.Near.K != 1 {
		t.Errorf("rank %d of %d, %d are remembered", n.K(), k, n.Near.K)
	}
}

// Far from the solution, where ‖PᵀGQ‖ is above λ, the bilinear Hessian is positive nonetheless along a pair of PᵀGQ in a column of a
// singular value near 0, where it would not be without what is added to λ.
func TestBilinearIsConvex(t *testing.T) {
	p, s := testproblem.Completion(t, 1)
	n := newton.New(view.Of(p), s)
	n.sigma[n.K()-1] *= 1e-6
	n.evaluate()
	n.Linearise()
	c := gcg.Small(n.K(), n.K())
	for i := range n.K() {
		for j := range n.K() {
			c.Row(i)[j] = -n.grad.m.Row(i)[j]
		}
	}
	for i := range n.K() {
		c.Row(i)[i] += n.lambda // C = λI - M
	}
	a, values, b := linalg.ThinSVD(c.Dense(n.K()))
	if !(values[0] > 1.1*n.lambda) {
		t.Fatalf("‖PᵀGQ‖ is %v, λ is %v", values[0], n.lambda)
	}
	q := newton.newBilinear(n, n.Model.Curvature())
	step, h, k := q.grad.zero(), q.grad.zero(), n.K()
	step.a.AddMul(n.left, lastColumn(a, k))
	step.b.AddMul(n.right, lastColumn(b, k))
	q.hessian(h, step)
	if with := step.dot(h); !(with > 0) {
		t.Errorf("the curvature is %v", with)
	} else if without := with - (q.slope-n.lambda)*step.dot(step); !(without < 0) {
		t.Errorf("the curvature would be %v without the excess", without)
	}
}

// lastColumn has the first column of a as its last one, and is 0 elsewhere.
func lastColumn(a *mat.Dense, k int) *gcg.Factor {
	f := gcg.Small(k, k)
	for i := range k {
		f.Row(i)[k-1] = a.At(i, 0)
	}
	return f
}
