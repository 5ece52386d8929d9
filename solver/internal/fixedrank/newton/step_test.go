package newton_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/model"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/newton"
)

// A watched design tells how often second derivatives are formed of all entries of W, and may have no metric for steps by them.
type watched struct {
	*operator.Design
	formed   int
	metrical bool
}

func (w *watched) Columns(rows, cols []int32) []gcg.Column {
	if m, n, _ := w.Dims(); len(rows) == m*n {
		w.formed++
	}
	return w.Design.Columns(rows, cols)
}

// Kronecker has no number for the first feature where the metric is asked for, which is for weights of 1.
func (w *watched) Kronecker(weights []float64, centred bool) (gram *gcg.Factor, left, right []float64) {
	gram, left, right = w.Design.Kronecker(weights, centred)
	if !w.metrical && slices.Min(weights) == 1 && slices.Max(weights) == 1 {
		gram.Data[0] = math.NaN()
	}
	return gram, left, right
}

// watch replaces the operator of a problem by a watched one.
func watch(p *gcg.Problem) *watched {
	w := &watched{Design: p.Operator.(*operator.Design), metrical: true}
	p.Operator = w
	return w
}

// Where conjugate gradients lead nowhere, here for want of room, second derivatives are formed though products have not cost as
// much; and where steps by these lead nowhere, here for want of a metric, conjugate gradients go on.
func TestStepsOfTheOtherKind(t *testing.T) {
	for _, formed := range []bool{false, true} {
		p := testproblem.Classification(t, 100, 9, 7, 2, false)
		w := watch(p)
		w.metrical = !formed
		n := newton.New(view.Of(p), testproblem.FirstStep(t, p))
		n.Basis = &model.Basis{}
		n.FormPolicy.Of(view.Of(p))
		if formed {
			n.FormPolicy.Spent = 1e12 // more than they cost
		} else {
			n.NoRoom()
		}
		n.Linearise()
		f := n.F
		if !n.Step(context.Background(), 10) || !(n.F < f) {
			t.Errorf("formed %v: F went from %v to %v", formed, f, n.F)
		}
		if w.formed == 0 || formed && n.Products == 0 {
			t.Errorf("formed %v: nothing else was tried, of %d products", formed, n.Products)
		}
	}
}

// Where features are alike and λ is tiny, second derivatives are formed once products cost as much, and the certificate closes
// without many more of these, under every penalty.
func TestFormedSteps(t *testing.T) {
	for _, intercept := range []bool{false, true} {
		for _, pen := range []gcg.Penalty{gauge.Linear{Lambda: 1e-6}, gauge.Square{Lambda: 1e-7}, gauge.Ball{Zeta: 20}} {
			p := testproblem.Classification(t, 400, 12, 5, 2, intercept) // features grow to two thousand times the first
			p.Penalty = pen
			w := watch(p)
			opt := solver.Options{Tol: 1e-8, Improver: &fixedrank.Local{}, MaxIter: 30}
			r, err := solver.Run(context.Background(), p, &conditional.GCG{}, opt)
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != solver.Converged {
				t.Errorf("intercept %v, %T: %s at a gap of %g after %d iterations",
					intercept, pen, r.Status, r.State.Cert.Relative, r.Iter)
			}
			if w.formed == 0 {
				t.Errorf("intercept %v, %T: second derivatives were not formed", intercept, pen)
			}
			price := &model.FormPolicy{}
			price.Of(view.Of(p))
			if most := 2*price.Left(1, 0) + 100; r.State.Count.Products > most {
				t.Errorf("intercept %v, %T: %d products, more than %d", intercept, pen, r.State.Count.Products, most)
			}
		}
	}
}

// Second derivatives of losses with kinks vanish for most observations of few features, and conjugate gradients come to
// nothing: formed, with secants and damped by how far predictions move, they close the certificate.
func TestFormedStepsOfHinges(t *testing.T) {
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
	for name, l := range map[string]gcg.Loss{
		"squared":  &loss.SquaredHinge{Y: y, Group: outputs},
		"smoothed": &loss.SmoothedHinge{Y: y, Mu: 0.3, Group: outputs},
	} {
		for _, intercept := range []bool{false, true} {
			p := &gcg.Problem{Operator: op, Loss: l, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 0.01},
				Intercept: intercept}
			opt := solver.Options{Tol: 1e-6, Improver: &fixedrank.Local{}, MaxIter: 40}
			r, err := solver.Run(context.Background(), p, &conditional.GCG{OutsideW: true}, opt)
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != solver.Converged {
				t.Errorf("%s, intercept %v: %s at a gap of %g after %d iterations",
					name, intercept, r.Status, r.State.Cert.Relative, r.Iter)
			}
		}
	}
}

// Directions that die, features of tiny scale and the edge of a ball hold nothing up: what moves no predictions is damped too.
func TestFormedStepsWithTinyFeatures(t *testing.T) {
	for _, c := range []struct {
		seed uint64
		zeta float64 // over the inverse of the least λ with W = 0, or 0 for a λ
	}{{1, 0}, {2, 0}, {5, 0}, {8, 0}, {10, 0}, {11, 0}, {3, 0.3}, {6, 0.3}, {13, 300}, {4, 3000}, {29, 3000}} {
		seed, p := c.seed, tinyProblem(t, c.seed, c.zeta)
		opt := solver.Options{Tol: 1e-8, Improver: &fixedrank.Local{}, MaxIter: 60}
		r, err := solver.Run(context.Background(), p, &conditional.GCG{}, opt)
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != solver.Converged {
			t.Errorf("seed %d: %s at a gap of %g after %d iterations", seed, r.Status, r.State.Cert.Relative, r.Iter)
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
	l := &loss.Softmax{Labels: labels, Classes: classes, Mean: true}
	p := &gcg.Problem{Operator: op, Loss: l, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 1}, Intercept: seed%2 == 0}
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
