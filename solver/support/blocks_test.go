package support_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/testrun"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
)

// proximalGradient is the slow twin: F at the end of many accelerated steps on a dense W, h = λx.
func proximalGradient(p *gcg.Problem, lambda float64, steps int) float64 {
	m, n, nobs := p.Operator.Dims()
	prox := p.Gauge.(view.ProxGauge)
	all := gcg.Atom{}
	for i := range m {
		for j := range n {
			all.Rows, all.Cols = append(all.Rows, int32(i)), append(all.Cols, int32(j))
		}
	}
	value := func(w, r []float64) float64 {
		z := make([]float64, nobs)
		all.Vals = w
		p.Operator.AtomTo(z, 0, &all)
		return p.Loss.Eval(0, z, r)
	}
	w, v := make([]float64, m*n), make([]float64, m*n)
	next, g, r := make([]float64, m*n), make([]float64, m*n), make([]float64, nobs)
	t, l := 1.0, 1e-3
	best := math.Inf(1)
	for range steps {
		f := value(v, r)
		p.Operator.Adjoint(r).(gcg.DenseMap).RowsTo(g, 0)
		var rho float64
		for ; ; l *= 2 {
			for e := range next {
				next[e] = v[e] + g[e]/l
			}
			rho = prox.ProxTo(next, next, m, n, lambda/l)
			bound := f
			for e := range next {
				d := next[e] - v[e]
				bound += -g[e]*d + l/2*d*d
			}
			if value(next, nil) <= bound+1e-14*math.Abs(f) {
				break
			}
		}
		if now := value(next, nil) + lambda*rho; now > best {
			t = 1 // restart
		} else {
			best = now
		}
		tn := (1 + math.Sqrt(1+4*t*t)) / 2
		for e := range next {
			v[e] = next[e] + (t-1)/tn*(next[e]-w[e])
		}
		t = tn
		copy(w, next)
	}
	return best
}

func TestBlockGauges(t *testing.T) {
	const n, p, outputs = 60, 25, 3
	op, y, signs, labels := testproblem.Regression(t, n, p, outputs)
	weights := make([]float64, p*outputs)
	for e := range weights {
		weights[e] = 0.5 + float64(e%4)
	}
	gauges := []gcg.Gauge{gauge.L1{}, gauge.L1{Weights: weights}, gauge.PositiveL1{}, gauge.Group{},
		gauge.Group{BySize: true, ByColumns: true},
		gauge.Group{Inner: gauge.LInf}, gauge.Group{Index: [][]int32{{0, 1, 2, 9}, {12, 5}, {20, 21, 22, 23, 24, 25, 26}, {30}}}}
	losses := map[string]gcg.Loss{
		"squared": &loss.Squared{Y: y}, "logistic": &loss.Logistic{Y: signs, Mean: true}, "huber": &loss.Huber{Y: y, Mu: 0.3},
		"softmax": &loss.Softmax{Labels: labels, Classes: outputs, Mean: true}, "squared hinge": &loss.SquaredHinge{Y: signs},
	}
	for _, k := range gauges {
		for name, l := range losses {
			t.Run(k.Name()+"/"+name, func(t *testing.T) {
				q := &gcg.Problem{Operator: op, Loss: l, Gauge: k, Penalty: gauge.Linear{Lambda: 1}}
				top, err := solver.MaxLambda(context.Background(), q)
				if err != nil {
					t.Fatal(err)
				}
				lambda := 0.15 * top
				q.Penalty = gauge.Linear{Lambda: lambda}
				r, err := solver.Run(context.Background(), q, &conditional.GCG{},
					solver.Options{Tol: 1e-8, Improver: &solver.Corrective{}, MaxIter: 100})
				if err != nil {
					t.Fatal(err)
				}
				if r.State.Cert.Relative > 1e-7 {
					t.Errorf("the gap is %g (%s after %d iterations)", r.State.Cert.Relative, r.Status, r.Iter)
				}
				testrun.Bracket(t, r, proximalGradient(q, lambda, 3000), 1e-6)
			})
		}
	}
}

// Every penalty: a ball at the radius of the penalised solution has the same loss, and so has the square whose slope there
// is λ.
func TestBlockPenalties(t *testing.T) {
	op, y, _, _ := testproblem.Regression(t, 60, 25, 1)
	for _, k := range []gcg.Gauge{gauge.L1{}, gauge.PositiveL1{}, gauge.Group{Index: [][]int32{{0, 1, 2}, {3, 4, 5, 6}, {10,
		11}}}} {
		for _, intercept := range []bool{false, true} {
			q := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: k, Penalty: gauge.Linear{Lambda: 8},
				Intercept: intercept}
			solve := func(h gcg.Penalty) *solver.Result {
				q.Penalty = h
				r, err := solver.Run(context.Background(), q, &conditional.GCG{},
					solver.Options{Tol: 1e-9, Improver: &solver.Corrective{}, MaxIter: 100})
				if err != nil {
					t.Fatal(err)
				}
				if r.State.Cert.Relative > 1e-7 {
					t.Errorf("%s, %T: the gap is %g (%s)", k.Name(), h, r.State.Cert.Relative, r.Status)
				}
				return r
			}
			r := solve(gauge.Linear{Lambda: 8})
			rho := r.State.Rho
			for _, h := range []gcg.Penalty{gauge.Ball{Zeta: rho}, gauge.Square{Lambda: 8 / rho}} {
				if s := solve(h); math.Abs(s.State.Loss-r.State.Loss) > 1e-5*r.State.Loss ||
					math.Abs(s.State.Rho-rho) > 1e-4*rho {
					t.Errorf("%s, %T, intercept %v: loss %g at ρ %g, want %g at %g", k.Name(), h, intercept, s.State.Loss,
						s.State.Rho,
						r.State.Loss, rho)
				}
			}
		}
	}
}

