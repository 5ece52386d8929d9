package support_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/testrun"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
	"github.com/seed-b18ef778/gcg/solver/support"
)

// Every gauge with every kind of loss, against accelerated proximal gradient.
func TestAtomDescent(t *testing.T) {
	const n, p, outputs = 40, 15, 3
	op, y, signs, labels := testproblem.Regression(t, n, p, outputs)
	weights := make([]float64, p*outputs)
	for e := range weights {
		weights[e] = 0.5 + float64(e%4)
	}
	gauges := []view.ProxGauge{gauge.L1{}, gauge.L1{Weights: weights}, gauge.PositiveL1{}, gauge.Group{},
		gauge.Group{BySize: true, ByColumns: true},
		gauge.Group{Inner: gauge.LInf}, gauge.Group{Index: [][]int32{{0, 1, 2, 9}, {12, 5}, {20, 21, 22, 23, 24, 25, 26}, {30}}},
		gauge.Lp{P: 3}, gauge.SchattenP{P: 1.5}, gauge.Trace{}}
	losses := map[string]gcg.Loss{"squared": &loss.Squared{Y: y}, "logistic": &loss.Logistic{Y: signs, Mean: true},
		"softmax": &loss.Softmax{Labels: labels, Classes: outputs, Mean: true}, "huber": &loss.Huber{Y: y, Mu: 0.3}}
	for _, k := range gauges {
		for name, l := range losses {
			if _, ok := k.(gauge.Group); ok && (name == "logistic" || name == "huber") {
				continue // the slow twin takes the time
			}
			t.Run(k.Name()+"/"+name, func(t *testing.T) {
				q, lambda := testrun.AtFraction(t, &gcg.Problem{Operator: op, Loss: l, Gauge: k}, 0.15)
				tol, twin := 1e-6, 2000
				switch k.(type) {
				case gcg.BlockGauge:
				case gauge.Lp:
					tol, twin = 1e-3, 300 // a ball without faces: one atom approaches another
				default:
					tol = 1e-5 // one direction at a time, where there are infinitely many
				}
				r := testrun.Must(t, q, &support.AtomDescent{}, solver.Options{Tol: tol, MaxIter: 400})
				if r.Status != solver.Converged {
					t.Errorf("%s after %d iterations with gap %g", r.Status, r.Iter, r.State.Cert.Relative)
				}
				testrun.Bracket(t, r, proximalGradient(q, lambda, twin), 2*tol)
				if _, ok := k.(gauge.Lp); ok {
					return
				}
				s := testrun.Must(t, q, &support.AtomDescent{Atoms: 1}, solver.Options{Tol: 1e-3, MaxIter: 400})
				if s.Status != solver.Converged || math.Abs(s.State.Cert.Objective-r.State.Cert.Objective) > 2e-3*r.State.Cert.Objective {
					t.Errorf("one atom at a time ends %s with %g and gap %g, want %g", s.Status, s.State.Cert.Objective,
						s.State.Cert.Relative,
						r.State.Cert.Objective)
				}
			})
		}
	}
}

