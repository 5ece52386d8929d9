package newton_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/model"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/newton"
)

// formed is the Hessian of the loss on all entries of W at the present point.
func formed(t *testing.T, p *gcg.Problem, n *newton.Iteration) *model.Matrix {
	t.Helper()
	f := &model.FormPolicy{}
	f.Of(view.Of(p))
	h := n.Model.Formed(f, model.Effort{Rank: n.K(), Now: true})
	if h == nil {
		t.Fatal("not formed")
	}
	return h
}

// The compressed Hessian is that of products with the data, whichever side is longer and where W has full rank; vectors are
// those of tangents.
func TestCompressed(t *testing.T) {
	for _, size := range [][3]int{{300, 12, 7}, {300, 7, 12}, {200, 2, 3}, {200, 1, 4}} {
		for _, intercept := range []bool{false, true} {
			for _, pen := range []gcg.Penalty{gauge.Linear{Lambda: 1}, gauge.Square{Lambda: 5}} { // ‖G‖ is below λ
				p := testproblem.Classification(t, size[0], size[1], size[2], 0, intercept)
				s := testproblem.FirstStep(t, p)
				p.Penalty = pen
				n := newton.New(view.Of(p), s)
				n.Basis = &model.Basis{}
				n.Linearise()
				left, _, right := n.Spaces()
				c := newton.NewCompressed(n, formed(t, p, n))
				q := newton.InTangents(n)
				x := randomIn(rand.New(rand.NewPCG(3, 1)), n, q.Gradient())
				_, a, b := x.Blocks()
				a.Project(left)
				b.Project(right)
				h := q.Hessian(x)
				v, want := c.Vector(x), c.Vector(h)
				off := math.Sqrt(h.Dot(h))
				for i, y := range want {
					if got := kernel.Dot(c.Row(i), v); !(math.Abs(got-y) <= 1e-10*off) {
						t.Fatalf("%v, intercept %v, %T: entry %d of %d of the product is %v, want %v",
							size, intercept, pen, i, len(v), got, y)
					}
				}
				back, all := c.Tangent(v), 0.0
				for i, f := range blocks(back) {
					f.AddScaled(-1, blocks(x)[i])
					all += f.Dot(f)
				}
				if !(all <= 1e-20*x.Dot(x)) {
					t.Errorf("%v: a vector's tangent is %g off", size, math.Sqrt(all))
				}
			}
		}
	}
}

// blocks are M, A and B.
func blocks(t newton.Tangent) [3]*gcg.Factor {
	m, a, b := t.Blocks()
	return [3]*gcg.Factor{m, a, b}
}

// Where singular values of D are above λ, the part of A and B is the absolute value of what it would be.
func TestCompressedAbsolute(t *testing.T) {
	p := testproblem.Classification(t, 300, 9, 7, 0, false)
	n := newton.New(view.Of(p), testproblem.FirstStep(t, p))
	n.Linearise()
	h := formed(t, p, n)
	const above = 10 // far above ‖D‖
	n.SetLambda(above)
	convex := newton.NewCompressed(n, h)
	x, y := convex.Complements()
	gy := gcg.NewFactor(x.Rows, y.K)
	gcg.MulBlock(n.Model.Gradient(), gy, y)
	d := gcg.TMul(x, gy)
	n.SetLambda(0.3 * d.SpectralNorm())
	c := newton.NewCompressed(n, h)
	_, sigma, _ := n.Spaces()
	plain, lifted := outer(d, x.K, y.K, n.Lambda()), outer(d, x.K, y.K, above)
	values, e := plain.SymEigen(true)
	for col, sigma := range sigma {
		at := outerOf(c, n.K(), x.K, y.K, col)
		for i := range at {
			for j := range at {
				var want float64
				for l, v := range values {
					want += e.At(i, l) * math.Abs(v) * e.At(j, l)
				}
				want = (want - lifted.Row(i)[j]) / sigma
				got := c.Entry(at[i], at[j]) - convex.Entry(at[i], at[j])
				if !(math.Abs(got-want) <= 2*newton.DistanceFloor*n.Lambda()/sigma+1e-12*above/sigma) {
					t.Fatalf("column %d: entry %d, %d is %v, want %v", col, i, j, got, want)
				}
			}
		}
	}
}

// outer is λI with -D and -Dᵀ beside it, D being x×y.
func outer(d *gcg.Factor, x, y int, lambda float64) *gcg.Factor {
	f := gcg.Small(x+y, x+y)
	for i := range x + y {
		f.Row(i)[i] = lambda
	}
	for i := range x {
		for j := range y {
			f.Row(i)[x+j], f.Row(x + j)[i] = -d.Row(i)[j], -d.Row(i)[j]
		}
	}
	return f
}

// outerOf is where the entries of a column of A and of B are.
func outerOf(c *newton.Compressed, k, x, y, col int) (at []int) {
	for r := range x {
		at = append(at, c.At(k+r, col))
	}
	for r := range y {
		at = append(at, c.At(col, k+r))
	}
	return at
}
