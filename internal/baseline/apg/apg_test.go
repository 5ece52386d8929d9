package apg_test

import (
	"math"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/baseline/apg"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/testrun"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/cur"
)

// It certifies the known optimum of the trace norm, and what the working set certifies of a selection.
func TestCloses(t *testing.T) {
	p, s := testproblem.Full(t, 12, 10, 1, 9)
	p.Penalty = gauge.Linear{Lambda: 3}
	want := testproblem.Thresholded(p.Penalty, s)
	r := testrun.Must(t, p, &apg.Method{}, solver.Options{Tol: 1e-8, MaxIter: 500})
	testrun.Bracket(t, r, want, 1e-8)
	if r.Status != solver.Converged {
		t.Errorf("%s after %d steps", r.Status, r.Iter)
	}
	q := testproblem.Selection(t, 12, 25, testproblem.FactorMatrix(2, 12, 25, 3), 0.03)
	known := testrun.Must(t, q, &cur.WorkingSet{}, solver.Options{Tol: 1e-9, MaxIter: 50}).State.Cert
	r = testrun.Must(t, q, &apg.Method{}, solver.Options{Tol: 1e-6, MaxIter: 5000})
	if c := r.State.Cert; r.Status != solver.Converged || c.LowerBound > known.Objective || c.Objective < known.LowerBound ||
		math.Abs(c.Objective-known.Objective) > 1e-6*known.Objective {
		t.Errorf("%s: [%v, %v], the working set has [%v, %v]", r.Status, c.LowerBound, c.Objective, known.LowerBound,
			known.Objective)
	}
}

func TestRefuses(t *testing.T) {
	p, _ := testproblem.Full(t, 6, 5, 1, 9)
	for want, q := range map[string]gcg.Problem{
		"gauge.Ball": {Gauge: gauge.Trace{}, Penalty: gauge.Ball{Zeta: 1}},
		"factor":     {Gauge: gauge.Factor{C: 2, R: math.Inf(1)}, Penalty: gauge.Linear{Lambda: 1}},
	} {
		q.Operator, q.Loss = p.Operator, p.Loss
		if want == "factor" {
			want = q.Gauge.Name()
		}
		s, err := gcg.NewState(&q, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := (&apg.Method{}).Init(&q, s, gcg.Settings{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
