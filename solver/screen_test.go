package solver_test

import (
	"context"
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/testrun"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/solver"
)

// dense is W, row-major.
func dense(w *gcg.Iterate) []float64 {
	x := make([]float64, w.M*w.N)
	for _, t := range w.Terms {
		for e, v := range t.Atom.Vals {
			x[int(t.Atom.Rows[e])*w.N+int(t.Atom.Cols[e])] += t.Weight * v
		}
	}
	return x
}

// Along a path, every block that the screen drops is 0 at the optimum of the whole problem, found without screening to a
// tight gap, and the screened optimum is the same.
func TestScreeningIsSafe(t *testing.T) {
	const n, p, outputs = 50, 80, 2
	op, y, signs, labels := testproblem.Regression(t, n, p, outputs)
	weights := make([]float64, p*outputs)
	for e := range weights {
		weights[e] = 0.5 + float64(e%4)
	}
	groups := [][]int32{{0, 1, 2, 9}, {12, 5}, {20, 21, 22, 23, 24, 25, 26}, {30}, {40, 41, 42}, {50, 60, 70}, {80, 81}}
	gauges := []gcg.BlockGauge{gauge.L1{}, gauge.L1{Weights: weights}, gauge.PositiveL1{}, gauge.Group{},
		gauge.Group{BySize: true, Weights: weights[:p]},
		gauge.Group{Inner: gauge.LInf}, gauge.Group{Index: groups, BySize: true}, gauge.Group{Index: groups, Inner: gauge.LInf}}
	losses := map[string]gcg.Loss{"squared": &loss.Squared{Y: y}, "logistic": &loss.Logistic{Y: signs, Mean: true},
		"softmax": &loss.Softmax{Labels: labels, Classes: outputs, Mean: true}, "huber": &loss.Huber{Y: y, Mu: 0.3}}
	for _, k := range gauges {
		m, cols, _ := op.Dims()
		var all, reduced int
		for name, l := range losses {
			problem := &gcg.Problem{Operator: op, Loss: l, Gauge: k, Intercept: name == "logistic"}
			q, c, err := solver.Screened(problem)
			if err != nil {
				t.Fatal(err)
			}
			var start *gcg.Iterate
			for _, fraction := range []float64{0.9, 0.5, 0.2, 0.1} {
				whole, _ := testrun.AtFraction(t, problem, fraction)
				want := testrun.Must(t, whole, &solver.GCG{}, solver.Options{Tol: 1e-10, Improver: &solver.Corrective{}, MaxIter: 100})
				q.Penalty = whole.Penalty
				r, err := c.Run(context.Background(), q, &solver.GCG{},
					solver.Options{Tol: 1e-7, Start: start, Improver: &solver.Corrective{}, MaxIter: 100})
				if err != nil {
					t.Fatal(err)
				}
				start = r.State.W
				testrun.Bracket(t, r, want.State.Cert.Objective, 1e-6)
				if r.Screened != len(c.Dropped()) || r.Status != solver.Converged {
					t.Errorf("%s/%s: %d blocks dropped, the result says %d; %s", k.Name(), name, len(c.Dropped()), r.Screened, r.Status)
				}
				x := dense(want.State.W)
				top := 1e-6 * maxOf(x)
				for _, key := range c.Dropped() {
					rows, at := k.Block(key, m, cols)
					for e := range rows {
						if v := x[int(rows[e])*cols+int(at[e])]; math.Abs(v) > top {
							t.Errorf("%s/%s at %g λ₀: block %d was dropped, and is %g at the optimum", k.Name(), name, fraction, key, v)
						}
					}
				}
				all += len(c.Dropped())
				if c.Reduced() {
					reduced++
				}
			}
		}
		if all == 0 {
			t.Errorf("%s: nothing was ever dropped", k.Name())
		}
		t.Logf("%s: %d blocks dropped in 16 problems of %d, %d reduced", k.Name(), all, k.Blocks(m, cols), reduced)
	}
}

func maxOf(x []float64) float64 {
	var top float64
	for _, v := range x {
		top = math.Max(top, math.Abs(v))
	}
	return top
}

