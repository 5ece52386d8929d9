package solver_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/testrun"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
	"github.com/seed-b18ef778/gcg/solver/support"
)

// With an intercept λ₀ is taken at its minimum for W = 0, which has a closed form: the mean for squares, the log-odds for a
// logistic loss. At λ₀ the solution is 0, just below it is not.
func TestMaxLambdaWithIntercept(t *testing.T) {
	op, y, signs, _ := testproblem.Regression(t, 60, 25, 1)
	m, n, _ := op.Dims()
	var mean, positive float64
	for i := range y {
		mean += y[i] / float64(len(y))
		positive += (1 + signs[i]) / 2 / float64(len(y))
	}
	squares, logits := make([]float64, len(y)), make([]float64, len(y))
	for i := range y {
		squares[i] = y[i] - mean
		logits[i] = (1+signs[i])/2 - positive
	}
	for _, c := range []struct {
		loss gcg.Loss
		r    []float64
		b    float64
	}{{&loss.Squared{Y: y}, squares, mean}, {&loss.Logistic{Y: signs}, logits, math.Log(positive / (1 - positive))}} {
		g := make([]float64, m*n)
		op.Adjoint(c.r).(gcg.DenseMap).RowsTo(g, 0)
		var want float64
		for _, x := range g {
			want = math.Max(want, math.Abs(x))
		}
		p := &gcg.Problem{Operator: op, Loss: c.loss, Gauge: gauge.L1{}, Penalty: gauge.Linear{Lambda: 1}, Intercept: true}
		got, err := solver.MaxLambda(context.Background(), p)
		if err != nil || math.Abs(got-want) > 1e-9*want {
			t.Errorf("%T: λ₀ = %.12g, %v, want %.12g", c.loss, got, err, want)
		}
		for _, by := range []float64{1 + 1e-9, 1 - 1e-3} {
			p.Penalty = gauge.Linear{Lambda: by * want}
			r := testrun.Must(t, p, &conditional.GCG{}, solver.Options{Tol: 1e-8, Improver: &solver.Corrective{}})
			if r.State.W.Zero() != (by > 1) {
				t.Errorf("%T at %g λ₀: %d terms", c.loss, by, len(r.State.W.Terms))
			}
			if by > 1 && math.Abs(r.State.Intercept[0]-c.b) > 1e-9 {
				t.Errorf("%T: the intercept is %.12g, want %.12g", c.loss, r.State.Intercept[0], c.b)
			}
		}
	}
}

// Where the spectral norm is estimated λ₀ is a bound of it: W = 0 is a solution there, which it need not be at what an atom
// attains.
func TestMaxLambdaIsNotBelow(t *testing.T) {
	p, s := testproblem.Full(t, 300, 280, 1, 3)
	p.Penalty = gauge.Linear{Lambda: 1}
	if got, err := solver.MaxLambda(context.Background(), p); err != nil || got < s[0]*(1-1e-12) || got > s[0]*(1+2e-3) {
		t.Errorf("λ₀ = %.12g, %v of σ₁ = %.12g", got, err, s[0])
	}
}

// Near the solution for another λ the gap is small before anything was done about this one: MinIter takes a step in any case,
// but where W is the solution.
func TestMinIter(t *testing.T) {
	op, y, _, _ := testproblem.Regression(t, 60, 25, 1)
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.L1{}, Penalty: gauge.Linear{Lambda: 1}}
	top, err := solver.MaxLambda(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	at := func(lambda float64, start *gcg.Iterate, least int) *solver.Result {
		p.Penalty = gauge.Linear{Lambda: lambda}
		return testrun.Must(t, p, &conditional.GCG{}, solver.Options{Tol: 0.2, MinIter: least, Start: start,
			Improver: &solver.Corrective{}})
	}
	if r := at(top, nil, 3); r.Iter != 0 || r.Status != solver.Converged {
		t.Errorf("at λ₀: %s after %d steps", r.Status, r.Iter)
	}
	first := at(0.5*top, nil, 1).State.W
	still, moved := at(0.45*top, first, 0), at(0.45*top, first, 1)
	if still.Iter != 0 || moved.Iter != 1 || !(moved.State.Cert.Objective < still.State.Cert.Objective) {
		t.Errorf("%d steps to %v, and with a step in any case %d to %v", still.Iter, still.State.Cert.Objective, moved.Iter,
			moved.State.Cert.Objective)
	}
}

