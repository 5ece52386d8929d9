package newton

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
	"github.com/seed-b18ef778/gcg/solver/fixedrank/model"
	"github.com/seed-b18ef778/gcg/solver/gcg"
	"github.com/seed-b18ef778/gcg/solver/view"
)

// The compressed Hessian is that of products with the data, whichever side is longer and where W has full rank; vectors are those of tangents.
func TestCompressed(t *testing.T) {
	for _, size := range [][3]int{{300, 12, 7}, {300, 7, 12}, {200, 2, 3}, {200, 1, 4}} {
		for _, intercept := range []bool{false, true} {
			for _, pen := range []gcg.Penalty{gauge.Linear{Lambda: 1}, gauge.Square{Lambda: 5}} { // ‖G‖ is below λ
				p, s := fixedrank.shrinkProblem(t, size[0], size[1], size[2], 0, intercept)
				p.Penalty = pen
				n := New(view.Of(p), s)
				n.Basis = &model.Basis{}
				n.Linearise()
				f := &model.FormPolicy{p: view.Of(p), columns: model.wholeColumns(view.Of(p)), gram: model.features(view.Of(p))}
				c := newCompressed(n, model.newMatrix(view.Of(p), n.Model.(*model.genericModel).here.s, f))
				q := newQuadratic(n, n.Model.Curvature())
				rng := rand.New(rand.NewPCG(3, 1))
				x := solver.randomIn(rng, n, q.Gradient())
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
			p, _ := fixedrank.shrinkProblem(t, 400, 12, 5, 2, intercept) // features grow to two thousand times the first
			p.Penalty = pen
			l := &fixedrank.Local{}
			r, err := solver.Run(context.Background(), p, &gcg.Method{}, solver.Options{Tol: 1e-8, Improver: l, MaxIter: 30})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != solver.Converged {
				t.Errorf("intercept %v, %T: %s at a gap of %g after %d iterations", intercept, pen, r.Status, r.State.Cert.Relative, r.Iter)
			}
			if l.formation.columns == nil {
				t.Errorf("intercept %v, %T: second derivatives were not formed", intercept, pen)
			}
			if most := 2*int(l.formation.price/l.formation.Product(1)) + 100; r.State.Count.Products > most {
				t.Errorf("intercept %v, %T: %d products, more than %d", intercept, pen, r.State.Count.Products, most)
			}
		}
	}
}

// Second derivatives of losses with kinks vanish for most observations of few features, and conjugate gradients come to nothing: formed, with
// secants and damped by how far predictions move, they close the certificate.
func TestWholeStepsOfHinges(t *testing.T) {
	const rows, features, outputs = 80, 40, 4
	rng := rand.New(rand.NewPCG(7, 1))
	x, y := make([]float64, rows*features), make([]float64, rows*outputs)
	for i := range x {
		if rng.Float64() < 0.05 {
			x[i] = rng.NormFloat64()
		}
	}
	for i := range rows {
		class := rng.IntN(outputs)
		for c := range outputs {
			y[i*outputs+c] = -1
		}
		y[i*outputs+class] = 1
	}
	f, err := operator.DenseFeatures(rows, features, x)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewDesign(f, outputs)
	if err != nil {
		t.Fatal(err)
	}
	for name, l := range map[string]gcg.Loss{"squared": &loss.SquaredHinge{Y: y, Group: outputs}, "smoothed": &loss.SmoothedHinge{Y: y, Mu: 0.3, Group: outputs}} {
		for _, intercept := range []bool{false, true} {
			p := &gcg.Problem{Operator: op, Loss: l, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 0.01}, Intercept: intercept}
			r, err := solver.Run(context.Background(), p, &gcg.Method{OutsideW: true}, solver.Options{Tol: 1e-6, Improver: &fixedrank.Local{}, MaxIter: 40})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != solver.Converged {
				t.Errorf("%s, intercept %v: %s at a gap of %g after %d iterations", name, intercept, r.Status, r.State.Cert.Relative, r.Iter)
			}
		}
	}
}