// The reduced gradient is the whole one on the entries that are left, in every form that a map has.
func TestReducedGradient(t *testing.T) {
	for _, outputs := range []int{1, 2} {
		op, y, _, _ := testproblem.Regression(t, 50, 80, outputs)
		problem, _ := testrun.AtFraction(t, &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.L1{}}, 0.9)
		q, c, err := solver.Screened(problem)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Run(context.Background(), q, &solver.GCG{},
			solver.Options{Tol: 1e-13, Improver: &solver.Corrective{}}); err != nil {
			t.Fatal(err)
		}
		if !c.Reduced() {
			t.Fatalf("%d outputs: not reduced with %d blocks dropped", outputs, len(c.Dropped()))
		}
		m, n, _ := op.Dims()
		whole, part := make([]float64, m*n), make([]float64, m*n)
		op.Adjoint(y).(gcg.DenseMap).RowsTo(whole, 0)
		for _, key := range c.Dropped() {
			whole[key-1] = 0
		}
		g := c.Adjoint(y)
		g.(gcg.DenseMap).RowsTo(part[:3*n], 0)
		g.(gcg.DenseMap).RowsTo(part[3*n:], 3)
		for e := range whole {
			if math.Abs(whole[e]-part[e]) > 1e-10*maxOf(whole) {
				t.Fatalf("entry %d is %v, want %v", e, part[e], whole[e])
			}
		}
		for j := range n {
			x, gx := make([]float64, n), make([]float64, m)
			x[j] = 2
			g.MulTo(gx, x)
			for i := range m {
				back, u := make([]float64, n), make([]float64, m)
				u[i] = 2
				g.TMulTo(back, u)
				if math.Abs(gx[i]-2*part[i*n+j]) > 1e-12*maxOf(whole) || math.Abs(back[j]-gx[i]) > 1e-12*maxOf(whole) {
					t.Fatalf("products at (%d, %d) are %v and %v, want %v", i, j, gx[i], back[j], 2*part[i*n+j])
				}
			}
		}
	}
}

// A path with screening visits the same λ with the same optima; what does not qualify is refused by name.
func TestScreenedPath(t *testing.T) {
	op, y, _, _ := testproblem.Regression(t, 50, 80, 1)
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.L1{}, Penalty: gauge.Linear{Lambda: 1}, Intercept: true}
	top, err := solver.MaxLambda(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	grid, err := solver.Grid(top, 0.01, 10)
	if err != nil {
		t.Fatal(err)
	}
	linear := func(lambda float64) gcg.Penalty { return gauge.Linear{Lambda: lambda} }
	var f [2][]float64
	for i, screen := range []bool{false, true} {
		opt := solver.Options{Tol: 1e-8, Screen: screen, Improver: &solver.Corrective{}}
		err := solver.Path(context.Background(), p, func() solver.Method { return &solver.GCG{} }, opt, grid, linear,
			func(lambda float64, r *solver.Result) bool {
				if r.Status != solver.Converged || !screen && r.Screened > 0 {
					t.Errorf("screen %v, λ = %g: %s, %d screened", screen, lambda, r.Status, r.Screened)
				}
				if lambda == top && !r.State.W.Zero() {
					t.Errorf("at λ₀ W has %d terms", len(r.State.W.Terms))
				}
				f[i] = append(f[i], r.State.Cert.Objective)
				return len(f[i]) < 9
			})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(f[0]) != 9 || len(f[1]) != 9 {
		t.Fatalf("%d and %d points, and 9 were asked for", len(f[0]), len(f[1]))
	}
	for i := range f[0] {
		if math.Abs(f[0][i]-f[1][i]) > 2e-8*f[0][i] {
			t.Errorf("λ = %g: %.12g, screened %.12g", grid[i], f[0][i], f[1][i])
		}
	}
	refused := func(q gcg.Problem, h func(float64) gcg.Penalty) {
		t.Helper()
		err := solver.Path(context.Background(), &q, func() solver.Method { return &solver.GCG{} }, solver.Options{Screen: true},
			grid, h,
			func(float64, *solver.Result) bool { return true })
		if err == nil {
			t.Errorf("%T, %s, %T: passes", q.Operator, q.Gauge.Name(), q.Loss)
		}
	}
	q := *p
	q.Gauge = gauge.Trace{}
	refused(q, linear)
	q = *p
	q.Loss = withoutCurvature{p.Loss.(gcg.ConjugateLoss)}
	refused(q, linear)
	refused(*p, func(l float64) gcg.Penalty { return gauge.Square{Lambda: l} })
}

// withoutCurvature is a loss that knows its value and its conjugate.
type withoutCurvature struct{ gcg.ConjugateLoss }