// The zero solution, gauges that are only approximated, other penalties, intercepts, one observation.
func TestAtomDescentElsewhere(t *testing.T) {
	op, y, signs, _ := testproblem.Regression(t, 40, 12, 2)
	squared := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.Trace{}}
	q, _ := testrun.AtFraction(t, squared, 1.001)
	if r := testrun.Must(t, q, &support.AtomDescent{}, solver.Options{Tol: 1e-9}); !r.State.W.Zero() || r.Iter != 0 ||
		r.Solution.Epsilon() != 0 {
		t.Errorf("above λ₀: rank %d after %d iterations, ε = %g", r.State.W.Rank(), r.Iter, r.Solution.Epsilon())
	}
	tiny, _, _, _ := testproblem.Regression(t, 1, 1, 1)
	q, _ = testrun.AtFraction(t, &gcg.Problem{Operator: tiny, Loss: &loss.Squared{Y: []float64{2}}, Gauge: gauge.L1{}}, 0.5)
	if r := testrun.Must(t, q, &support.AtomDescent{}, solver.Options{Tol: 1e-12}); r.Status != solver.Converged || r.Iter != 1 {
		t.Errorf("one observation: %s after %d iterations", r.Status, r.Iter)
	}
	for _, k := range []gcg.Gauge{gauge.L1{}, gauge.Group{}, gauge.Trace{}, gauge.Factor{C: math.Inf(1), R: math.Inf(1)}} {
		q, lambda := testrun.AtFraction(t, &gcg.Problem{Operator: op, Loss: &loss.Logistic{Y: signs}, Gauge: k,
			Intercept: true}, 0.2)
		r := testrun.Must(t, q, &support.AtomDescent{}, solver.Options{Tol: 1e-5, MaxIter: 400})
		if f, ok := k.(gauge.Factor); !ok && r.Status != solver.Converged {
			t.Errorf("%s with intercepts: %s with gap %g", k.Name(), r.Status, r.State.Cert.Relative)
		} else if ok && r.Solution.Balance > 1e-3*lambda { // its polar is within a ratio only, and so is the gap
			t.Errorf("%s: (ii') is off by %g", f.Name(), r.Solution.Balance)
		}
		if _, ok := k.(gauge.Factor); ok {
			continue
		}
		// h = ½μx² with μρ = λ has the same solution.
		q.Penalty = gauge.Square{Lambda: lambda / r.State.Rho}
		s := testrun.Must(t, q, &support.AtomDescent{}, solver.Options{Tol: 1e-5, MaxIter: 400})
		if s.Status != solver.Converged || math.Abs(s.State.Loss-r.State.Loss) > 2e-3*r.State.Loss {
			t.Errorf("%s: the square gives %s with loss %g, h = λx %g", k.Name(), s.Status, s.State.Loss, r.State.Loss)
		}
	}
}

// bareLoss is a loss that knows only its value, its derivative and its conjugate.
type bareLoss struct{ gcg.Loss }

func (b bareLoss) Conjugate(lo int, r []float64, s float64) float64 {
	return b.Loss.(gcg.ConjugateLoss).Conjugate(lo, r, s)
}

// Without second derivatives the weights are re-optimised by the paper's cyclic descent, to the same optimum.
func TestAtomDescentWithoutCurvature(t *testing.T) {
	op, y, _, labels := testproblem.Regression(t, 40, 12, 3)
	for _, k := range []gcg.Gauge{gauge.L1{}, gauge.Group{Inner: gauge.LInf}, gauge.Trace{}} {
		for name, l := range map[string]gcg.Loss{"squared": &loss.Squared{Y: y}, "softmax": &loss.Softmax{Labels: labels,
			Classes: 3}} {
			q, _ := testrun.AtFraction(t, &gcg.Problem{Operator: op, Loss: l, Gauge: k}, 0.2)
			want := testrun.Must(t, q, &support.AtomDescent{}, solver.Options{Tol: 1e-5})
			q.Loss = bareLoss{l}
			r := testrun.Must(t, q, &support.AtomDescent{}, solver.Options{Tol: 2e-3, MaxIter: 300})
			if r.Status != solver.Converged ||
				math.Abs(r.State.Cert.Objective-want.State.Cert.Objective) > 2e-3*want.State.Cert.Objective {
				t.Errorf("%s/%s: %s with %g, want %g", k.Name(), name, r.Status, r.State.Cert.Objective,
					want.State.Cert.Objective)
			}
		}
	}
}