// In a ball around few of many nearly collinear columns the multiplier is searched for near the last one: the minimiser without
// the ball is far away, and descents from it to feasible ones do not end.
func TestBallOfCollinearColumns(t *testing.T) {
	const n, p, factors = 100, 600, 5
	rng := rand.New(rand.NewPCG(6, 2))
	draw := func(k int) []float64 {
		x := make([]float64, k)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		return x
	}
	scores, loadings, x, y, signs := draw(n*factors), draw(p*factors), draw(n*p), draw(n), make([]float64, n)
	for i := range n {
		for j := range p {
			x[i*p+j] = 0.02*x[i*p+j] + kernel.Dot(scores[i*factors:(i+1)*factors], loadings[j*factors:(j+1)*factors])
		}
		y[i] = x[i*p+3] - x[i*p+8] + 2*x[i*p+9] - 2*x[i*p+20] + 0.3*y[i]
		signs[i] = math.Copysign(1, y[i])
	}
	f, err := operator.DenseFeatures(n, p, x)
	if err != nil {
		t.Fatal(err)
	}
	op, _ := operator.NewDesign(f, 1)
	for name, l := range map[string]gcg.Loss{"squared": &loss.Squared{Y: y}, "logistic": &loss.Logistic{Y: signs}} {
		opt := solver.Options{Tol: 1e-6, MaxIter: 60, Improver: &solver.Corrective{}}
		q, lambda := testrun.AtFraction(t, &gcg.Problem{Operator: op, Loss: l, Gauge: gauge.L1{}}, 0.005)
		loose := opt
		loose.Tol = 1e-2
		rho := testrun.Must(t, q, &conditional.GCG{}, loose).State.Rho
		for _, h := range []gcg.Penalty{gauge.Ball{Zeta: rho}, gauge.Square{Lambda: lambda / rho}} {
			q.Penalty = h
			if r := testrun.Must(t, q, &conditional.GCG{}, opt); r.Status != solver.Converged || r.Iter > 15 {
				t.Errorf("%s, %T: %s after %d steps with gap %g", name, h, r.Status, r.Iter, r.State.Cert.Relative)
			}
		}
	}
}

// Groups of many entries under ℓ∞: descent over the blocks and Newton steps on their faces close the gap in few iterations.
func TestWideBlocks(t *testing.T) {
	op, y, signs, _ := testproblem.Regression(t, 120, 60, 4)
	index := make([][]int32, 7)
	at := 0
	for g, size := range []int{1, 2, 3, 5, 8, 13, 20} { // features, of four entries each
		for range size * 4 {
			index[g] = append(index[g], int32(at))
			at++
		}
	}
	for _, l := range []gcg.Loss{&loss.Squared{Y: y}, &loss.Logistic{Y: signs, Group: 4}} {
		for _, pen := range []gcg.Penalty{gauge.Linear{Lambda: 20}, gauge.Ball{Zeta: 4}} {
			p := &gcg.Problem{Operator: op, Loss: l, Gauge: gauge.Group{Inner: gauge.LInf, Index: index}, Penalty: pen,
				Intercept: true}
			r, err := solver.Run(context.Background(), p, &conditional.GCG{},
				solver.Options{Tol: 1e-6, Improver: &solver.Corrective{}, MaxIter: 12})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != solver.Converged {
				t.Errorf("%T, %T: %s after %d iterations at a gap of %g", l, pen, r.Status, r.Iter, r.State.Cert.Relative)
			}
		}
	}
}

// Outputs that share no observations have second derivatives of their own: there may be more entries in all than one matrix
// would have room for.
func TestManySeparateOutputs(t *testing.T) {
	const outputs = 420
	op, _, signs, _ := testproblem.Regression(t, 12, 50, outputs)
	p := &gcg.Problem{Operator: op, Loss: &loss.SquaredHinge{Y: signs, Group: outputs}, Gauge: gauge.Group{ByColumns: true},
		Penalty: gauge.Linear{Lambda: 0.3}}
	r, err := solver.Run(context.Background(), p, &conditional.GCG{},
		solver.Options{Tol: 1e-3, Improver: &solver.Corrective{}, MaxIter: 20})
	if err != nil {
		t.Fatal(err)
	}
	entries := 0
	for _, term := range r.State.W.Terms {
		entries += len(term.Atom.Vals)
	}
	if r.Status != solver.Converged || entries <= 20000 {
		t.Errorf("%s after %d iterations at a gap of %g, with %d entries", r.Status, r.Iter, r.State.Cert.Relative, entries)
	}
}
