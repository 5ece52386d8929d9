package task_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	"gonum.org/v1/gonum/mat"
)

// patients are rows whose risk is that of the first two features, with times in a unit that has ties and others cut off.
func patients(t *testing.T, n, p int) (rows *dataset.Rows, x [][]float64, y []float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(12, 5))
	for range n {
		row := make([]float64, p)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		at, end, seen := rng.ExpFloat64()*math.Exp(row[1]-row[0]), 2*rng.ExpFloat64(), 1.0
		if end < at {
			at, seen = end, 0
		}
		x, y = append(x, row), append(y, math.Ceil(20*at), seen)
	}
	return targetsOf(t, x, y...), x, y
}

// The fit of times until an event closes its certificate under every kind of norm; its loss is the partial likelihood of the
// predictions, and the order of the risks is found. A row whose time is missing is as if it were not there.
func TestCoxTask(t *testing.T) {
	const n, p = 120, 8
	rows, x, y := patients(t, n, p)
	time, event := make([]float64, n), make([]bool, n)
	for i := range time {
		time[i], event[i] = y[2*i], y[2*i+1] == 1
	}
	l, err := loss.NewCox(time, event, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	opt := task.Options{Lambda: 3, Run: solver.Options{Tol: 1e-8}}
	for _, k := range []gcg.Gauge{gauge.L1{}, gauge.Group{}, gauge.Trace{}, gauge.Lp{P: 1.5}} {
		r := fitLinear(t, &task.Linear{Kind: task.Regression, Loss: task.Loss{Kind: task.Cox}, Train: rows, Gauge: k}, opt)
		z, err := r.Predict(mat.NewDense(n, p, slices.Concat(x...)))
		if err != nil {
			t.Fatal(err)
		}
		near(t, k.Name()+": loss", r.Result.State.Loss, l.Eval(0, z.RawMatrix().Data, nil), 1e-8)
		if gap := r.Result.State.Cert.Relative; gap > 1e-8 || r.Risks == nil || *r.Risks.Concordance < 0.7 ||
			*r.Risks.Deviance > 0.95**r.Constant.EqualRisks {
			t.Errorf("%s: gap %v, %+v beside %v", k.Name(), gap, r.Risks, *r.Constant.EqualRisks)
		}
	}
	fewer, gaps := slices.Clone(y[2:]), slices.Clone(y)
	gaps[0] = math.NaN()
	cox := task.Linear{Kind: task.Regression, Loss: task.Loss{Kind: task.Cox}, Train: targetsOf(t, x, gaps...)}
	a := fitLinear(t, &cox, opt)
	cox.Train = targetsOf(t, x[1:], fewer...)
	b := fitLinear(t, &cox, opt)
	near(t, "without the row", a.Result.State.Cert.Objective, b.Result.State.Cert.Objective, 1e-5)
	signed, plain := slices.Clone(y), slices.Clone(y)
	signed[0], signed[1], plain[0], plain[1] = math.Copysign(0, -1), 1, 0, 1
	cox.Train = targetsOf(t, x, signed...)
	a = fitLinear(t, &cox, opt)
	cox.Train = targetsOf(t, x, plain...)
	b = fitLinear(t, &cox, opt)
	near(t, "an event at the time -0", a.Result.State.Cert.Objective, b.Result.State.Cert.Objective, 1e-12)
}

// λ of risks is chosen by folds that share the events, and what is no time or event is refused.
func TestCoxChoiceAndMisuse(t *testing.T) {
	rows, x, y := patients(t, 120, 8)
	cox := task.Loss{Kind: task.Cox}
	r := fitLinear(t, &task.Linear{Kind: task.Regression, Loss: cox, Train: rows, Split: 0.7}, task.Options{Points: 8})
	if r.Risks == nil || *r.Risks.Concordance < 0.7 || r.Risks.N+r.Model.Info.Observations != 120 || r.Risks.Events < 15 {
		t.Errorf("chosen λ %v: %+v", r.Model.Info.Lambda, r.Risks)
	}
	changed := func(at int, to float64) []float64 {
		z := slices.Clone(y)
		z[at] = to
		return z
	}
	unseen := slices.Clone(y)
	for i := 1; i < len(unseen); i += 2 {
		unseen[i] = 0
	}
	for want, l := range map[string]*task.Linear{
		"row 3: the time -1 is below 0": {Kind: task.Regression, Train: targetsOf(t, x, changed(4, -1)...)},
		"row 3: the event is 2":         {Kind: task.Regression, Train: targetsOf(t, x, changed(5, 2)...)},
		"has 1 target a row":            {Kind: task.Regression, Train: targetsOf(t, x, y[:120]...)},
		"no event was seen":             {Kind: task.Regression, Train: targetsOf(t, x, unseen...)},
		"has no Intercept":              {Kind: task.Regression, Train: rows, Intercept: true},
		"of times in regression":        {Kind: task.MultiTask, Train: rows},
	} {
		l.Loss = cox
		if _, err := l.Fit(context.Background(), task.Options{Lambda: 1}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Rows to test on may have no event, and then nothing has a deviance. λ is not chosen by such rows.
func TestCoxWithoutEventsHeldOut(t *testing.T) {
	rows, x, y := patients(t, 40, 3)
	for i := 1; i < len(y); i += 2 {
		y[i] = 0
	}
	unseen := targetsOf(t, x, y...)
	cox := task.Linear{Kind: task.Regression, Loss: task.Loss{Kind: task.Cox}, Train: rows, Test: unseen}
	r := fitLinear(t, &cox, task.Options{Lambda: 1})
	if r.Risks.Deviance != nil || r.Risks.Concordance != nil || r.Constant.EqualRisks != nil || !r.Constant.NoEvents {
		t.Errorf("%+v beside %+v, want neither deviance nor concordance", *r.Risks, *r.Constant)
	}
	cox.Test, cox.Valid = nil, unseen
	if _, err := cox.Fit(context.Background(), task.Options{}); err == nil || !strings.Contains(err.Error(), "no event was seen") {
		t.Errorf("chosen by rows without an event: %v", err)
	}
}