// With an ε the run ends at an ε-solution: conditions (i') and (ii') hold for the dense gradient and W.
func TestEpsilonSolutions(t *testing.T) {
	op, y, _, labels := testproblem.Regression(t, 60, 25, 3)
	for _, k := range []gauge.Evaluator{gauge.L1{}, gauge.Group{}, gauge.Trace{}} {
		for name, l := range map[string]gcg.Loss{"squared": &loss.Squared{Y: y},
			"softmax": &loss.Softmax{Labels: labels, Classes: 3, Mean: true}} {
			q, lambda := testrun.AtFraction(t, &gcg.Problem{Operator: op, Loss: l, Gauge: k}, 0.1)
			for _, fraction := range []float64{0.5, 0.1, 1e-3} {
				eps := fraction * lambda
				var last solver.Solution
				r := testrun.Must(t, q, &support.AtomDescent{Epsilon: eps}, solver.Options{Tol: 1e-14, MaxIter: 300,
					Event: func(e solver.Event) { last = e.Solution() }})
				if r.Status != solver.Solved && r.State.Cert.Gap > 1e-12*r.State.LossAtZero || last != r.Solution {
					t.Errorf("%s/%s: %s for ε = %g λ; the last event says %v, the result %v", k.Name(), name, r.Status,
						fraction, last,
						r.Solution)
				}
				x := naiveSolution(t, q, k, r.State, lambda)
				if x.Epsilon() > eps*(1+1e-9) || math.Abs(x.Excess-r.Solution.Excess) > 1e-9*lambda ||
					r.Solution.Epsilon() > eps*(1+1e-9) {
					t.Errorf("%s/%s: ε = %g λ gives %v, the run says %v", k.Name(), name, fraction, x, r.Solution)
				}
			}
		}
	}
}

// naiveSolution measures the conditions on dense matrices, with κ(W) itself.
func naiveSolution(t *testing.T, p *gcg.Problem, k gauge.Evaluator, s *gcg.State, lambda float64) solver.Solution {
	t.Helper()
	m, n, _ := p.Operator.Dims()
	w, g := make([]float64, m*n), make([]float64, m*n)
	for i := range m {
		for j := range n {
			e := gcg.Atom{Rows: []int32{int32(i)}, Cols: []int32{int32(j)}, Vals: []float64{1}}
			g[i*n+j] = e.Dot(s.Gradient(p))
		}
	}
	for _, term := range s.W.Split() {
		x := make([]float64, m*n)
		if term.Atom.LowRank() {
			for e := range x {
				x[e] = term.Atom.U.Row(e / n)[0] * term.Atom.V.Row(e % n)[0]
			}
		}
		for e, v := range term.Atom.Vals {
			x[int(term.Atom.Rows[e])*n+int(term.Atom.Cols[e])] += v
		}
		for e := range w {
			w[e] += term.Weight * x[e]
		}
	}
	polar, err := k.Polar(context.Background(), s.Gradient(p), gcg.Ask{Count: 1})
	if err != nil {
		t.Fatal(err)
	}
	var product float64
	for e := range w {
		product += w[e] * g[e]
	}
	rho := k.Of(w, m, n)
	return solver.Solution{Excess: polar.Bound - lambda, Balance: math.Abs(lambda - product/rho)}
}

