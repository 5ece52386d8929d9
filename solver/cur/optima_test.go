package cur_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/gauge/rowscolumns"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/testrun"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/cur"
)

// slowOptimum is by accelerated proximal gradient steps on W as a matrix, with the proximity operator of the gauge, until F has
// not fallen for long.
func slowOptimum(t *testing.T, p *gcg.Problem) float64 {
	t.Helper()
	lambda, k := p.Penalty.Deriv(0), rowscolumns.Gauge{}
	m, n, _ := p.Operator.Dims()
	s, err := gcg.NewState(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := func(w []float64) float64 {
		s.W, s.Rho = k.Split(w, m, n)
		s.Refresh(p)
		return s.Objective(p)
	}
	w, y, g := make([]float64, m*n), make([]float64, m*n), make([]float64, m*n)
	best, last, theta := at(w), math.Inf(1), 1.0
	for still := 0; still < 200; still++ {
		at(y)
		gcg.DenseTo(g, s.Gradient(p))
		next := make([]float64, m*n)
		for e := range next { // ‖D‖ = 1 bounds the curvature
			next[e] = y[e] + g[e]
		}
		k.ProxTo(next, next, m, n, lambda)
		f := at(next)
		if f < best-1e-14 {
			still = 0
		}
		best = math.Min(best, f)
		if f > last {
			theta = 1
		}
		last = f
		after := (1 + math.Sqrt(1+4*theta*theta)) / 2
		for e := range y {
			y[e] = next[e] + (theta-1)/after*(next[e]-w[e])
		}
		w, theta = next, after
	}
	return best
}

// The working set certifies optima that slow proximal steps find too, W = 0 among them, at any scale of D.
func TestOptima(t *testing.T) {
	for _, c := range []struct {
		p, q, rank int
		lambda     float64
		seed       uint64
	}{{12, 25, 3, 0.02, 1}, {12, 25, 6, 0.05, 2}, {12, 25, 2, 0.5, 3}, {20, 60, 5, 0.03, 4}, {20, 60, 4, 0.4, 5}} {
		p := testproblem.Selection(t, c.p, c.q, testproblem.FactorMatrix(c.seed, c.p, c.q, c.rank), c.lambda)
		if testing.Short() && c.p > 12 {
			continue
		}
		want := slowOptimum(t, p)
		r := testrun.Must(t, p, &cur.WorkingSet{}, solver.Options{Tol: 1e-8, MaxIter: 60})
		s := r.State
		if r.Status != solver.Converged || s.Cert.Kind != gcg.Proven {
			t.Errorf("%v: %s, gap %.2g, %s", c, r.Status, s.Cert.Relative, s.Cert.Kind)
		}
		if s.Cert.Objective > want*(1+1e-8) || s.Cert.LowerBound > want*(1+1e-12) {
			t.Errorf("%v: slow steps come to %.15g, not in [%.15g, %.15g]", c, want, s.Cert.LowerBound, s.Cert.Objective)
		}
		top, err := solver.MaxLambda(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if zero := s.W.Zero(); zero != (c.lambda >= top) || zero && r.Iter > 0 {
			t.Errorf("%v: λ_max is %v, W = 0: %v after %d steps", c, top, zero, r.Iter)
		}
	}
}

// D times c has the optimum times c² at λ times c³.
func TestScale(t *testing.T) {
	var first float64
	for i, scale := range []float64{1, 1e-3, 1e4} {
		d := testproblem.FactorMatrix(7, 10, 30, 4)
		p := testproblem.Selection(t, 10, 30, d, 0.03*math.Pow(scale, 3))
		for e := range d { // of norm 1
			d[e] *= scale
		}
		c := operator.Reduced(10, 30, d)
		op, err := operator.NewSandwich(10, 30, d, 10, 10, c)
		if err != nil {
			t.Fatal(err)
		}
		q := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: c, Group: 10}, Gauge: p.Gauge, Penalty: p.Penalty}
		r := testrun.Must(t, q, &cur.WorkingSet{}, solver.Options{Tol: 1e-7, MaxIter: 60})
		f := r.State.Cert.Objective / (scale * scale)
		if i == 0 {
			first = f
		}
		if r.Status != solver.Converged || math.Abs(f-first) > 1e-6*first {
			t.Errorf("%v: %s, F/c² = %v, not %v", scale, r.Status, f, first)
		}
	}
}

// Far below λ_max W interpolates, and F is λκ of the smallest W that does: in proportion to λ. Where the residual is rounding a
// run ends with its bracket, and does not go on.
func TestFarBelow(t *testing.T) {
	var part float64
	rng := rand.New(rand.NewPCG(4, 2))
	d := make([]float64, 12*25)
	for i := range d {
		d[i] = rng.NormFloat64()
	}
	for _, lambda := range []float64{1e-6, 1e-9, 1e-12} {
		p := testproblem.Selection(t, 12, 25, d, lambda)
		r := testrun.Must(t, p, &cur.WorkingSet{}, solver.Options{Tol: 1e-3, MaxIter: 200})
		c := r.State.Cert
		if lambda == 1e-6 {
			part = c.Objective / lambda
		}
		if r.Status == solver.MaxIterations || !(c.LowerBound <= c.Objective) || c.LowerBound > 1.01*part*lambda {
			t.Errorf("λ = %v: %s, [%v, %v] after %d steps", lambda, r.Status, c.LowerBound, c.Objective, r.Iter)
		}
		if lambda == 1e-9 && c.Objective > 1.01*part*lambda {
			t.Errorf("λ = %v: F = %v, and W at λ = 1e-6 has %v", lambda, c.Objective, part*lambda)
		}
	}
}

// What it is not for, it refuses with the names of both.
func TestRefuses(t *testing.T) {
	p := testproblem.Selection(t, 5, 9, testproblem.FactorMatrix(1, 5, 9, 2), 0.1)
	for what, change := range map[string]func(*gcg.Problem){
		"gauge.Ball":    func(p *gcg.Problem) { p.Penalty = gauge.Ball{Zeta: 1} },
		"entries":       func(p *gcg.Problem) { p.Gauge = gauge.L1{} },
		"*loss.Huber":   func(p *gcg.Problem) { p.Loss = &loss.Huber{Y: p.Loss.(*loss.Squared).Y, Mu: 1} },
		"without weigh": func(p *gcg.Problem) { p.Intercept = true },
	} {
		q := *p
		change(&q)
		if what == "entries" {
			what = q.Gauge.Name()
		}
		if err := cur.Fits(&q); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
