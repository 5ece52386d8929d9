package solver_test

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
)

// A bareLoss has a value and a gradient, and nothing else.
type bareLoss struct{ of gcg.Loss }

func (l bareLoss) Len() int                            { return l.of.Len() }
func (l bareLoss) Stride() int                         { return l.of.Stride() }
func (l bareLoss) Eval(lo int, z, r []float64) float64 { return l.of.Eval(lo, z, r) }

// A loss without second derivatives, and without a bound of its own, is at the optimum within a few steps: gradient steps on both
// factors need none.
func TestBareLoss(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 3))
	const m, n = 20, 10
	y := make([]float64, m*n)
	for e := range y {
		y[e] = math.Floor(2 * math.Exp(math.Sin(float64(e/n))*math.Cos(float64(e%n))+0.3*rng.NormFloat64()))
	}
	op, err := operator.NewIdentity(m, n)
	if err != nil {
		t.Fatal(err)
	}
	for name, k := range map[string]gcg.Gauge{"trace": gauge.Trace{}, "factor": gauge.Factor{C: 2, R: 1}} {
		p := &gcg.Problem{Operator: op, Loss: &loss.Poisson{Y: y}, Gauge: k, Penalty: gauge.Linear{Lambda: 1}}
		method, improver, _ := solver.For(p)
		want, err := solver.Run(context.Background(), p, method, solver.Options{Improver: improver, Tol: 1e-9})
		if err != nil {
			t.Fatal(err)
		}
		q := *p
		q.Loss = bareLoss{p.Loss}
		method, improver, why := solver.For(&q)
		got, err := solver.Run(context.Background(), &q, method, solver.Options{Improver: improver, Tol: 1e-9, MaxIter: 60})
		if err != nil {
			t.Fatal(err)
		}
		f, g := got.State.Objective(&q), want.State.Objective(p)
		t.Logf("%s: %v after %d and %d, %v, %s", name, f-g, got.Iter, want.Iter, got.Status, why)
		if f-g > 1e-8*math.Abs(g) {
			t.Errorf("%s: the objective is %v, and %v with second derivatives", name, f, g)
		}
	}
}
