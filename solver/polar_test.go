package solver_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
)

// spoiltGauge is ℓ1 with a polar that is not what it should be.
type spoiltGauge struct{ spoil func(*gcg.Polar) }

func (spoiltGauge) Name() string { return "spoilt" }

func (k spoiltGauge) Polar(ctx context.Context, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	p, err := gauge.L1{}.Polar(ctx, g, gcg.Ask{Count: 1})
	k.spoil(&p)
	return p, err
}

// whole observes all entries of a 6×6 matrix.
func whole(t *testing.T) *gcg.Problem {
	t.Helper()
	op, err := operator.NewIdentity(6, 6)
	check(t, err)
	y := make([]float64, 36)
	for i := range y {
		y[i] = float64(i%7) - 2
	}
	return &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.L1{}, Penalty: gauge.Linear{Lambda: 1.5}}
}

// What a gauge answers that is not of the problem, or no number, is an error that names the gauge; values that are left out are
// filled in.
func TestPolarsAreChecked(t *testing.T) {
	for name, c := range map[string]struct {
		word  string
		spoil func(*gcg.Polar)
	}{
		"no values": {"", func(p *gcg.Polar) { p.Values = nil }},
		"too many":  {"2 values for 1 atoms", func(p *gcg.Polar) { p.Values = []float64{1, 1} }},
		"short factor": {"none of 6×6", func(p *gcg.Polar) {
			p.Atoms[0] = gcg.RankOne(make([]float64, 3), make([]float64,
				6))
		}},
		"ragged entries": {"none of 6×6", func(p *gcg.Polar) { p.Atoms[0].Vals = []float64{1, 1} }},
		"outside":        {"none of 6×6", func(p *gcg.Polar) { p.Atoms[0].Rows = []int32{6} }},
		"side by side": {"no vectors of 6", func(p *gcg.Polar) {
			p.Spectral = &gcg.Spectral{U: gcg.NewFactor(3, 1), V: gcg.NewFactor(6, 1)}
			p.Values = []float64{1}
		}},
		"not a number": {"finite or too large", func(p *gcg.Polar) { p.Value = math.NaN() }},
	} {
		p := whole(t)
		p.Gauge = spoiltGauge{c.spoil}
		r, err := solver.Run(context.Background(), p, &conditional.GCG{}, solver.Options{Tol: 1e-6, MaxIter: 200})
		switch {
		case c.word == "" && (err != nil || r.State.Cert.Relative > 0.1):
			t.Errorf("%s: %v, %+v", name, err, r)
		case c.word != "" && (err == nil || !strings.Contains(err.Error(), c.word)):
			t.Errorf("%s: error %v, want one about %q", name, err, c.word)
		}
	}
}

// A nanLoss has a gradient that is no number.
type nanLoss struct{ gcg.Loss }

func (l nanLoss) Eval(lo int, z, r []float64) float64 {
	f := l.Loss.Eval(lo, z, r)
	if r != nil && lo == 0 {
		r[3] = math.NaN()
	}
	return f
}

func TestGradientsThatAreNotFinite(t *testing.T) {
	p := whole(t)
	p.Gauge, p.Loss = gauge.Trace{}, nanLoss{p.Loss}
	if _, err := solver.Run(context.Background(), p, &conditional.GCG{}, solver.Options{}); err == nil ||
		!strings.Contains(err.Error(), "observation 4 is NaN") {
		t.Error(err)
	}
}

// lyingOperator predicts so many times what its adjoint is of, and bareOperator has an adjoint of another size, or none.
type lyingOperator struct {
	gcg.Operator
	by float64
}

func (o lyingOperator) AtomTo(z []float64, lo int, a *gcg.Atom) {
	o.Operator.AtomTo(z, lo, a)
	for i := range z {
		z[i] *= o.by
	}
}

type bareOperator struct {
	gcg.Operator
	g gcg.Map
}

func (o bareOperator) Adjoint([]float64) gcg.Map { return o.g }

