package solver_test

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
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/support"
)

// A problem that cannot be one is an error that says what is amiss.
func TestRefusedProblems(t *testing.T) {
	op, y, _, _ := testproblem.Regression(t, 10, 4, 1)
	whole := gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.L1{}, Penalty: gauge.Linear{Lambda: 1}}
	for want, change := range map[string]func(p *gcg.Problem){
		"a penalty; this one has <nil>":          func(p *gcg.Problem) { p.Operator = nil },
		"this one has *operator.Design, <nil>":   func(p *gcg.Problem) { p.Loss = nil },
		"*loss.Squared, <nil>":                   func(p *gcg.Problem) { p.Gauge = nil },
		"gauge.L1 and <nil>":                     func(p *gcg.Problem) { p.Penalty = nil },
		"10 observations, the loss 9":            func(p *gcg.Problem) { p.Loss = &loss.Squared{Y: y[1:]} },
		"gauge.Linear falls with a slope of -2":  func(p *gcg.Problem) { p.Penalty = gauge.Linear{Lambda: -2} },
		"gauge.Square falls with a slope of NaN": func(p *gcg.Problem) { p.Penalty = gauge.Square{Lambda: math.NaN()} },
		"gauge.Ball bounds κ(W) by -1":           func(p *gcg.Problem) { p.Penalty = gauge.Ball{Zeta: -1} },
	} {
		p := whole
		change(&p)
		if _, err := solver.Run(context.Background(), &p, &conditional.GCG{}, solver.Options{}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	held := whole
	held.Gauge, held.Penalty = gauge.Simplex{}, gauge.Equal{Zeta: 1}
	m, n, _ := op.Dims()
	_, err := solver.Run(context.Background(), &held, &conditional.GCG{}, solver.Options{Start: &gcg.Iterate{M: m, N: n}})
	if want := "outside the domain of the penalty gauge.Equal"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v; want %q", err, want)
	}
}

// What the loss finds wrong with its data is said before it is NaN, or an index out of range, whoever is asked to solve.
func TestLossIsChecked(t *testing.T) {
	op, y, _, labels := testproblem.Regression(t, 10, 4, 3)
	const lambda = 1
	bad := append([]int32(nil), labels...)
	bad[3] = 3
	y[2] = math.NaN()
	for want, p := range map[string]*gcg.Problem{
		"the label of observation 4 is 3":    {Operator: op, Loss: &loss.Softmax{Labels: bad, Classes: 3}, Gauge: gauge.Trace{}},
		"the target of observation 3 is NaN": {Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.L1{}},
	} {
		ctx := context.Background()
		h := func(lambda float64) gcg.Penalty { return gauge.Linear{Lambda: lambda} }
		p.Penalty = h(lambda)
		_, run := solver.Run(ctx, p, &conditional.GCG{}, solver.Options{})
		_, top := solver.MaxLambda(ctx, p)
		_, stages := solver.Continuation{}.Run(ctx, p, solver.Options{})
		path := solver.Path(ctx, p, func() solver.Method { return &conditional.GCG{} }, solver.Options{}, []float64{lambda}, h,
			func(float64, *solver.Result) bool { return true })
		for who, err := range map[string]error{"Run": run, "MaxLambda": top, "Continuation": stages, "Path": path} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v; want %q", who, err, want)
			}
		}
	}
}

// forgetful is a gauge of one's own whose polar says nothing of what its atoms attain.
type forgetful struct{ gcg.Gauge }

func (k forgetful) Polar(ctx context.Context, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	polar, err := k.Gauge.Polar(ctx, g, ask)
	polar.Value = 0
	return polar, err
}

// A gauge that does not say what its atoms attain leads to the same solution, and no run ends at W = 0 for want of it.
func TestPolarsWithoutValue(t *testing.T) {
	op, y, _, _ := testproblem.Regression(t, 10, 4, 1)
	for _, k := range []gcg.Gauge{gauge.L1{}, gauge.Trace{}} {
		p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: k, Penalty: gauge.Linear{Lambda: 1e-3}}
		want := testrun.Must(t, p, &support.AtomDescent{}, solver.Options{}).State.Cert
		top, err := solver.MaxLambda(context.Background(), p)
		check(t, err)
		p.Gauge = forgetful{k}
		if got := testrun.Must(t, p, &support.AtomDescent{}, solver.Options{}).State.Cert; got.LowerBound > want.Objective ||
			got.Objective < want.LowerBound || got.Relative > 1e-3 {
			t.Errorf("%s: [%v, %v], with the value [%v, %v]", k.Name(), got.LowerBound, got.Objective, want.LowerBound,
				want.Objective)
		}
		if got, err := solver.MaxLambda(context.Background(), p); err != nil || got != top {
			t.Errorf("%s: λ₀ is %v, %v, with the value %v", k.Name(), got, err, top)
		}
		p.Loss = &loss.Squared{Y: make([]float64, len(y))}
		testrun.Must(t, p, &support.AtomDescent{}, solver.Options{})
	}
}
