package baseline_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/baseline"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/testrun"
	"github.com/seed-b18ef778/gcg/solver"
)

// closeness is how near to a known optimum each comes in the steps that it is given: js and dhm move weights alone.
var closeness = map[string]float64{"dhm": 1e-5, "mmbs": 1e-6, "js": 2e-2, "apg": 1e-6, "prox++": 1e-6, "ir": 1e-4, "am": 1e-6}

// matrixRivals are those of the trace norm.
func matrixRivals() []baseline.Rival {
	return slices.DeleteFunc(slices.Clone(baseline.Rivals), func(r baseline.Rival) bool { return r.Polytope })
}

// Each comes to the known optimum of all entries under the trace norm, and its bracket holds it after every step.
func TestRivalsOnEntries(t *testing.T) {
	for _, r := range matrixRivals() {
		p, s := testproblem.Full(t, 12, 10, 1, 9)
		p.Penalty = gauge.Linear{Lambda: 3}
		if r.Ball {
			p.Penalty = gauge.Ball{Zeta: 9}
		}
		want := testproblem.Thresholded(p.Penalty, s)
		m, im := r.New(p)
		res := testrun.Must(t, p, m, solver.Options{Tol: 1e-9, MaxIter: 200, Improver: im, Seed: 3})
		testrun.Bracket(t, res, want, math.Inf(1))
		if f := res.State.Cert.Objective; !(math.Abs(f-want) <= closeness[r.Name]*want) {
			t.Errorf("%s: %v after %d steps, %s; the optimum is %v", r.Name, f, res.Iter, res.Status, want)
		}
	}
}

// Each comes to what gcg certifies of sampled entries and of classes.
func TestRivalsOnOthers(t *testing.T) {
	sampled, _ := testproblem.Completion(t, 1)
	sampled.Penalty = gauge.Linear{Lambda: 6}
	classes := testproblem.Classes(t, 60, 8, 5, false)
	classes.Gauge, classes.Penalty = gauge.Trace{}, gauge.Linear{Lambda: 0.02}
	for name, p := range map[string]*gcg.Problem{"completion": sampled, "classes": classes} {
		m, im, _ := solver.For(p)
		known := testrun.Must(t, p, m, solver.Options{Tol: 1e-9, MaxIter: 200, Improver: im}).State
		for _, r := range matrixRivals() {
			q, want := *p, known.Cert.Objective
			if r.Ball {
				q.Penalty, want = gauge.Ball{Zeta: known.Rho}, known.Loss
			}
			m, im := r.New(&q)
			res := testrun.Must(t, &q, m, solver.Options{Tol: 1e-9, MaxIter: 60, Improver: im, Seed: 3})
			c := res.State.Cert
			if c.LowerBound > want*(1+1e-9) || !(c.Objective >= want*(1-1e-8)) || !(c.Objective <= want*(1+10*closeness[r.Name])) {
				t.Errorf("%s, %s: [%v, %v] after %d steps, %s; gcg has %v", name, r.Name, c.LowerBound, c.Objective, res.Iter, res.Status,
					want)
			}
		}
	}
}

// A watched method fails where one of its first steps says that it added nothing.
type watched struct{ solver.Method }

func (w watched) Step(ctx context.Context, p *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	did, err := w.Method.Step(ctx, p, s)
	if err == nil && s.Iter < 3 && did.Added == 0 {
		err = errors.New("no atom was added")
	}
	return did, err
}

// A method that adds an atom says so: a polar is as sharp as the gap that the step may leave asks for, not as that of the end.
func TestRivalsSayWhatTheyAdd(t *testing.T) {
	for _, name := range []string{"js", "mmbs"} {
		p, _ := testproblem.Completion(t, 1)
		p.Penalty = gauge.Linear{Lambda: 2}
		if name == "js" {
			p.Penalty = gauge.Ball{Zeta: 20}
		}
		r, _ := baseline.Named(name)
		m, im := r.New(p)
		testrun.Must(t, p, watched{m}, solver.Options{MaxIter: 3, Improver: im})
	}
}

// Accelerated proximal gradient is for every gauge with a proximity operator, by rows and by entries, too, and reports κ(W).
func TestAPGOfOtherGauges(t *testing.T) {
	for _, g := range []gcg.Gauge{gauge.L1{}, gauge.Group{}, gauge.Group{ByColumns: true, Inner: gauge.LInf},
		gauge.Factor{C: 1, R: 2}} {
		p, _ := testproblem.Full(t, 6, 5, 1, 9)
		p.Gauge, p.Penalty = g, gauge.Linear{Lambda: 1}
		r, _ := baseline.Named("apg")
		m, im := r.New(p)
		c := testrun.Must(t, p, m, solver.Options{Tol: 1e-9, MaxIter: 300, Improver: im}).State.Cert
		m, im, _ = solver.For(p)
		if want := testrun.Must(t, p, m, solver.Options{Tol: 1e-9, Improver: im}).State.Cert.Objective; !(c.Relative <= 1e-9) ||
			math.Abs(c.Objective-want) > 1e-8*want {
			t.Errorf("%s: %v at a gap of %v, gcg has %v", g.Name(), c.Objective, c.Relative, want)
		}
	}
}

// Each refuses what it is not for, and names the gauge.
func TestRivalsRefuse(t *testing.T) {
	for _, r := range baseline.Rivals {
		if r.Name == "dhm" {
			continue // which is for any gauge
		}
		p, _ := testproblem.Full(t, 6, 5, 1, 9)
		p.Gauge, p.Penalty = gauge.Factor{C: 2, R: math.Inf(1)}, gauge.Linear{Lambda: 1}
		m, im := r.New(p)
		if _, err := solver.Run(context.Background(), p, m, solver.Options{Improver: im}); err == nil ||
			!strings.Contains(err.Error(), r.Name) || !strings.Contains(err.Error(), p.Gauge.Name()) {
			t.Errorf("%s: %v", r.Name, err)
		}
	}
}
