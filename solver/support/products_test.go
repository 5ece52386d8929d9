package support

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/gcg"
	"github.com/seed-b18ef778/gcg/solver/hessian"
	"github.com/seed-b18ef778/gcg/solver/view"
)

// classesProblem is multinomial logistic regression on correlated features, dense or sparse.
func classesProblem(t *testing.T, n, features, classes int, sparse bool) *gcg.Problem {
	rng := rand.New(rand.NewPCG(5, 6))
	x, labels := make([]float64, n*features), make([]int32, n)
	var ptr []int64
	var index []int32
	var values []float64
	for i := range n {
		ptr = append(ptr, int64(len(index)))
		common := rng.NormFloat64()
		for j := range features {
			v := rng.NormFloat64() + common
			x[i*features+j] = v
			if j%3 == i%3 {
				index, values = append(index, int32(j)), append(values, v)
			}
		}
		labels[i] = int32(rng.IntN(classes))
		if v := x[i*features]; v > 0 {
			labels[i] = int32(v) % int32(classes)
		}
	}
	f, err := operator.DenseFeatures(n, features, x)
	if sparse {
		f, err = operator.SparseFeatures(n, features, append(ptr, int64(len(index))), index, values)
	}
	if err != nil {
		t.Fatal(err)
	}
	return classesOf(t, f, labels, classes)
}

// classesOf is multinomial logistic regression on the features.
func classesOf(t testing.TB, f *operator.Features, labels []int32, classes int) *gcg.Problem {
	t.Helper()
	op, err := operator.NewDesign(f, classes)
	if err != nil {
		t.Fatal(err)
	}
	return &gcg.Problem{Operator: op, Loss: &loss.Softmax{Labels: labels, Classes: classes, Mean: true}, Gauge: gauge.Group{}, Penalty: gauge.Linear{Lambda: 1}}
}

