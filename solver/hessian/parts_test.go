package hessian

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver/support"
	"github.com/seed-b18ef778/gcg/solver/view"
)

// partsProblem is logistic regression of several tasks with a support of every entry, at a random point.
func partsProblem(t *testing.T, n, features, tasks int, intercept bool) (*gcg.Problem, *gcg.State, *support.support, *rand.Rand) {
	rng := rand.New(rand.NewPCG(3, 4))
	x, y, of := make([]float64, n*features), make([]float64, n), make([]int32, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	for i := range y {
		y[i], of[i] = float64(2*rng.IntN(2)-1), int32(i%tasks)
	}
	dense, err := operator.DenseFeatures(n, features, x)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewTasks(dense, of, tasks)
	if err != nil {
		t.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Logistic{Y: y}, Gauge: gauge.Group{}, Penalty: gauge.Linear{Lambda: 1}, Intercept: intercept}
	s, err := gcg.NewState(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	u := (&support.Corrective{}).supportFor(view.Of(p))
	keys := make([]int64, features)
	for i := range keys {
		keys[i] = int64(i + 1)
	}
	u.grow(keys, features, tasks)
	u.extract()
	for i := range u.x {
		u.x[i] = rng.NormFloat64()
	}
	return p, s, u, rng
}

// Tasks are the parts, and their second derivatives are those of all columns together.
func TestParts(t *testing.T) {
	for _, intercept := range []bool{false, true} {
		p, s, u, _ := partsProblem(t, 60, 5, 4, intercept)
		some := NewParts(view.Of(p), s, u.columns)
		if len(some.Members) != 4 {
			t.Errorf("%d parts of 4 tasks", len(some.Members))
		}
		whole := PartsOf(OneGroup(len(u.x)))
		for _, c := range []*Parts{some, whole} {
			c.From(view.Of(p), s, u.columns).Complete(0)
			if intercept {
				c.From(view.Of(p), s, u.columns).Profile()
			}
		}
		grown := NewParts(view.Of(p), s, u.columns)
		if !intercept {
			first := NewParts(view.Of(p), s, u.columns[:8])
			first.From(view.Of(p), s, u.columns[:8]).Complete(0)
			grown.Keep(first, 8)
			grown.From(view.Of(p), s, u.columns).Complete(8)
		}
		for i := range u.x {
			for j := range u.x {
				if math.Abs(some.Entry(i, j)-whole.Entry(i, j)) > 1e-14 {
					t.Errorf("entry %d, %d is %g by parts and %g as a whole", i, j, some.Entry(i, j), whole.Entry(i, j))
				}
				if !intercept && grown.Entry(i, j) != some.Entry(i, j) {
					t.Errorf("entry %d, %d is %g when grown and %g at once", i, j, grown.Entry(i, j), some.Entry(i, j))
				}
			}
		}
	}
}

// The Newton step on groups that reach over tasks solves the system of all entries: of few tasks at once, of many by parts.
func TestCoupledNewtonStep(t *testing.T) {
	for _, tasks := range []int{9, 40} {
		p, s, u, rng := partsProblem(t, 20*tasks, 6, tasks, false)
		m := u.model(view.Of(p), s)
		g := make([]float64, len(u.x))
		for i := range g {
			g[i] = rng.NormFloat64()
		}
		const mu = 0.7
		d := m.solveFree(context.Background(), gauge.Group{}, u.x, g, mu, m.free(u.x))
		if d == nil {
			t.Fatal("no step")
		}
		for b, key := range u.keys {
			lo, w := u.start[b], len(u.block(u.x, b))
			grad, hess := make([]float64, w), make([]float64, w*w)
			gauge.Group{}.BlockSlopeTo(grad, hess, u.block(u.x, b), key, mu)
			for i := range w {
				sum := g[m.hess.Place[lo+i]] + mu*grad[i]
				for j := range u.x {
					sum += m.hess.Entry(lo+i, j) * d[j]
				}
				for j := range w {
					sum += hess[i*w+j] * d[lo+j]
				}
				if math.Abs(sum) > 1e-8 {
					t.Errorf("%d tasks, block %d, entry %d: the equation is off by %g", tasks, b, i, sum)
				}
			}
		}
	}
}
