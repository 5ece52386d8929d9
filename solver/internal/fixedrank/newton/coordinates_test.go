package newton_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/newton"
	"gonum.org/v1/gonum/mat"
)

// swept is a completion at W of rank 4 after a few sweeps, which are all that Improve does at a tolerance above the gap.
func swept(t *testing.T) (*gcg.Problem, *gcg.State) {
	t.Helper()
	p, s := testproblem.Completion(t, 1)
	s.Cert.Relative = 1
	local := new(fixedrank.Local)
	if err := local.Init(p, gcg.Settings{Tol: 10}); err != nil {
		t.Fatal(err)
	}
	if _, err := local.Improve(context.Background(), p, s, gcg.Moved{}); err != nil {
		t.Fatal(err)
	}
	if s.W.Rank() != 4 {
		t.Fatalf("sweeps come to rank %d", s.W.Rank())
	}
	return p, s
}

// normal fills a factor with independent normal entries.
func normal(rng *rand.Rand, f *gcg.Factor) *gcg.Factor {
	for i := range f.Rows {
		for c := range f.K {
			f.Row(i)[c] = rng.NormFloat64()
		}
	}
	return f
}

// randomIn is a random tangent of the shape of g, as long as the smallest singular value.
func randomIn(rng *rand.Rand, n *newton.Iteration, g newton.Tangent) newton.Tangent {
	x := g.Zero()
	m, a, b := x.Blocks()
	normal(rng, a)
	normal(rng, b)
	for i := range m.K {
		for j := range m.K {
			m.Row(i)[j] = rng.NormFloat64()
		}
	}
	_, sigma, _ := n.Spaces()
	return x.Times(sigma[n.K()-1] / math.Sqrt(x.Dot(x)))
}

// In the factors and in the core the Hessian is symmetric, and F along the curve that retract ends follows gradient and Hessian
// to third order; in the factors the local objective and the excess that is added to its Hessian do, and F is not above it.
func TestCoordinatesFollowF(t *testing.T) {
	for name, chart := range map[string]func(n *newton.Iteration) newton.Chart{"factors": newton.InFactors,
		"core": newton.InCore} {
		t.Run(name, func(t *testing.T) {
			p, s := swept(t)
			n := newton.New(view.Of(p), s)
			rng := rand.New(rand.NewPCG(7, 1))
			n.Linearise()
			q := chart(n)
			g := q.Gradient().Times(1)
			t1, t2 := randomIn(rng, n, g), randomIn(rng, n, g)
			h1, h2 := q.Hessian(t1), q.Hessian(t2)
			if a, b := h1.Dot(t2), h2.Dot(t1); math.Abs(a-b) > 1e-10*math.Sqrt(h1.Dot(h1)*t2.Dot(t2)) {
				t.Errorf("not symmetric: %v and %v", a, b)
			}
			off := func(step float64) float64 {
				old := *n
				defer n.Back(&old)
				x := t1.Times(step)
				q.Retract(x)
				n.Evaluate()
				f := n.F
				if by, ok := q.Added(); ok {
					_, a, b := x.Blocks()
					u, v := old.Factors()
					u.AddScaled(1, a)
					v.AddScaled(1, b)
					if f = n.Loss() + n.Lambda()*(u.Dot(u)+v.Dot(v))/2; n.F > f*(1+1e-12) {
						t.Errorf("F is %v, the local objective %v", n.F, f)
					}
					f += by * x.Dot(x) / 2
				}
				return math.Abs(f - old.F - step*g.Dot(t1) - step*step/2*t1.Dot(h1))
			}
			if large, small := off(0.02), off(0.01); !(large > 6*small && large < 10*small) {
				t.Errorf("a step leaves %v unexplained, half of it %v", large, small)
			}
		})
	}
}

// A step in the factors that leaves hardly anything of a direction drops it, and remembers it.
func TestFactorsDropWhatVanishes(t *testing.T) {
	p, s := swept(t)
	n := newton.New(view.Of(p), s)
	n.Linearise()
	u, v := n.Factors()
	q := newton.InFactors(n)
	step, k := q.Gradient().Zero(), n.K()
	_, a, b := step.Blocks()
	for _, side := range [][2]*gcg.Factor{{a, u}, {b, v}} {
		for i := range side[0].Rows {
			side[0].Row(i)[k-1] = -0.9 * side[1].Row(i)[k-1]
		}
	}
	q.Retract(step)
	if left, _, right := n.Spaces(); n.K() != k-1 || left.K != k-1 || right.K != k-1 || n.ComplementRight.K != 1 {
		t.Errorf("rank %d of %d, %d are remembered", n.K(), k, n.ComplementRight.K)
	}
}

// Far from the solution, where ‖PᵀGQ‖ is above λ, the Hessian in the factors is positive nonetheless along a pair of PᵀGQ in a
// column of a singular value near 0, where it would not be without what is added to λ.
func TestFactorsAreConvex(t *testing.T) {
	p, s := testproblem.Completion(t, 1)
	n := newton.New(view.Of(p), s)
	left, sigma, right := n.Spaces()
	sigma[n.K()-1] *= 1e-6
	n.Evaluate()
	n.Linearise()
	c, k := gcg.Small(n.K(), n.K()), n.K()
	for i := range k {
		for j := range k {
			c.Row(i)[j] = -n.Within().Row(i)[j]
		}
		c.Row(i)[i] += n.Lambda() // C = λI - M
	}
	x, values, y := linalg.ThinSVD(c.Dense(k))
	if !(values[0] > 1.1*n.Lambda()) {
		t.Fatalf("‖PᵀGQ‖ is %v, λ is %v", values[0], n.Lambda())
	}
	q := newton.InFactors(n)
	step := q.Gradient().Zero()
	_, a, b := step.Blocks()
	a.AddMul(left, lastColumn(x, k))
	b.AddMul(right, lastColumn(y, k))
	by, _ := q.Added()
	if with := step.Dot(q.Hessian(step)); !(with > 0) {
		t.Errorf("the curvature is %v", with)
	} else if without := with - by*step.Dot(step); !(without < 0) {
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
