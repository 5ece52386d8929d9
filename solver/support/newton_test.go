package support

import (
	"context"
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// The Newton step on groups that reach over tasks solves the system of all entries: of few tasks at once, of many by parts.
func TestCoupledNewtonStep(t *testing.T) {
	for _, tasks := range []int{9, 40} {
		p, s, u, rng := tasksAtRandom(t, 20*tasks, 6, tasks, false)
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