// A lower bound above the objective, and an adjoint of another size, are contradictions, and no success.
func TestContradictions(t *testing.T) {
	p := whole(t)
	plain := p.Operator
	p.Operator = lyingOperator{plain, 2}
	if _, err := solver.Run(context.Background(), p, &conditional.GCG{}, solver.Options{Tol: 1e-6}); err == nil ||
		!strings.Contains(err.Error(), "the operator's adjoint") {
		t.Errorf("predictions of twice W: %v", err)
	}
	p.Operator = lyingOperator{plain, 1.0009} // which is not seen at once
	r, err := solver.Run(context.Background(), p, &conditional.GCG{}, solver.Options{Tol: 1e-6})
	if err != nil || r.Status != solver.Stalled || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "contradict") {
		t.Errorf("%v, %+v", err, r)
	}
	small, err := operator.NewIdentity(3, 3)
	check(t, err)
	for word, g := range map[string]gcg.Map{"is nil": nil, "is 3×3": small.Adjoint(make([]float64, 9))} {
		p := whole(t)
		p.Operator = bareOperator{p.Operator, g}
		if _, err := solver.Run(context.Background(), p, &conditional.GCG{}, solver.Options{}); err == nil ||
			!strings.Contains(err.Error(), word) {
			t.Errorf("%v, want one about %q", err, word)
		}
	}
}

// A run that ends before its gap is closed proves the bound that it has, unless there is no time: then it says so.
func TestExactOfRunsThatEnd(t *testing.T) {
	p := generated(t, medium, 4)
	for name, c := range map[string]struct {
		method *conditional.GCG
		opt    solver.Options
	}{"iterations": {&conditional.GCG{}, solver.Options{MaxIter: 2}}, "rank": {&conditional.GCG{MaxRank: 1},
		solver.Options{Improver: &fixedrank.Local{}}}} {
		c.opt.Tol, c.opt.Exact = 1e-9, true
		r, err := solver.Run(context.Background(), p, c.method, c.opt)
		check(t, err)
		if r.Status == solver.Converged || r.State.Cert.Kind != gcg.Proven || !(r.State.Cert.Relative < 1) {
			t.Errorf("%s: %s, %+v", name, r.Status, r.State.Cert)
		}
	}
	r, err := solver.Run(context.Background(), p, &conditional.GCG{}, solver.Options{Tol: 1e-9, Exact: true, MaxTime: time.Second,
		Improver: sleeper{}})
	check(t, err)
	if r.State.Cert.Kind == gcg.Probable && (len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "not proven")) {
		t.Errorf("%s, warnings %q", r.Status, r.Warnings)
	}
}

// A loss with nothing to bound it by is solved, and the result says that no gap is known.
func TestNoBoundIsSaid(t *testing.T) {
	p := whole(t)
	p.Loss = struct{ gcg.Loss }{p.Loss}
	r, err := solver.Run(context.Background(), p, &conditional.GCG{}, solver.Options{})
	if err != nil || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "no lower bound") {
		t.Errorf("%v, %+v", err, r)
	}
}

// Arguments that are nil or negative are errors.
func TestArguments(t *testing.T) {
	p, ctx := whole(t), context.Background()
	method := func() solver.Method { return &conditional.GCG{} }
	for name, f := range map[string]func() error{
		"no problem": func() error { _, err := solver.Run(ctx, nil, method(), solver.Options{}); return err },
		"no method":  func() error { _, err := solver.Run(ctx, p, nil, solver.Options{}); return err },
		"no state":   func() error { _, err := solver.Run(ctx, p, method(), solver.Options{Resume: &gcg.State{}}); return err },
		"iterations": func() error { _, err := solver.Run(ctx, p, method(), solver.Options{MaxIter: -1}); return err },
		"plateau":    func() error { _, err := solver.Run(ctx, p, method(), solver.Options{Plateau: -1}); return err },
		"atoms": func() error {
			_, err := solver.Run(ctx, p, &conditional.GCG{Atoms: -1}, solver.Options{})
			return err
		},
		"rank": func() error {
			_, err := solver.Run(ctx, p, &conditional.GCG{MaxRank: -1}, solver.Options{})
			return err
		},
		"no methods": func() error {
			return solver.Path(ctx, p, nil, solver.Options{}, []float64{1},
				func(l float64) gcg.Penalty { return gauge.Linear{Lambda: l} }, func(float64,
					*solver.Result) bool {
					return true
				})
		},
		"no penalties": func() error {
			return solver.Path(ctx, p, method, solver.Options{}, []float64{1}, nil, func(float64,
				*solver.Result) bool {
				return true
			})
		},
	} {
		if f() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
