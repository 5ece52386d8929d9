package solver_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/gauge/views"
	"github.com/seed-b18ef778/gcg/internal/baseline/bcd"
	"github.com/seed-b18ef778/gcg/internal/synthetic"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/dense"
	splitting "github.com/seed-b18ef778/gcg/solver/views"
)

// viewsProblem is a problem of two views, 8 and 6 rows of n samples.
func viewsProblem(t *testing.T, word string, n int, lambda float64, k gcg.Gauge) *gcg.Problem {
	t.Helper()
	_, y, err := synthetic.MultiView{Rows1: 8, Rows2: 6, Cols: n, Rank: 2, Gamma: 5, NoiseFraction: 0.1, Seed: 3}.Generate()
	if err != nil {
		t.Fatal(err)
	}
	omega := make([]float64, len(y))
	rng := rand.New(rand.NewPCG(9, 9))
	for i := range omega {
		omega[i] = float64(rng.IntN(4)) // some are missing
	}
	signs := make([]float64, 6*n)
	for i, x := range y[8*n:] {
		signs[i] = math.Copysign(1, x)
	}
	op, err := operator.NewIdentity(14, n)
	if err != nil {
		t.Fatal(err)
	}
	losses := map[string]gcg.Loss{"squared": &loss.Squared{Y: y}, "missing": &loss.Squared{Y: y, Omega: omega},
		"huber": &loss.Huber{Y: y, Mu: 0.1}, "sharp": &loss.Huber{Y: y, Mu: 1e-4},
		"stack": loss.Stack(&loss.Huber{Y: y[:8*n], Mu: 0.1}, &loss.Logistic{Y: signs})}
	return &gcg.Problem{Operator: op, Loss: losses[word], Gauge: k, Penalty: gauge.Linear{Lambda: lambda}}
}

