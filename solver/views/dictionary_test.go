package views_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/gauge/views"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	solverviews "github.com/seed-b18ef778/gcg/solver/views"
)

// problem has Gaussian targets in the rows of the views, and signs in those of the labels.
func problem(t *testing.T, rng *rand.Rand, k gcg.Gauge, rows, labels, n int, lambda float64) *gcg.Problem {
	t.Helper()
	op, err := operator.NewIdentity(rows+labels, n)
	if err != nil {
		t.Fatal(err)
	}
	y := make([]float64, (rows+labels)*n)
	for i := range y {
		y[i] = 2 * rng.NormFloat64()
	}
	var l gcg.Loss = &loss.Squared{Y: y}
	if labels > 0 {
		signs := make([]float64, labels*n)
		for i, x := range y[rows*n:] {
			signs[i] = math.Copysign(1, x)
		}
		l = loss.Stack(&loss.Squared{Y: y[:rows*n]}, &loss.Logistic{Y: signs})
	}
	return &gcg.Problem{Operator: op, Loss: l, Gauge: k, Penalty: gauge.Linear{Lambda: lambda}}
}

func gaussian(rng *rand.Rand, rows, k int) *gcg.Factor {
	f := gcg.NewFactor(rows, k)
	for i := range rows {
		for c := range k {
			f.Row(i)[c] = rng.NormFloat64()
		}
	}
	return f
}

// Slopes and second derivatives are those of differences of F along the spheres, with labels and without, where all cells of U
// are held.
func TestDerivatives(t *testing.T) {
	for _, c := range []struct {
		k      gcg.Gauge
		labels int
	}{{views.Views{Sizes: []int{4, 3}, Radii: []float64{1, 3}, Labels: 2}, 2},
		{views.Views{Sizes: []int{4, 3}, Radii: []float64{1, 3}}, 0}, {views.Simplex{Sizes: []int{3, 2, 2}}, 0}} {
		rng := rand.New(rand.NewPCG(40, 11))
		p := problem(t, rng, c.k, 7, c.labels, 6, 3)
		w := run(t, p, 1e-3, 20).State.W
		p.Penalty = gauge.Linear{Lambda: 2} // which W is not the solution for
		slope, curvature, f := solverviews.Along(p, w, gaussian(rng, w.M, w.U.K), gaussian(rng, w.N, w.U.K))
		const h, short = 1e-4, 1e-5
		if got := (f(short) - f(-short)) / (2 * short); math.Abs(got-slope) > 1e-5*math.Abs(slope) {
			t.Errorf("%s, %d labels: the slope is %v, differences give %v", c.k.Name(), c.labels, slope, got)
		}
		if got := (f(h) - 2*f(0) + f(-h)) / (h * h); math.Abs(got-curvature) > 1e-4*math.Abs(curvature) {
			t.Errorf("%s, %d labels: the second derivative is %v, differences give %v", c.k.Name(), c.labels, curvature, got)
		}
	}
}

// Where all views have one row, atoms are signs times v, and the problem is a group lasso with a group for each pattern of signs:
// its optimum, by proximal steps, is in the bracket, which is closed.
func TestSigns(t *testing.T) {
	for _, labels := range []int{1, 3} {
		rng := rand.New(rand.NewPCG(40, 12))
		const n, lambda = 7, 1.5
		p := problem(t, rng, views.Views{Sizes: []int{1, 1}, Labels: labels}, 2, labels, n, lambda)
		r := run(t, p, 1e-6, 60)
		if r.Status != solver.Converged {
			t.Fatalf("%d labels: %s at a gap of %.2g", labels, r.Status, r.State.Cert.Relative)
		}
		want := groupLasso(p, 2+labels, n, lambda)
		if c := r.State.Cert; want < c.LowerBound*(1-1e-9) || want > c.Objective+1e-6*want {
			t.Errorf("%d labels: the optimum is %.10g, not in [%.10g, %.10g]", labels, want, c.LowerBound, c.Objective)
		}
	}
}