// Where singular values of D are above λ, the part of A and B is the absolute value of what it would be.
func TestCompressedAbsolute(t *testing.T) {
	p, s := fixedrank.shrinkProblem(t, 300, 9, 7, 0, false)
	n := New(view.Of(p), s)
	n.Linearise()
	f := &model.FormPolicy{p: view.Of(p), columns: model.wholeColumns(view.Of(p)), gram: model.features(view.Of(p))}
	h := model.newMatrix(view.Of(p), n.Model.(*model.genericModel).here.s, f)
	n.lambda = 10 // far above ‖D‖
	convex := newCompressed(n, h)
	x, y := convex.x, convex.y
	gy := gcg.NewFactor(convex.m(), y.K)
	gcg.MulBlock(n.Model.Gradient(), gy, y)
	d := gcg.TMul(x, gy)
	n.lambda = 0.3 * d.SpectralNorm()
	c := newCompressed(n, h)
	size := x.K + y.K
	places := func(col int) (at []int) {
		for r := range x.K {
			at = append(at, c.at(c.k+r, col))
		}
		for r := range y.K {
			at = append(at, c.at(col, c.k+r))
		}
		return at
	}
	for col, sigma := range n.sigma {
		plain, lifted := gcg.Small(size, size), gcg.Small(size, size)
		for i := range size {
			plain.Row(i)[i], lifted.Row(i)[i] = n.lambda, 10
		}
		for i := range x.K {
			for j := range y.K {
				for _, f := range []*gcg.Factor{plain, lifted} {
					f.Row(i)[x.K+j], f.Row(x.K + j)[i] = -d.Row(i)[j], -d.Row(i)[j]
				}
			}
		}
		values, e := plain.SymEigen(true)
		at := places(col)
		for i := range size {
			for j := range size {
				var want float64
				for l, v := range values {
					want += e.At(i, l) * math.Abs(v) * e.At(j, l)
				}
				want = (want - lifted.Row(i)[j]) / sigma
				got := c.h[at[i]*c.dim()+at[j]] - convex.h[at[i]*c.dim()+at[j]]
				if !(math.Abs(got-want) <= 2*tailFloor*n.lambda/sigma+1e-12*10/sigma) {
					t.Fatalf("column %d: entry %d, %d is %v, want %v", col, i, j, got, want)
				}
			}
		}
	}
}

// Directions that die, features of tiny scale and the edge of a ball hold nothing up: what moves no predictions is damped too.
func TestWholeStepsWithTinyFeatures(t *testing.T) {
	for _, c := range []struct {
		seed uint64
		zeta float64 // over the inverse of the least λ with W = 0, or 0 for a λ
	}{{1, 0}, {2, 0}, {5, 0}, {8, 0}, {10, 0}, {11, 0}, {3, 0.3}, {6, 0.3}, {13, 300}, {4, 3000}, {29, 3000}} {
		seed, p := c.seed, tinyProblem(t, c.seed, c.zeta)
		l := &fixedrank.Local{}
		r, err := solver.Run(context.Background(), p, &gcg.Method{}, solver.Options{Tol: 1e-8, Improver: l, MaxIter: 60})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != solver.Converged {
			t.Errorf("seed %d: %s at a gap of %g after %d iterations, formed %v", seed, r.Status, r.State.Cert.Relative, r.Iter, l.formation.columns != nil)
		}
	}
}

// tinyProblem has features of scales from 1e-4 to 1e4, half of which repeat others, at a small λ or in a ball.
func tinyProblem(t *testing.T, seed uint64, zeta float64) *gcg.Problem {
	t.Helper()
	const n, m, classes = 100, 6, 12
	rng := rand.New(rand.NewPCG(seed, 77))
	x, labels, scale := make([]float64, n*m), make([]int32, n), make([]float64, m)
	for j := range scale {
		scale[j] = math.Pow(10, float64(rng.IntN(9)-4))
	}
	for i := range n {
		labels[i] = int32(rng.IntN(classes))
		for j := range m {
			x[i*m+j] = scale[j] * (rng.NormFloat64() + float64(int(labels[i])%(j+2)))
			if j >= m/2 {
				x[i*m+j] = x[i*m+j-m/2] / scale[j-m/2] * scale[j]
			}
		}
	}
	f, err := operator.DenseFeatures(n, m, x)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewDesign(f, classes)
	if err != nil {
		t.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Softmax{Labels: labels, Classes: classes, Mean: true}, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 1}, Intercept: seed%2 == 0}
	top, err := solver.MaxLambda(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	p.Penalty = gauge.Linear{Lambda: 1e-4 * top}
	if zeta > 0 {
		p.Penalty = gauge.Ball{Zeta: zeta / top}
	}
	return p
}

// What is known of second derivatives serves the problems of a path, and no problem with other data or an intercept of its own.
func TestFormationIsOfItsData(t *testing.T) {
	p, _ := fixedrank.shrinkProblem(t, 60, 3, 4, 0, false)
	other, _ := fixedrank.shrinkProblem(t, 60, 3, 5, 0, false)
	f := &model.FormPolicy{}
	f.Of(view.Of(p))
	if f.price == 0 {
		t.Fatal("never formed")
	}
	for _, c := range []struct {
		name   string
		change func(q *gcg.Problem)
		kept   bool
	}{
		{"another λ", func(q *gcg.Problem) { q.Penalty = gauge.Linear{Lambda: 2} }, true},
		{"an intercept", func(q *gcg.Problem) { q.Intercept = true }, false},
		{"other data", func(q *gcg.Problem) { q.Operator, q.Loss = other.Operator, other.Loss }, false},
	} {
		f.Of(view.Of(p))
		f.columns = model.wholeColumns(view.Of(p))
		q := *p
		c.change(&q)
		f.Of(view.Of(&q))
		if f.p.Problem != &q || (f.columns != nil) != c.kept {
			t.Errorf("%s: columns are kept: %v", c.name, f.columns != nil)
		}
		p.Intercept = c.name == "an intercept" // in place, too
		if f.Of(view.Of(p)); p.Intercept && f.columns != nil {
			t.Errorf("%s: columns without it are kept", c.name)
		}
		p.Intercept = false
	}
}
