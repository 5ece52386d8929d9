package experiment_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/experiment"
	"github.com/seed-b18ef778/gcg/internal/report"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/solver"
)

// Every contender is on the same problem: objectives are above each bound, that of js too, which solves another problem. One that
// fails costs its own run.
func TestRace(t *testing.T) {
	p, s := testproblem.Full(t, 12, 10, 1, 9)
	p.Penalty = gauge.Linear{Lambda: 3}
	want := testproblem.Thresholded(p.Penalty, s)
	var all []experiment.Contender
	for _, word := range []string{"gcg", "gcg:one", "gcg:none:open-loop", "atomdescent", "contr1d", "prox++", "js"} {
		c, err := experiment.Named(word)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	broken := errors.New("broken")
	all = append(all[:1:1], append([]experiment.Contender{{Name: "broken",
		Run: func(context.Context, *gcg.Problem, solver.Options) (*solver.Result, error) { return nil, broken }}}, all[1:]...)...)
	c := &experiment.Contest{Problem: p, Measure: func(s *gcg.State) map[string]float64 {
		return map[string]float64{"loss": s.Loss, "nothing": math.NaN()}
	}}
	runs, err := experiment.Race(context.Background(), c, all, experiment.Limits{Tol: 1e-6, MaxIter: 60, Seed: 1, Repeat: 2})
	if err != nil || len(runs) != len(all) {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	bound := experiment.BestBound(runs)
	if !(bound <= want*(1+1e-9) && bound >= want*(1-1e-6)) {
		t.Errorf("the best bound is %v, the optimum %v", bound, want)
	}
	for i := range runs {
		r := &runs[i]
		if r.Solver == "broken" {
			if !errors.Is(r.Err, broken) || len(r.Traces) != 0 {
				t.Errorf("broken: %v", r.Err)
			}
			continue
		}
		if r.Err != nil || len(r.Traces) != 2 {
			t.Errorf("%s: %v, %d traces", r.Solver, r.Err, len(r.Traces))
			continue
		}
		if f := r.Last().Objective; f < want*(1-1e-9) || r.Solver != "gcg:none:open-loop" && f > want*1.2 {
			t.Errorf("%s ends at %v, the optimum is %v", r.Solver, f, want)
		}
		if x, ok := r.LastScore("loss"); !ok || math.Abs(x-r.Last().Loss) > 1e-12*x {
			t.Errorf("%s: the score is %v, the loss %v", r.Solver, x, r.Last().Loss)
		}
		if _, ok := r.LastScore("nothing"); ok {
			t.Errorf("%s: NaN is a score", r.Solver)
		}
	}
	if _, ok := runs[0].To(1e-5, bound, experiment.Iterations); !ok {
		t.Error("gcg never comes within 1e-5")
	}
	for _, word := range []string{"best", "gcg:twice", "js:x"} {
		if _, err := experiment.Named(word); err == nil {
			t.Errorf("%s is a solver", word)
		}
	}
}

// A median is that of all repetitions, and a gap that one of them never reaches is not reached.
func TestSpread(t *testing.T) {
	trace := func(seconds ...float64) report.Trace {
		var tr report.Trace
		for i, s := range seconds {
			tr.Points = append(tr.Points, report.Point{Iteration: i, Seconds: s, Objective: 1 + math.Pow(10, -float64(i))})
		}
		return tr
	}
	r := experiment.Run{Traces: []report.Trace{trace(0, 1, 5), trace(0, 3, 4), trace(0, 2, 9)}}
	if s, ok := r.To(0.1, 1, experiment.Seconds); !ok || s != (experiment.Spread{Median: 2, Least: 1, Most: 3}) {
		t.Errorf("%v, %v", s, ok)
	}
	r.Traces = append(r.Traces, trace(0))
	if s, ok := r.To(0.1, 1, experiment.Seconds); ok {
		t.Errorf("reached by all: %v", s)
	}
}

func TestTable(t *testing.T) {
	x := &experiment.Table{Heads: []string{"solver", "s"}, Numbers: []bool{false, true}}
	x.Add("a|b", "10")
	x.Add("λ,c", "9")
	for want, write := range map[string]func(*bytes.Buffer) error{
		"solver   s\na|b     10\nλ,c      9\n":                          func(b *bytes.Buffer) error { return x.Text(b, 80) },
		"| solver | s |\n| --- | ---: |\n| a\\|b | 10 |\n| λ,c | 9 |\n": func(b *bytes.Buffer) error { return x.Markdown(b) },
		"solver,s\na|b,10\n\"λ,c\",9\n":                                 func(b *bytes.Buffer) error { return x.CSV(b) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil || b.String() != want {
			t.Errorf("%v\n%s\nwant\n%s", err, b.String(), strings.TrimSpace(want))
		}
	}
	x.Heads = append(x.Heads, "gap", "status")
	x.Rows = [][]string{{"a", "1", "0.1", "converged"}, {"b", "2", "0.2", "stalled"}}
	var b bytes.Buffer
	if err := x.Text(&b, 16); err != nil || b.String() != "solver  s  gap\na       1  0.1\nb       2  0.2\n\n"+
		"solver  status\na       converged\nb       stalled\n" {
		t.Errorf("%v\n%s", err, b.String())
	}
}