// wideSupport is the start of a problem of 41 features and 5 classes, and a support for which products are better.
func wideSupport(t *testing.T, p *gcg.Problem) (*gcg.State, *support) {
	s, err := gcg.NewState(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	u := (&Corrective{}).supportFor(view.Of(p))
	for j := range int64(40) {
		u.grow([]int64{j + 2}, 41, 5)
	}
	return s, u
}

// Products are those of the matrix of second derivatives, with what an intercept absorbs, and so are the predictions and the gradient
// on the support.
func TestProducts(t *testing.T) {
	for _, intercept := range []bool{false, true} {
		for _, sparse := range []bool{false, true} {
			p := classesProblem(t, 50, 41, 5, sparse)
			p.Intercept = intercept
			s, u := wideSupport(t, p)
			u.extract()
			if !u.byProducts(view.Of(p)) {
				t.Fatal("the matrix would be formed")
			}
			rng := rand.New(rand.NewPCG(7, 8))
			for i := range s.Z {
				s.Z[i] += rng.NormFloat64()
			}
			s.Evaluate(p)
			dense := hessian.PartsOf(hessian.OneGroup(len(u.x)))
			dense.From(view.Of(p), s, u.columns).Complete(0)
			if intercept {
				dense.From(view.Of(p), s, u.columns).Profile()
			}
			h := newProducts(u, view.Of(p), s)
			d, g, z := make([]float64, len(u.x)), make([]float64, len(u.x)), make([]float64, len(s.Z))
			u.adjointTo(view.Of(p), g, s.R)
			for i := range d {
				if want := hessian.DotColumn(s.R, &u.columns[i]); math.Abs(g[i]-want) > 1e-13 {
					t.Errorf("gradient %d is %g, not %g", i, g[i], want)
				}
				d[i] = rng.NormFloat64()
				hessian.AddColumn(z, d[i], &u.columns[i])
			}
			u.predict(view.Of(p), h.e, d)
			for i, want := range z {
				if math.Abs(h.e[i]-want) > 1e-12 {
					t.Errorf("prediction %d is %g, not %g", i, h.e[i], want)
				}
			}
			h.timesTo(g, d)
			for i := range d {
				var want float64
				for j, v := range d {
					want += dense.Entry(i, j) * v
				}
				if math.Abs(g[i]-want) > 1e-12 {
					t.Errorf("intercept %v, sparse %v: product %d is %g, not %g", intercept, sparse, i, g[i], want)
				}
			}
		}
	}
}

// Supports that are too wide for a matrix reach a certified gap, under every gauge of blocks, penalties and bounds.
func TestWideSupports(t *testing.T) {
	products := 0
	for _, sparse := range []bool{false, true} {
		p := classesProblem(t, 60, 80, 5, sparse)
		p.Intercept = true
		for _, k := range []gcg.Gauge{gauge.L1{}, gauge.Group{}, gauge.Group{ByColumns: true}, gauge.Group{Inner: gauge.LInf}} {
			p.Gauge = k
			for _, pen := range []gcg.Penalty{gauge.Linear{Lambda: 0.005}, gauge.Ball{Zeta: 8}, gauge.Square{Lambda: 0.001}} {
				p.Penalty = pen
				r, err := solver.Run(context.Background(), p, &gcg.Method{}, solver.Options{Tol: 1e-6, Improver: &Corrective{}, MaxIter: 40})
				if err != nil {
					t.Fatal(err)
				}
				if r.Status != solver.Converged {
					t.Errorf("%s, %T, sparse %v: %s after %d iterations at a gap of %g", k.Name(), pen, sparse, r.Status, r.Iter, r.State.Cert.Relative)
				}
				products += r.State.Count.Products
			}
		}
	}
	if products == 0 {
		t.Error("no support was wide")
	}
}

// A Newton step by products ends with its context.
func TestNewtonStepByProductsIsCut(t *testing.T) {
	p := classesProblem(t, 50, 41, 5, false)
	s, u := wideSupport(t, p)
	rng := rand.New(rand.NewPCG(9, 8))
	for i := range u.x {
		u.x[i] = rng.NormFloat64()
	}
	m := u.model(view.Of(p), s)
	if m.products == nil {
		t.Fatal("the matrix would be formed")
	}
	steps := func(ctx context.Context) int {
		x, before := append([]float64(nil), u.x...), s.Count.Products
		m.newton(ctx, x, m.gradientAt(x), 1e-3)
		return s.Count.Products - before
	}
	whole := steps(context.Background())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if cut := steps(ctx); cut > 2 || cut >= whole {
		t.Errorf("%d products, %d when it is not cut short", cut, whole)
	}
}

// Columns of many more entries than there are rows are neither formed nor factored: 120 rows of 4,000 features in 4 classes took 10 s, or did not close.
func TestColumnsOfManyEntries(t *testing.T) {
	const rows, features, outputs = 40, 1500, 2
	p := classesProblem(t, rows, features, outputs, false)
	y := make([]float64, rows*outputs)
	for i, label := range p.Loss.(*loss.Softmax).Labels {
		for c := range outputs {
			y[i*outputs+c] = -1
		}
		y[i*outputs+int(label)] = 1
	}
	p.Gauge = gauge.Group{ByColumns: true}
	for name, l := range map[string]gcg.Loss{"softmax": p.Loss, "squared hinge": &loss.SquaredHinge{Y: y, Mean: true, Group: outputs}, "squared": &loss.Squared{Y: y, Mean: true}} {
		p.Loss, p.Penalty = l, gauge.Linear{Lambda: 0.02}
		im := &Corrective{}
		r, err := solver.Run(context.Background(), p, &gcg.Method{}, solver.Options{Tol: 1e-6, Improver: im, MaxIter: 20})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != solver.Converged || im.blocks.known > 0 {
			t.Errorf("%s: %s after %d iterations at a gap of %g; %d entries of H were formed", name, r.Status, r.Iter, r.State.Cert.Relative, im.blocks.known)
		}
	}
}