// The step from the curvature bound lowers ψ by g²/(2H‖A(a)‖²) at least [Dudik12 Prop 3.4], and the search by no less.
func TestCurvatureStepDecreases(t *testing.T) {
	op, _, _, labels := testproblem.Regression(t, 60, 25, 3)
	l := &loss.Softmax{Labels: labels, Classes: 3, Mean: true}
	q, lambda := testrun.AtFraction(t, &gcg.Problem{Operator: op, Loss: l, Gauge: gauge.Trace{}}, 0.1)
	var fell [2]float64
	for i, plain := range []bool{true, false} {
		var first, size, g float64
		r := testrun.Must(t, q, &support.AtomDescent{CurvatureStep: plain},
			solver.Options{Tol: 1e-9, MaxIter: 1, Event: func(e solver.Event) {
				if e.Iter > 0 {
					return
				}
				first, g = e.State.Cert.Objective, e.State.Polar.Value-lambda
				z := make([]float64, len(e.State.Z))
				q.ApplyAtoms(z, e.State.Polar.Atoms[:1], []float64{1})
				size = math.Pow(gcg.Norm(z), 2)
			}})
		fell[i] = first - r.State.Cert.Objective
		if want := g * g / (2 * l.Curvature() * size); fell[i] < want {
			t.Errorf("curvature step %v: ψ fell by %g, the bound promises %g", plain, fell[i], want)
		}
	}
	if fell[1] < fell[0] {
		t.Errorf("the search gains %g, the plain step %g", fell[1], fell[0])
	}
	if r := testrun.Must(t, q, &support.AtomDescent{CurvatureStep: true},
		solver.Options{Tol: 1e-3, MaxIter: 400}); r.Status != solver.Converged {
		t.Errorf("plain steps: %s with gap %g", r.Status, r.State.Cert.Relative)
	}
}

// Steps can follow an improver or a warm start, which they did not make; several coordinates of one polar do no harm.
func TestAtomDescentFromElsewhere(t *testing.T) {
	op, y, _, _ := testproblem.Regression(t, 60, 25, 3)
	for _, k := range []gcg.Gauge{gauge.Trace{}, gauge.SchattenP{P: 1.5}, gauge.L1{}} {
		q, _ := testrun.AtFraction(t, &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: k}, 0.1)
		start := testrun.Must(t, q, &conditional.GCG{}, solver.Options{Tol: 0.05, MaxIter: 500})
		for name, m := range map[string]*support.AtomDescent{"one": {Atoms: 1}, "several": {Atoms: 5}} {
			r := testrun.Must(t, q, m, solver.Options{Tol: 1e-5, Start: start.State.W, MaxIter: 400})
			if r.Status != solver.Converged {
				t.Errorf("%s/%s: %s with gap %g", k.Name(), name, r.Status, r.State.Cert.Relative)
			}
		}
		if _, ok := k.(gauge.Trace); ok {
			r := testrun.Must(t, q, &support.AtomDescent{}, solver.Options{Tol: 1e-7, Improver: &fixedrank.Local{}, MaxIter: 100})
			if r.Status != solver.Converged {
				t.Errorf("with the local improver: %s with gap %g", r.Status, r.State.Cert.Relative)
			}
		}
	}
}

func TestAtomDescentRefuses(t *testing.T) {
	op, y, _, _ := testproblem.Regression(t, 20, 5, 1)
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.L1{}, Penalty: gauge.Ball{Zeta: 1}}
	if _, err := solver.Run(context.Background(), p, &support.AtomDescent{}, solver.Options{}); err == nil ||
		!strings.Contains(err.Error(), "gauge.Ball") {
		t.Errorf("a ball gives %v", err)
	}
	p.Penalty = gauge.Linear{Lambda: 1}
	if _, err := solver.Run(context.Background(), p, &support.AtomDescent{Epsilon: -1}, solver.Options{}); err == nil {
		t.Error("a negative ε passes")
	}
}

// Lasso with X = I: the solution is y with every entry shrunk by λ.
func ExampleAtomDescent() {
	x, err := operator.DenseFeatures(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	op, err := operator.NewDesign(x, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: []float64{3, -1, 0.2}}, Gauge: gauge.L1{},
		Penalty: gauge.Linear{Lambda: 0.5}}
	r, err := solver.Run(context.Background(), p, &support.AtomDescent{}, solver.Options{Tol: 1e-9})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s with ε = %.3f\n", r.Status, r.Solution.Epsilon())
	for _, t := range r.State.W.Terms {
		fmt.Printf("w%d = %.3f\n", t.Atom.Rows[0], t.Weight*t.Atom.Vals[0])
	}
	// Output:
	// converged with ε = 0.000
	// w0 = 2.500
	// w1 = -0.500
}