// An intercept explains all that constant features could: what is left of their gradients is rounding, and no λ₀.
func TestMaxLambdaOfConstantFeatures(t *testing.T) {
	const rows = 60
	_, y, signs, _ := testproblem.Regression(t, rows, 25, 1)
	x := make([]float64, 2*rows)
	for i := range rows {
		x[2*i], x[2*i+1] = 1.4783672189896679, 0.7
	}
	f, err := operator.DenseFeatures(rows, 2, x)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewDesign(f, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []gcg.Loss{&loss.Squared{Y: y}, &loss.Logistic{Y: signs}, &loss.SquaredHinge{Y: signs}} {
		for _, k := range []gcg.Gauge{gauge.L1{}, gauge.Trace{}} {
			p := &gcg.Problem{Operator: op, Loss: l, Gauge: k, Penalty: gauge.Linear{Lambda: 1}, Intercept: true}
			if got, err := solver.MaxLambda(context.Background(), p); err != nil || got != 0 {
				t.Errorf("%T, %T: λ₀ = %g, %v, want 0", l, k, got, err)
			}
			p.Intercept = false
			if got, err := solver.MaxLambda(context.Background(), p); err != nil || !(got > 1e-3) {
				t.Errorf("%T, %T without an intercept: λ₀ = %g, %v", l, k, got, err)
			}
		}
	}
}

func TestGrid(t *testing.T) {
	g, err := solver.Grid(8, 0.125, 4)
	if err != nil || len(g) != 4 {
		t.Fatal(g, err)
	}
	for i, want := range []float64{8, 4, 2, 1} {
		if math.Abs(g[i]-want) > 1e-14*want {
			t.Errorf("point %d is %v, want %v", i, g[i], want)
		}
	}
	for _, c := range []struct {
		top, ratio float64
		points     int
	}{{0, 0.1, 3}, {1, 1, 3}, {1, 0, 3}, {1, 0.1, 0}, {math.NaN(), 0.1, 3}, {math.Inf(1), 0.1, 3}} {
		if _, err := solver.Grid(c.top, c.ratio, c.points); err == nil {
			t.Errorf("%v passes", c)
		}
	}
}

// Every point of a path has the optimum that a run of its own finds, for lasso, groups and the trace norm with either method,
// and warm starts save steps.
func TestPathFindsEveryOptimum(t *testing.T) {
	op, y, _, labels := testproblem.Regression(t, 60, 25, 3)
	linear := func(lambda float64) gcg.Penalty { return gauge.Linear{Lambda: lambda} }
	problems := map[string]*gcg.Problem{
		"lasso":       {Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.L1{}, Intercept: true},
		"group lasso": {Operator: op, Loss: &loss.Softmax{Labels: labels, Classes: 3, Mean: true}, Gauge: gauge.Group{}},
		"trace norm":  {Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.Trace{}, Intercept: true},
	}
	for name, p := range problems {
		methods := map[string]func() solver.Method{"atomdescent": func() solver.Method { return &support.AtomDescent{} }}
		opt := solver.Options{Tol: 1e-4, MaxIter: 300}
		if name != "trace norm" {
			methods["gcg"] = func() solver.Method { return &conditional.GCG{} }
		}
		p.Penalty = gauge.Linear{Lambda: 1}
		top, err := solver.MaxLambda(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		grid, err := solver.Grid(top, 0.05, 8)
		if err != nil {
			t.Fatal(err)
		}
		for method, make := range methods {
			opt := opt
			warm, cold, last := 0, 0, math.Inf(1)
			if method == "gcg" {
				opt.Improver = &solver.Corrective{}
			}
			err := solver.Path(context.Background(), p, make, opt, grid, linear, func(lambda float64, r *solver.Result) bool {
				q := *p
				q.Penalty = linear(lambda)
				single := opt
				if opt.Improver != nil {
					single.Improver = &solver.Corrective{} // one that has seen no other λ
				}
				alone := testrun.Must(t, &q, make(), single)
				warm, cold = warm+r.Iter, cold+alone.Iter
				f, want := r.State.Cert.Objective, alone.State.Cert.Objective
				if r.Status != solver.Converged || math.Abs(f-want) > 1e-4*want {
					t.Errorf("%s/%s at λ = %g: %s with %.9g, by itself %.9g", name, method, lambda, r.Status, f, want)
				}
				if f > last*(1+1e-4) { // F* rises with λ
					t.Errorf("%s/%s: F rises from %g to %g as λ falls", name, method, last, f)
				}
				last = f
				return true
			})
			if err != nil {
				t.Fatal(err)
			}
			if t.Logf("%s/%s: %d steps from warm starts, %d from zero", name, method, warm, cold); warm > cold {
				t.Errorf("%s/%s: warm starts cost steps: %d, from zero %d", name, method, warm, cold)
			}
		}
	}
}

// The time of a path is that of all its λ: the one that it runs out in is the last.
func TestTimeOfPath(t *testing.T) {
	p := generated(t, medium, 4)
	var seen []solver.Status
	opt := solver.Options{Tol: 1e-9, MaxTime: 100 * time.Millisecond, Improver: sleeper{}}
	err := solver.Path(context.Background(), p, func() solver.Method { return &conditional.GCG{} }, opt, []float64{9, 8, 7, 6},
		func(lambda float64) gcg.Penalty { return gauge.Linear{Lambda: lambda} },
		func(_ float64, r *solver.Result) bool { seen = append(seen, r.Status); return true })
	if err != nil || len(seen) != 1 || seen[0] != solver.MaxTime {
		t.Errorf("the path ended with %v, %v", seen, err)
	}
}

// Along a path each λ ends where a run by itself ends.
func TestPathEndsWhereRunsEnd(t *testing.T) {
	for name, g := range map[string]gcg.Gauge{"trace": gauge.Trace{}, "l1": gauge.L1{}, "group": gauge.Group{}} {
		for _, intercept := range []bool{false, true} {
			for tol, points := range map[float64]int{0.05: 20, 1e-7: 6} {
				p := testproblem.Classification(t, 400, 12, 5, 1, intercept)
				p.Gauge = g
				method, improver := &conditional.GCG{}, solver.Improver(&solver.Corrective{})
				if name == "trace" {
					method.OutsideW, improver = true, &fixedrank.Local{}
				}
				lambdas, err := solver.Grid(0.1, 1e-3, points)
				if err != nil {
					t.Fatal(err)
				}
				with := func(lambda float64) gcg.Penalty { return gauge.Linear{Lambda: lambda} }
				err = solver.Path(context.Background(), p, func() solver.Method { m := *method; return &m },
					solver.Options{Tol: tol, MinIter: 1, Improver: improver, MaxIter: 60}, lambdas, with,
					func(lambda float64, r *solver.Result) bool {
						if r.Status != solver.Converged {
							t.Errorf("%s, intercept %v, λ = %.2g: %s, relative gap %.1e of %g", name, intercept, lambda, r.Status,
								r.State.Cert.Relative, tol)
						}
						if lambda != lambdas[points-1] {
							return true
						}
						q, m := *p, *method
						q.Penalty = with(lambda)
						own := solver.Improver(&solver.Corrective{})
						if name == "trace" {
							own = &fixedrank.Local{}
						}
						alone, err := solver.Run(context.Background(), &q, &m, solver.Options{Tol: 1e-8, Improver: own,
							MaxIter: 100})
						if err != nil {
							t.Fatal(err)
						}
						least, f := alone.State.Cert.Objective, r.State.Cert.Objective
						if f < least*(1-1e-8)-1e-12 || f > least*(1+tol)+1e-12 || r.State.Cert.LowerBound > least+1e-12 ||
							math.IsNaN(f) {
							t.Errorf("%s, intercept %v, λ = %.2g: F is %v with a bound of %v, and %v of a run by itself",
								name, intercept, lambda, f,
								r.State.Cert.LowerBound, least)
						}
						return true
					})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