// run is conditional gradient with the improver.
func run(t *testing.T, p *gcg.Problem, tol float64, steps int) *solver.Result {
	t.Helper()
	last := math.Inf(1)
	r, err := solver.Run(context.Background(), p, &conditional.GCG{}, solver.Options{Tol: tol, MaxIter: steps,
		Improver: &solverviews.Dictionary{}, Event: func(e solver.Event) {
			if f := e.State.Cert.Objective; f > last*(1+1e-12) {
				t.Errorf("%s: F rose from %v to %v", p.Gauge.Name(), last, f)
			} else {
				last = f
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// groupLasso is the minimum over w_g of L(Σ u_gw_gᵀ) + λΣ‖w_g‖ for all patterns u_g of signs whose first is 1.
func groupLasso(p *gcg.Problem, m, n int, lambda float64) float64 {
	groups := 1 << (m - 1)
	sign := func(g, i int) float64 {
		if i > 0 && g>>(i-1)&1 == 1 {
			return -1
		}
		return 1
	}
	w := make([][]float64, groups)
	for g := range w {
		w[g] = make([]float64, n)
	}
	z, r := make([]float64, m*n), make([]float64, m*n)
	step := 1 / float64(m*groups)
	var f float64
	for range 20000 {
		clear(z)
		f = 0
		for g, v := range w {
			f += lambda * gcg.Norm(v)
			for i := range m {
				for j, x := range v {
					z[i*n+j] += sign(g, i) * x
				}
			}
		}
		f += p.Value(z, r)
		for g, v := range w {
			for j := range v {
				for i := range m {
					v[j] += step * sign(g, i) * r[i*n+j]
				}
			}
			norm := gcg.Norm(v)
			for j := range v {
				v[j] *= math.Max(0, 1-step*lambda/math.Max(norm, math.SmallestNonzeroFloat64))
			}
		}
	}
	return f
}

// Conditional gradient with the improver closes problems of two views and of more to the optimum that the splitting finds, and
// problems with labels to a proven gap.
func TestImprover(t *testing.T) {
	rng := rand.New(rand.NewPCG(40, 13))
	for _, k := range []gcg.Gauge{views.Views{Sizes: []int{5, 4}, Radii: []float64{1, 3}},
		views.Simplex{Sizes: []int{3, 4, 2}, Radii: []float64{2, 1, 1}}} {
		p := problem(t, rng, k, 9, 0, 12, 3)
		r := run(t, p, 1e-7, 100)
		want, err := solver.Run(context.Background(), p, &solverviews.Splitting{}, solver.Options{Tol: 1e-7, MaxIter: 400})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != solver.Converged || want.Status != solver.Converged {
			t.Errorf("%s: %s at a gap of %.2g, and %s by splitting", k.Name(), r.Status, r.State.Cert.Relative, want.Status)
		}
		if a, b := r.State.Cert, want.State.Cert; a.LowerBound > b.Objective || b.LowerBound > a.Objective {
			t.Errorf("%s: [%v, %v] and [%v, %v]", k.Name(), a.LowerBound, a.Objective, b.LowerBound, b.Objective)
		}
	}
	for _, labels := range []int{1, 4} {
		k := views.Views{Sizes: []int{5, 4}, Radii: []float64{1, 3}, Labels: labels}
		p := problem(t, rng, k, 9, labels, 12, 3)
		r := run(t, p, 1e-4, 60)
		if r.Status != solver.Converged || r.State.Cert.Kind != gcg.Proven {
			t.Errorf("%d labels: %s at a gap of %.2g, %v", labels, r.Status, r.State.Cert.Relative, r.State.Cert.Kind)
		}
	}
}

// What the improver is not for is refused.
func TestRefused(t *testing.T) {
	rng := rand.New(rand.NewPCG(40, 14))
	p := problem(t, rng, views.Views{Sizes: []int{2, 2}}, 4, 0, 3, 1)
	p.Penalty = gauge.Square{Lambda: 1}
	if solverviews.Improves(p) {
		t.Error("a penalty λκ²/2 is taken for λκ")
	}
	opt := solver.Options{Improver: &solverviews.Dictionary{}}
	if _, err := solver.Run(context.Background(), p, &conditional.GCG{}, opt); err == nil {
		t.Error("a penalty λκ²/2 is not refused")
	}
}
