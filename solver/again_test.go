package solver_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
)

// What is of one problem, a bound or a constant, is not taken for another.
func TestStartsOfAnotherProblem(t *testing.T) {
	ctx := context.Background()
	h := func(lambda float64) gcg.Penalty { return gauge.Linear{Lambda: lambda} }
	p, s := testproblem.Full(t, 12, 9, 1, 3)
	p.Penalty = h(0.5 * s[0])
	solved := func() *gcg.State {
		r, err := solver.Run(ctx, p, &conditional.GCG{OutsideW: true}, solver.Options{Tol: 1e-6, Improver: &fixedrank.Local{}})
		check(t, err)
		return r.State
	}
	less := *p
	less.Penalty = h(0.1 * s[0])
	intercept := *p
	intercept.Intercept = true
	_, _, single, _ := storages(t, 20, false, false)
	shifted := *single
	shifted.Intercept = true
	run := func(p *gcg.Problem, opt solver.Options) error {
		_, err := solver.Run(ctx, p, &conditional.GCG{OutsideW: true}, opt)
		return err
	}
	path := solver.Path(ctx, p, func() solver.Method { return &conditional.GCG{OutsideW: true} },
		solver.Options{Resume: solved()},
		[]float64{1}, h,
		func(float64, *solver.Result) bool { return true })
	for want, err := range map[string]error{
		"a path begins at Start":                        path,
		"it is of another problem":                      run(&less, solver.Options{Resume: solved()}),
		"the start has 2 constants, the problem 0":      run(p, solver.Options{Intercept: []float64{1, 2}}),
		"solver: Later has observation -1; there are 0": run(p, solver.Options{Later: []int32{-1}}),
		"solver: Later has observation 9999; there are": run(p, solver.Options{Later: []int32{0, 9999}}),
		"the start has 2 constants, the problem 1":      run(&intercept, solver.Options{Intercept: []float64{1, 2}}),
		"keeps no predictions for an intercept to be ":  run(&shifted, solver.Options{}),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	check(t, run(p, solver.Options{Resume: solved()}))
}

// Where a run goes back to an earlier iterate, how far the loss of the last one is from that is no drift.
func TestDriftIsRounding(t *testing.T) {
	p, s := testproblem.Full(t, 12, 9, 1, 3)
	p.Penalty = gauge.Ball{Zeta: 0.5 * s[0]}
	back := 0
	for steps := 2; steps < 20; steps++ {
		var last float64
		r, err := solver.Run(context.Background(), p, &conditional.GCG{Rule: conditional.OpenLoop},
			solver.Options{Tol: 1e-9, MaxIter: steps, Event: func(e solver.Event) {
				if e.Status == "" {
					last = e.State.Cert.Objective
				}
			}})
		check(t, err)
		if r.Drift > 1e-10 {
			t.Errorf("a drift of %g after %d steps", r.Drift, steps)
		}
		if r.State.Cert.Objective == last {
			back++
		}
	}
	if back == 0 {
		t.Error("no run goes back")
	}
}

// asking counts the questions of each iteration.
type asking struct {
	*conditional.GCG
	at map[int]int
}

func (a *asking) Ask(p *gcg.Problem, s *gcg.State) gcg.Ask {
	a.at[s.Iter]++
	return a.GCG.Ask(p, s)
}

// A proof is of the question that was asked: a method that learns from its questions is asked once at every iterate.
func TestProofAsksTheSame(t *testing.T) {
	plain, _, _, _ := storages(t, 20, false, false)
	m := &asking{&conditional.GCG{OutsideW: true}, map[int]int{}}
	r, err := solver.Run(context.Background(), plain, m, solver.Options{Tol: 1e-4, Improver: &fixedrank.Local{}, Exact: true})
	check(t, err)
	if r.State.Cert.Kind != gcg.Proven || r.Status != solver.Converged {
		t.Errorf("%s, %s", r.Status, r.State.Cert.Kind)
	}
	for at, n := range m.at {
		if n != 1 {
			t.Errorf("asked %d times at iteration %d", n, at)
		}
	}
}

// interrupting ends the run when a proof is asked for.
type interrupting struct {
	gauge.Trace
	cancel func()
}

func (g interrupting) Polar(ctx context.Context, m gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	if ask.Exact {
		g.cancel()
		return gcg.Polar{}, ctx.Err()
	}
	return g.Trace.Polar(ctx, m, ask)
}

// A run that was to prove its bound has not converged where there was no time for that.
func TestNoTimeForAProof(t *testing.T) {
	plain, _, _, _ := storages(t, 20, false, false)
	ctx, cancel := context.WithCancel(context.Background())
	p := *plain
	p.Gauge = interrupting{gauge.Trace{}, cancel}
	r, err := solver.Run(ctx, &p, &conditional.GCG{OutsideW: true}, solver.Options{Tol: 1e-4, Improver: &fixedrank.Local{},
		Exact: true})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if c := r.State.Cert; r.Status != solver.Interrupted || c.Kind != gcg.Probable || c.Relative > 1e-4 {
		t.Errorf("%s at %g, %s", r.Status, c.Relative, c.Kind)
	}
}

// A method is as good as new for the next problem.
func TestMethodsForget(t *testing.T) {
	run := func(g *conditional.GCG, mean bool) *solver.Result {
		p, s := testproblem.Full(t, 12, 9, 1, 3)
		p.Loss.(*loss.Squared).Mean = mean
		p.Penalty = gauge.Square{Lambda: 0.1 * s[0] / float64(p.Loss.Len())}
		r, err := solver.Run(context.Background(), p, g, solver.Options{Tol: 1e-3, MaxIter: 40})
		check(t, err)
		return r
	}
	for _, rule := range []conditional.Rule{conditional.LineSearch, conditional.OpenLoop, conditional.QuadraticBound} {
		used := &conditional.GCG{Rule: rule}
		run(used, false)
		again, fresh := run(used, true), run(&conditional.GCG{Rule: rule}, true)
		if again.Iter != fresh.Iter || again.State.Cert != fresh.State.Cert {
			t.Errorf("rule %d: %d iterations to %v where a new method takes %d to %v", rule, again.Iter,
				again.State.Cert.Objective,
				fresh.Iter, fresh.State.Cert.Objective)
		}
	}
}

// No step takes W beyond MaxRank, those of an improver included.
func TestMaxRankIsKept(t *testing.T) {
	plain, _, single, _ := storages(t, 20, false, false)
	for name, h := range map[string]gcg.Penalty{"linear": gauge.Linear{Lambda: 8}, "square": gauge.Square{Lambda: 0.02},
		"ball": gauge.Ball{Zeta: 900}} {
		for _, p := range []*gcg.Problem{plain, single} {
			for _, most := range []int{3, 5, 9} {
				for seed := range uint64(4) {
					q, top := *p, 0
					q.Penalty = h
					_, err := solver.Run(context.Background(), &q, &conditional.GCG{OutsideW: true, MaxRank: most},
						solver.Options{Tol: 1e-4, Improver: &fixedrank.Local{}, Seed: seed, MaxIter: 30,
							Event: func(e solver.Event) { top = max(top, e.State.W.Rank()) }})
					check(t, err)
					if top > most {
						t.Errorf("%s, %T: rank %d, beyond %d", name, p.Operator, top, most)
					}
				}
			}
		}
	}
}

// watching tells of the pairs below λ that an improver finds after a step that added atoms.
type watching struct {
	fixedrank.Local
	known, steps int
}

func (w *watching) Improve(ctx context.Context, p *gcg.Problem, s *gcg.State, did gcg.Moved) (gcg.Moved, error) {
	if did.Added > 0 && s.W.Rank()-did.Added >= 24 {
		if w.steps++; did.Complement.Right != nil && did.Complement.Right.K > 0 && did.Complement.Right.Rows == s.W.N {
			w.known++
		}
	}
	return w.Local.Improve(ctx, p, s, did)
}

// What a polar saw just below λ is known after the step that takes its atoms.
func TestNearPairsOutliveTheStep(t *testing.T) {
	plain, _, _, _ := storages(t, 1.5, false, false)
	var w watching
	r, err := solver.Run(context.Background(), plain, &conditional.GCG{OutsideW: true, Atoms: 12},
		solver.Options{Tol: 1e-5, Improver: &w})
	check(t, err)
	if r.Status != solver.Converged || w.steps == 0 || w.known < w.steps || math.IsNaN(r.State.Cert.Gap) {
		t.Errorf("%s at rank %d: pairs are known after %d of %d steps", r.Status, r.State.W.Rank(), w.known, w.steps)
	}
}
