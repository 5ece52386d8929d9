package solver

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/solver/view"
	"gonum.org/v1/gonum/mat"
)

// In bilinear coordinates and in those of the core the Hessian is symmetric, and F along the curve that retract ends follows gradient and Hessian to third
// order; with bilinear ones the local objective and the excess that they add to its Hessian do, and F is not above it.
func TestCoordinatesFollowF(t *testing.T) {
	for name, chart := range map[string]func(n *newton, c curvature[float64]) coordinates[float64]{
		"bilinear": func(n *newton, c curvature[float64]) coordinates[float64] { return newBilinear(n, c) },
		"core":     func(n *newton, c curvature[float64]) coordinates[float64] { return newCore(n, c) },
	} {
		t.Run(name, func(t *testing.T) {
			p, s := sweepProblem(t, 1)
			(&Local{}).sweepWhileGood(context.Background(), view.Of(p), s, 0)
			n := newNewton(view.Of(p), s)
			rng := rand.New(rand.NewPCG(7, 1))
			n.linearise()
			q := chart(n, n.model.curvature())
			g := q.gradient().clone()
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
				f := n.f
				if q.kind() == sideways {
					u, v := old.factors()
					u.AddScaled(1, x.a)
					v.AddScaled(1, x.b)
					if f = n.loss + n.slope*(u.Dot(u)+v.Dot(v))/2; n.f > f*(1+1e-12) {
						t.Errorf("F is %v, the local objective %v", n.f, f)
					}
				}
				if q, ok := q.(*bilinear[float64]); ok {
					f += (q.slope - n.slope) * x.dot(x) / 2
				}
				return math.Abs(f - old.f - step*g.dot(t1) - step*step/2*t1.dot(h1))
			}
			if large, small := off(0.02), off(0.01); !(large > 6*small && large < 10*small) {
				t.Errorf("a step leaves %v unexplained, half of it %v", large, small)
			}
		})
	}
}

// randomIn is a random tangent of the kind of g, as long as the smallest singular value.
func randomIn(rng *rand.Rand, n *newton, g tangent[float64]) tangent[float64] {
	x := g.clone()
	for _, f := range []*gcg.Factor{x.a, x.b} {
		randomLike(rng, f)
	}
	for i := range x.m.K {
		for j := range x.m.K {
			x.m.Row(i)[j] = rng.NormFloat64()
		}
	}
	x.scale(n.sigma[n.k()-1] / math.Sqrt(x.dot(x)))
	return x
}

// A step in the factors that leaves hardly anything of a direction drops it, and remembers it.
func TestBilinearDropsWhatVanishes(t *testing.T) {
	p, s := sweepProblem(t, 1)
	(&Local{}).sweepWhileGood(context.Background(), view.Of(p), s, 0)
	n := newNewton(view.Of(p), s)
	n.linearise()
	q := newBilinear(n, n.model.curvature())
	step, k := q.gradient().zero(), n.k()
	for _, side := range [][2]*gcg.Factor{{step.a, q.u}, {step.b, q.v}} {
		for i := range side[0].Rows {
			side[0].Row(i)[k-1] = -0.9 * side[1].Row(i)[k-1]
		}
	}
	q.retract(step)
	if n.k() != k-1 || n.left.K != k-1 || n.right.K != k-1 || n.near.K != 1 {
		t.Errorf("rank %d of %d, %d are remembered", n.k(), k, n.near.K)
	}
}

// Far from the solution, where ‖PᵀGQ‖ is above λ, the bilinear Hessian is positive nonetheless along a pair of PᵀGQ in a column of a
// singular value near 0, where it would not be without what is added to λ.
func TestBilinearIsConvex(t *testing.T) {
	p, s := sweepProblem(t, 1)
	n := newNewton(view.Of(p), s)
	n.sigma[n.k()-1] *= 1e-6
	n.evaluate()
	n.linearise()
	c := gcg.Small(n.k(), n.k())
	for i := range n.k() {
		for j := range n.k() {
			c.Row(i)[j] = -n.grad.m.Row(i)[j]
		}
	}
	for i := range n.k() {
		c.Row(i)[i] += n.slope // C = λI - M
	}
	a, values, b := linalg.ThinSVD(c.Dense(n.k()))
	if !(values[0] > 1.1*n.slope) {
		t.Fatalf("‖PᵀGQ‖ is %v, λ is %v", values[0], n.slope)
	}
	q := newBilinear(n, n.model.curvature())
	step, h, k := q.grad.zero(), q.grad.zero(), n.k()
	step.a.AddMul(n.left, lastColumn(a, k))
	step.b.AddMul(n.right, lastColumn(b, k))
	q.hessian(h, step)
	if with := step.dot(h); !(with > 0) {
		t.Errorf("the curvature is %v", with)
	} else if without := with - (q.slope-n.slope)*step.dot(step); !(without < 0) {
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
