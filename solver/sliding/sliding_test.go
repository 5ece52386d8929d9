package sliding_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/testrun"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/sliding"
)

// Sliding needs at most a quarter of the gradients of open-loop steps for the same objective, whatever the number of inner steps.
func TestFewerGradients(t *testing.T) {
	d := testproblem.FactorMatrix(5, 20, 60, 6)
	p := testproblem.Selection(t, 20, 60, d, 0.001)
	const steps = 200
	loop := testrun.Must(t, p, &conditional.GCG{Rule: conditional.OpenLoop, Atoms: 1}, solver.Options{Tol: 1e-9, MaxIter: steps})
	goal, taken := loop.State.Cert.Objective, loop.State.Count.Gradients
	for m := 2; m <= 7; m++ {
		needed := 0
		testrun.Must(t, p, &sliding.Method{Refined: true, Steps: m}, solver.Options{Tol: 1e-9, MaxIter: steps / 2,
			Event: func(e solver.Event) {
				if needed == 0 && e.State.Cert.Objective <= goal {
					needed = e.State.Count.Gradients
				}
			}})
		if needed == 0 || 4*needed > taken {
			t.Errorf("m = %d: %d gradients for what open-loop steps have after %d", m, needed, taken)
		}
	}
}

// One gradient a step, m polars, and those of certificates are what a result counts.
func TestCounts(t *testing.T) {
	p := testproblem.Selection(t, 8, 15, testproblem.FactorMatrix(2, 8, 15, 3), 0.01)
	const steps, m = 12, 4
	certificates := 0
	r := testrun.Must(t, p, &sliding.Method{Refined: true, Steps: m, Lipschitz: 1}, solver.Options{Tol: 1e-12, MaxIter: steps,
		CertifyEvery: 1, Event: func(solver.Event) { certificates++ }})
	if got := r.State.Count.Gradients; got < steps || got > steps+2 { // and those of the start and of the end
		t.Errorf("%d gradients of %d steps", got, steps)
	}
	// every inner step has a polar, but the last ones of a loop that is done; L has one too, and so has the end
	if got := r.State.Count.Polars; got > steps*m+certificates+2 || got < steps+certificates {
		t.Errorf("%d polars of %d steps with %d inner ones, and %d certificates", got, steps, m, certificates)
	}
}

// On losses that are strongly convex it closes the gap, with an intercept, under a bound of κ and with low-rank atoms.
func TestCloses(t *testing.T) {
	op, y, _, _ := testproblem.Regression(t, 60, 8, 3)
	for name, p := range map[string]*gcg.Problem{
		"trace": {Operator: op, Loss: &loss.Squared{Y: y, Group: 3}, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 20}},
		"entries, intercept": {Operator: op, Loss: &loss.Squared{Y: y, Group: 3}, Gauge: gauge.L1{},
			Penalty:   gauge.Linear{Lambda: 20},
			Intercept: true},
		"rows, ball": {Operator: op, Loss: &loss.Squared{Y: y, Group: 3}, Gauge: gauge.Group{}, Penalty: gauge.Ball{Zeta: 0.5}},
		"square": {Operator: op, Loss: &loss.Huber{Y: y, Mu: 0.5, Group: 3}, Gauge: gauge.Trace{},
			Penalty: gauge.Square{Lambda: 2}},
	} {
		for _, refined := range []bool{false, true} {
			r := testrun.Must(t, p, &sliding.Method{Refined: refined, Steps: 20}, solver.Options{Tol: 1e-4, MaxIter: 400})
			if r.Status != solver.Converged {
				t.Errorf("%s, refined %v: %s after %d, gap %.2g", name, refined, r.Status, r.Iter, r.State.Cert.Relative)
			}
		}
	}
}

// As printed with a known distance and horizon, F is below the bound of [Cheung15 Corollary 1], in the norm of the library: 3LD₀/
// (K(K+1)) for L in place of L/2.
func TestCorollary(t *testing.T) {
	p, s := testproblem.Full(t, 12, 10, 1, 9)
	p.Penalty = gauge.Ball{Zeta: 9}
	want := testproblem.Thresholded(p.Penalty, s)
	const horizon = 12
	distance := 81.0 // ‖W*‖ ≤ κ(W*) ≤ 9, and the start is 0
	r, err := solver.Run(context.Background(), p, &sliding.Method{Printed: true, Horizon: horizon, Distance: distance,
		Lipschitz: 1,
		Steps:     5000}, solver.Options{Tol: 1e-12, MaxIter: horizon})
	if err != nil {
		t.Fatal(err)
	}
	if f, bound := r.State.Cert.Objective, want+6*distance/(horizon*(horizon+1)); f > bound {
		t.Errorf("F = %v after %d steps, bound %v", f, horizon, bound)
	}
}

