package solver

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// The compressed Hessian is that of products with the data, whichever side is longer and where W has full rank; vectors are those of tangents.
func TestCompressed(t *testing.T) {
	for _, size := range [][3]int{{300, 12, 7}, {300, 7, 12}, {200, 2, 3}, {200, 1, 4}} {
		for _, intercept := range []bool{false, true} {
			for _, pen := range []gcg.Penalty{gauge.Linear{Lambda: 1}, gauge.Square{Lambda: 5}} { // ‖G‖ is below λ
				p, s := shrinkProblem(t, size[0], size[1], size[2], 0, intercept)
				p.Penalty = pen
				n := newNewton(p, s)
				n.basis = &basis{}
				n.linearise()
				f := &formation{p: p, columns: wholeColumns(p), gram: features(p)}
				c := newCompressed(n, newWholeHessian(n.model.(*genericModel).here.s, f))
				q := newQuadratic(n, n.model.curvature())
				rng := rand.New(rand.NewPCG(3, 1))
				x := randomIn(rng, n, q.gradient())
				x.a.Project(q.p)
				x.b.Project(q.q)
				h := x.zero()
				q.hessian(h, x)
				v, want := c.vector(x), c.vector(h)
				off, d := math.Sqrt(h.dot(h)), len(v)
				for i, y := range want {
					if got := kernel.Dot(c.h[i*d:(i+1)*d], v); !(math.Abs(got-y) <= 1e-10*off) {
						t.Fatalf("%v, intercept %v, %T: entry %d of %d of the product is %v, want %v", size, intercept, pen, i, d, got, y)
					}
				}
				back := c.tangent(v)
				back.addScaled(-1, x)
				if r := back.dot(back); !(r <= 1e-20*x.dot(x)) {
					t.Errorf("%v: a vector's tangent is %g off", size, math.Sqrt(r))
				}
			}
		}
	}
}

// Where features are alike and λ is tiny, second derivatives are formed once products cost as much, and the certificate closes without many
// more of these, under every penalty.
func TestWholeSteps(t *testing.T) {
	for _, intercept := range []bool{false, true} {
		for _, pen := range []gcg.Penalty{gauge.Linear{Lambda: 1e-6}, gauge.Square{Lambda: 1e-7}, gauge.Ball{Zeta: 20}} {
			p, _ := shrinkProblem(t, 400, 12, 5, 2, intercept) // features grow to two thousand times the first
			p.Penalty = pen
			l := &Local{}
			r, err := Run(context.Background(), p, &GCG{}, Options{Tol: 1e-8, Improver: l, MaxIter: 30})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != Converged {
				t.Errorf("intercept %v, %T: %s at a gap of %g after %d iterations", intercept, pen, r.Status, r.State.Cert.Relative, r.Iter)
			}
			if l.formation.columns == nil {
				t.Errorf("intercept %v, %T: second derivatives were not formed", intercept, pen)
			}
			if most := 2*int(l.formation.price/l.formation.product(1)) + 100; r.State.Count.Products > most {
				t.Errorf("intercept %v, %T: %d products, more than %d", intercept, pen, r.State.Count.Products, most)
			}
		}
	}
}