// atShare is the minimum of L(W) + λ‖D_ηW‖_*, bracketed: a problem of the plain trace norm with weighed rows, by another solver.
func atShare(t *testing.T, p *gcg.Problem, k views.Views, eta, tol float64) gcg.Certificate {
	t.Helper()
	m, n, _ := p.Operator.Dims()
	rows := make([]float64, m)
	for i := range rows {
		rows[i] = k.Radii[0] / math.Sqrt(eta)
		if i >= k.Sizes[0] {
			rows[i] = k.Radii[1] / math.Sqrt(1-eta)
		}
	}
	q := *p
	q.Operator, q.Gauge = &weighedRows{p.Operator, rows, m, n}, gauge.Trace{}
	opt := solver.Options{Tol: tol, MaxIter: 300, Improver: &solver.Proximal{}}
	r, err := solver.Run(context.Background(), &q, &conditional.GCG{}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r.State.Cert
}

// bestShare is a lower bound of the maximum over η of atShare, by golden sections: each takes one new η.
func bestShare(t *testing.T, p *gcg.Problem, k views.Views) float64 {
	t.Helper()
	const golden = 0.38196601125
	best := math.Inf(-1)
	objective := func(eta float64) float64 {
		c := atShare(t, p, k, eta, 1e-7)
		best = math.Max(best, c.LowerBound)
		return c.Objective
	}
	lo, hi := 1e-6, 1-1e-6
	a, b := lo+golden*(hi-lo), hi-golden*(hi-lo)
	fa, fb := objective(a), objective(b)
	for range 16 {
		if fa > fb {
			hi, b, fb = b, a, fa
			a = lo + golden*(hi-lo)
			fa = objective(a)
		} else {
			lo, a, fa = a, b, fb
			b = hi - golden*(hi-lo)
			fb = objective(b)
		}
	}
	return best
}

// weighedRows is the operator at W whose rows are scaled.
type weighedRows struct {
	gcg.Operator
	rows []float64
	m, n int
}

func (o *weighedRows) FactoredTo(z []float64, lo int, u, v *gcg.Factor) {
	f := u.Clone()
	for i, by := range o.rows {
		for c := range f.Row(i) {
			f.Row(i)[c] *= by
		}
	}
	o.Operator.FactoredTo(z, lo, f, v)
}

func (o *weighedRows) AtomTo(z []float64, lo int, a *gcg.Atom) { o.FactoredTo(z, lo, a.U, a.V) }

func (o *weighedRows) Adjoint(r []float64) gcg.Map {
	return gcg.RowScaled(o.Operator.Adjoint(r), o.rows, nil)
}

// The splitting closes every loss of two views to 1e-6, with unequal radii, missing entries, and more samples than rows; its
// bracket meets the maximum over η of problems of the trace norm, each solved by another method.
func TestSplitting(t *testing.T) {
	for _, word := range []string{"squared", "missing", "huber", "sharp", "stack"} {
		for _, n := range []int{7, 25} {
			k := views.Views{Sizes: []int{8, 6}, Radii: []float64{1, 5}}
			p := viewsProblem(t, word, n, 2, k)
			m, im, _ := solver.For(p)
			r, err := solver.Run(context.Background(), p, m, solver.Options{Tol: 1e-6, Improver: im, MaxIter: 2000})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != solver.Converged {
				t.Errorf("%s, n = %d: %s at a gap of %.2g", word, n, r.Status, r.State.Cert.Relative)
			}
			if got := k.Kappa(r.State.W.Dense(), 14, n); r.State.Rho < got*(1-1e-9) {
				t.Errorf("%s, n = %d: ρ = %v is below κ(W) = %v", word, n, r.State.Rho, got)
			}
			if word == "sharp" || word == "stack" || n > 7 && (word != "squared" || testing.Short()) {
				continue
			}
			best := bestShare(t, p, k)
			c := r.State.Cert
			if best > c.Objective*(1+1e-9) || best < c.LowerBound*(1-2e-6) {
				t.Errorf("%s, n = %d: [%v, %v], and %v by fixed shares", word, n, c.LowerBound, c.Objective, best)
			}
		}
	}
}

// Where one view is to be fitted for next to nothing, its rows of W̃ over a small d are all error: the splitting takes those that
// meet the loss.
func TestSplittingOfCheapViews(t *testing.T) {
	p := viewsProblem(t, "sharp", 25, 5, views.Views{Sizes: []int{8, 6}, Radii: []float64{5, 0.3}})
	r, err := solver.Run(context.Background(), p, &splitting.Splitting{}, solver.Options{Tol: 1e-6, MaxIter: 400})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != solver.Converged {
		t.Errorf("%s at a gap of %.2g", r.Status, r.State.Cert.Relative)
	}
}

// Conditional gradient descends on gauges of views, labels included, and its bracket overlaps that of the splitting; so does that
// of block coordinate descent.
func TestMethodsOfViews(t *testing.T) {
	k := views.Views{Sizes: []int{8, 6}, Radii: []float64{1, 5}}
	p := viewsProblem(t, "huber", 12, 2, k)
	want, err := solver.Run(context.Background(), p, &splitting.Splitting{}, solver.Options{Tol: 1e-6, MaxIter: 2000})
	if err != nil {
		t.Fatal(err)
	}
	labels := viewsProblem(t, "squared", 12, 2, views.Views{Sizes: []int{8, 4}, Radii: []float64{1, 5}, Labels: 2})
	for _, c := range []struct {
		p     *gcg.Problem
		m     solver.Method
		im    solver.Improver
		steps int
	}{{p, &conditional.GCG{}, &dense.Tighten{}, 60}, {p, &conditional.GCG{}, &splitting.Dictionary{}, 60},
		{p, &bcd.Method{Size: 14}, nil, 60}, {labels, &conditional.GCG{}, &dense.Tighten{}, 30},
		{labels, &conditional.GCG{}, &splitting.Dictionary{}, 15}} {
		last := math.Inf(1)
		r, err := solver.Run(context.Background(), c.p, c.m, solver.Options{Tol: 1e-3, MaxIter: c.steps, Improver: c.im,
			Event: func(e solver.Event) {
				if f := e.State.Cert.Objective; f > last*(1+1e-9) {
					t.Errorf("%s, %s: F rose from %v to %v", c.m.Name(), c.p.Gauge.Name(), last, f)
				} else {
					last = f
				}
			}})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.State.Cert; c.p == p && (got.LowerBound > want.State.Cert.Objective ||
			got.Objective < want.State.Cert.LowerBound) {
			t.Errorf("%s: [%v, %v] and the splitting [%v, %v]", c.m.Name(), got.LowerBound, got.Objective,
				want.State.Cert.LowerBound,
				want.State.Cert.Objective)
		}
		if got := r.State.Cert; !(got.Objective < r.State.LossAtZero) || math.IsInf(got.LowerBound, -1) {
			t.Errorf("%s, %s: [%v, %v] and %v at W = 0", c.m.Name(), c.p.Gauge.Name(), got.LowerBound, got.Objective,
				r.State.LossAtZero)
		}
	}
}

// More views than two, in the convex model, close to 1e-6, also where a view has a share near 0; conditional gradient brackets
// the same optimum.
func TestSplittingOfManyViews(t *testing.T) {
	for _, k := range []views.Simplex{{Sizes: []int{5, 3, 6}}, {Sizes: []int{4, 4, 1, 5}, Radii: []float64{1, 0.1, 3, 5}}} {
		for _, word := range []string{"squared", "huber", "sharp"} {
			p := viewsProblem(t, word, 12, 1, k)
			m, im, _ := solver.For(p)
			r, err := solver.Run(context.Background(), p, m, solver.Options{Tol: 1e-6, Improver: im, MaxIter: 400})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != solver.Converged {
				t.Errorf("%v, %s: %s at a gap of %.2g", k.Sizes, word, r.Status, r.State.Cert.Relative)
			}
			if word == "sharp" { // whose second derivatives lead Newton steps nowhere
				continue
			}
			g, err := solver.Run(context.Background(), p, &conditional.GCG{}, solver.Options{Tol: 1e-3,
				Improver: &splitting.Dictionary{},
				MaxIter:  100})
			if err != nil {
				t.Fatal(err)
			}
			if a, b := r.State.Cert, g.State.Cert; g.Status != solver.Converged || a.LowerBound > b.Objective ||
				b.LowerBound > a.Objective {
				t.Errorf("%v, %s: gcg is %s at [%v, %v], splitting at [%v, %v]", k.Sizes, word, g.Status, b.LowerBound,
					b.Objective,
					a.LowerBound, a.Objective)
			}
		}
	}
}

// The paper's synthetic problem closes, to 1e-6 at a λ where W is of full rank, and to 1e-4 at the one where it has rank 11.
func TestSplittingDenoises(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds of work")
	}
	for lambda, tol := range map[float64]float64{150: 1e-4, 40: 1e-6} {
		r := denoise(t, lambda, tol)
		if r.Status != solver.Converged {
			t.Errorf("λ = %v: %s at a gap of %.2g", lambda, r.Status, r.State.Cert.Relative)
		}
	}
}

// denoise solves the synthetic problem of [Yu17 §5.3.1].
func denoise(t testing.TB, lambda, tol float64) *solver.Result {
	t.Helper()
	d := synthetic.Denoising
	_, y, err := d.Generate()
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewIdentity(d.Rows1+d.Rows2, d.Cols)
	if err != nil {
		t.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Huber{Y: y, Mu: 1e-4}, Penalty: gauge.Linear{Lambda: lambda},
		Gauge: views.Views{Sizes: []int{d.Rows1, d.Rows2}, Radii: []float64{1, d.Gamma}}}
	m, im, _ := solver.For(p)
	r, err := solver.Run(context.Background(), p, m, solver.Options{Tol: tol, Improver: im, MaxIter: 200})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// BenchmarkSplitting is the CPU time to certified gaps on the synthetic problem.
func BenchmarkSplitting(b *testing.B) {
	for _, lambda := range []float64{150, 80, 60, 40} {
		for _, tol := range []float64{1e-3, 1e-6} {
			b.Run(fmt.Sprintf("%v/%v", lambda, tol), func(b *testing.B) {
				for b.Loop() {
					b.ReportMetric(denoise(b, lambda, tol).CPU.Seconds(), "CPU-s")
				}
			})
		}
	}
}