// stretched is ½Σ(d_i w_ij - y_ij)² + λ Σ|w_ij|, of which L = max d², μ = min d² and the optimum are known: w_ij is d_i y_ij less
// λ, over d_i².
func stretched(t *testing.T, d []float64, n int, lambda float64) (p *gcg.Problem, optimum float64) {
	t.Helper()
	m := len(d)
	x, y := make([]float64, m*m), testproblem.FactorMatrix(3, m, n, 2)
	for i, v := range d {
		x[i*m+i] = v
		for _, b := range y[i*n : (i+1)*n] {
			w := math.Max(math.Abs(v*b)-lambda, 0) / (v * v)
			optimum += (v*w-math.Abs(b))*(v*w-math.Abs(b))/2 + lambda*w
		}
	}
	features, err := operator.DenseFeatures(m, m, x)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewDesign(features, n)
	if err != nil {
		t.Fatal(err)
	}
	return &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y, Group: n}, Gauge: gauge.L1{},
			Penalty: gauge.Linear{Lambda: lambda}},
		optimum
}

// Restarted for a strongly convex loss, F - F* halves with each restart, as [Lan and Zhou 2016] promise; without
// restarts the bound is of order 1/k².
func TestRestart(t *testing.T) {
	p, want := stretched(t, []float64{1, 0.9, 0.8, 0.7, 0.6, 0.5}, 4, 0.02)
	start, err := gcg.NewState(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	const l, mu = 1, 0.25
	first := start.Objective(p) - want
	steps := int(math.Ceil(2 * math.Sqrt(6*l/mu)))
	m := &sliding.Method{Printed: true, Lipschitz: l, Restart: steps, Distance: 2 * first / mu, Steps: 100000}
	phases := 0
	r := testrun.Must(t, p, m, solver.Options{Tol: 1e-9, MaxIter: 12 * steps, Event: func(e solver.Event) {
		if e.Iter%steps != 0 {
			return
		}
		phases = e.Iter / steps
		if above, bound := e.State.Cert.Objective-want, first*math.Pow(0.5, float64(phases)); above > bound*(1+1e-12) {
			t.Errorf("after %d restarts F is %.3g above the optimum, more than %.3g", phases, above, bound)
		}
	}})
	if got := r.State.Count.Gradients; phases < 10 || got > r.Iter+2 {
		t.Errorf("%d restarts, %d gradients of %d steps", phases, got, r.Iter)
	}
}

// Where L is not given it is found, at any scale of the loss, for no more gradients than twice those of the known one.
func TestBacktracking(t *testing.T) {
	for _, scale := range []float64{1e-3, 1, 1e3} {
		d := []float64{1, 0.9, 0.8, 0.7, 0.6, 0.5}
		for i := range d {
			d[i] *= scale
		}
		p, want := stretched(t, d, 4, 0.02*scale)
		taken := func(l float64) (gradients int) {
			testrun.Must(t, p, &sliding.Method{Lipschitz: l}, solver.Options{Tol: 1e-9, MaxIter: 100,
				Event: func(e solver.Event) {
					if gradients == 0 && e.State.Cert.Objective <= want*(1+1e-4) {
						gradients = e.State.Count.Gradients
					}
				}})
			return gradients
		}
		known, found := taken(scale*scale), taken(0)
		if known == 0 || found == 0 || found > 2*known {
			t.Errorf("scale %v: 1e-4 of the optimum after %d gradients, and %d with L", scale, found, known)
		}
	}
}

// As printed it needs a bound of κ(W*): of losses that state no infimum by their conjugates.
func TestPrintedOfEveryLoss(t *testing.T) {
	op, y, signs, labels := testproblem.Regression(t, 60, 8, 3)
	for name, l := range map[string]gcg.Loss{"huber": &loss.Huber{Y: y, Mu: 0.5, Group: 3},
		"logistic": &loss.Logistic{Y: signs, Group: 3}, "softmax": &loss.Softmax{Labels: labels, Classes: 3}} {
		p := &gcg.Problem{Operator: op, Loss: l, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 2}}
		r := testrun.Must(t, p, &sliding.Method{Printed: true}, solver.Options{Tol: 1e-2, MaxIter: 200})
		if r.Status != solver.Converged {
			t.Errorf("%s: %s after %d, gap %.2g", name, r.Status, r.Iter, r.State.Cert.Relative)
		}
	}
}

func TestRefuses(t *testing.T) {
	p := testproblem.Selection(t, 5, 9, testproblem.FactorMatrix(1, 5, 9, 2), 0.1)
	for want, m := range map[string]*sliding.Method{
		"at least 2 inner steps": {Refined: true, Printed: true, Steps: 1},
		"not negative":           {Steps: -1},
		"finite":                 {Lipschitz: math.Inf(1)},
	} {
		if _, err := solver.Run(context.Background(), p, m, solver.Options{}); err == nil || !strings.Contains(err.Error(),
			want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
