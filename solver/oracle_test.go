package solver_test

import (
	"context"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/testrun"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
)

// inquiring asks for a polar of a map of its own in each step, and looks at a problem of its own.
type inquiring struct{ *conditional.GCG }

func (m inquiring) Step(ctx context.Context, p *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	in, err := s.InnerState(p, nil)
	if err != nil {
		return gcg.Moved{}, err
	}
	if _, err := in.Ask(ctx, gauge.Trace{}, in.Gradient(p), gcg.Ask{Count: 1, Tol: 0.1}); err != nil {
		return gcg.Moved{}, err
	}
	return m.GCG.Step(ctx, p, s)
}

// What the inner loops of a step ask for is counted with what the certificates do.
func TestInnerWorkIsCounted(t *testing.T) {
	p, s := testproblem.Full(t, 14, 11, 1, 5)
	p.Penalty = gauge.Linear{Lambda: 0.3 * s[0]}
	const steps = 4
	plain := testrun.Must(t, p, &conditional.GCG{Atoms: 1}, solver.Options{Tol: 1e-12, MaxIter: steps})
	r := testrun.Must(t, p, inquiring{&conditional.GCG{Atoms: 1}}, solver.Options{Tol: 1e-12, MaxIter: steps})
	if r.State.Cert.Objective != plain.State.Cert.Objective || r.Iter != steps {
		t.Fatalf("F is %v after %d steps, %v without inner loops", r.State.Cert.Objective, r.Iter, plain.State.Cert.Objective)
	}
	if got, want := r.State.Count.Polars, plain.State.Count.Polars+steps; got != want {
		t.Errorf("%d polars, want %d", got, want)
	}
	if got, want := r.State.Count.Gradients, plain.State.Count.Gradients+steps; got != want {
		t.Errorf("%d gradients, want %d", got, want)
	}
	if r.Split.Polar < r.State.PolarTime {
		t.Errorf("polars took %v, and %v are charged for them", r.State.PolarTime, r.Split.Polar)
	}
}

// What an event measures with the clock paused is in no time of the run, and its limit is further away by as much.
func TestClockIsPaused(t *testing.T) {
	p, s := testproblem.Full(t, 14, 11, 1, 5)
	p.Penalty = gauge.Linear{Lambda: 0.3 * s[0]}
	const pause, limit = 700 * time.Millisecond, 600 * time.Millisecond
	began := time.Now()
	r := testrun.Must(t, p, &conditional.GCG{}, solver.Options{Tol: 1e-6, MaxTime: limit, Event: func(e solver.Event) {
		if e.Iter == 1 {
			e.Uncharged(func() { e.Uncharged(func() { time.Sleep(pause) }) })
		}
	}})
	if all := time.Since(began); r.Uncharged < pause || r.Elapsed+r.Uncharged > all {
		t.Errorf("%v of %v are not charged, and %v are", r.Uncharged, all, r.Elapsed)
	}
	if r.Status != solver.Converged {
		t.Errorf("%s after %d steps in %v", r.Status, r.Iter, r.Elapsed)
	}
	p.Penalty = gauge.Linear{Lambda: 0.01 * s[0]}
	r = testrun.Must(t, p, &conditional.GCG{Rule: conditional.OpenLoop},
		solver.Options{Tol: 1e-13, MaxTime: limit, Event: func(e solver.Event) {
			if e.Iter == 1 {
				e.Uncharged(func() { time.Sleep(pause) })
			}
		}})
	if r.Status != solver.MaxTime || r.Elapsed < limit*9/10 { // both clocks are read, one after the other
		t.Errorf("%s after %v of %v", r.Status, r.Elapsed, limit)
	}
}

// shrinking is the proximal gradient method for ℓ1, W ← prox(W + G/L), which needs no polar.
type shrinking struct{ curvature float64 }

func (*shrinking) Name() string                                            { return "shrinking" }
func (*shrinking) Descends() bool                                          { return true }
func (*shrinking) WithoutPolars() bool                                     { return true }
func (*shrinking) Ask(*gcg.Problem, *gcg.State) gcg.Ask                    { return gcg.Ask{Count: 1} }
func (*shrinking) Init(p *gcg.Problem, s *gcg.State, _ gcg.Settings) error { return nil }
func (m *shrinking) Step(_ context.Context, p *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	rows, cols, _ := p.Operator.Dims()
	w, g := s.W.Dense(), make([]float64, rows*cols)
	gcg.DenseTo(g, s.Gradient(p))
	for e := range w {
		w[e] += g[e] / m.curvature
	}
	gauge.L1{}.ProxTo(w, w, rows, cols, p.Penalty.Deriv(0)/m.curvature)
	s.W, s.Rho = gauge.Lp{P: 1}.Split(w, rows, cols)
	s.Refresh(p)
	return gcg.Moved{}, nil
}

// A method that needs no polar is asked for none between certificates, and has one in the end whatever ends it.
func TestMethodWithoutPolars(t *testing.T) {
	op, y, _, _ := testproblem.Regression(t, 60, 12, 1)
	p, _ := testrun.AtFraction(t, &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.L1{}}, 0.2)
	best := testrun.Must(t, p, &conditional.GCG{}, solver.Options{Tol: 1e-10, Improver: &solver.Corrective{}}).State.Cert
	var l float64
	for i := range y { // ‖X‖² ≤ ‖X‖_F²
		x := make([]float64, 1)
		for j := range 12 {
			op.AtomTo(x, i, &gcg.Atom{Rows: []int32{int32(j)}, Cols: []int32{0}, Vals: []float64{1}})
			l += x[0] * x[0]
		}
	}
	for name, c := range map[string]struct {
		opt    solver.Options
		polars int
		status solver.Status
	}{
		"in the end":  {solver.Options{Tol: 1e-12, MaxIter: 200, CertifyEvery: 10_000}, 2, solver.MaxIterations},
		"each tenth":  {solver.Options{Tol: 1e-12, MaxIter: 200, CertifyEvery: 10}, 21, solver.MaxIterations},
		"ever rarer":  {solver.Options{Tol: 1e-3, MaxIter: 20_000}, 40, solver.Converged},
		"out of time": {solver.Options{Tol: 1e-16, MaxTime: 1, CertifyEvery: 10_000}, 2, solver.MaxTime},
	} {
		c.opt.Event = func(e solver.Event) {
			k := e.State.Cert
			if k.LowerBound > best.Objective*(1+1e-12) || k.Objective < best.LowerBound*(1-1e-12) ||
				math.IsInf(k.LowerBound, -1) {
				t.Errorf("%s, step %d: [%v, %v] misses [%v, %v]", name, e.Iter,
					k.LowerBound, k.Objective, best.LowerBound, best.Objective)
			}
		}
		r := testrun.Must(t, p, &shrinking{l}, c.opt)
		if r.Status != c.status || r.State.Count.Polars > c.polars || r.State.Count.Polars < min(c.polars, 2) && r.Iter > 0 {
			t.Errorf("%s: %s after %d steps and %d polars", name, r.Status, r.Iter, r.State.Count.Polars)
		}
		if r.Iter > 100 && (r.State.Cert.Relative > 0.01 || r.Solution.Epsilon() > 0.1*p.Penalty.Deriv(0)) {
			t.Errorf("%s: after %d steps the gap is %v, ε %v", name, r.Iter, r.State.Cert.Relative, r.Solution.Epsilon())
		}
	}
}

// Sums over observations have fixed parts in a fixed order: a run is the same to the last bit on one processor and on four.
func TestSumsAreTheSameOnAllProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	const n, features, outputs = 9000, 7, 3
	op, y, signs, labels := testproblem.Regression(t, n, features, outputs)
	sampled := generated(t, medium, 4)
	for name, p := range map[string]*gcg.Problem{
		"squared": {Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.Group{}, Penalty: gauge.Linear{Lambda: 100},
			Intercept: true},
		"logistic": {Operator: op, Loss: &loss.Logistic{Y: signs}, Gauge: gauge.L1{}, Penalty: gauge.Linear{Lambda: 30}},
		"softmax": {Operator: op, Loss: &loss.Softmax{Labels: labels, Classes: outputs}, Gauge: gauge.Trace{},
			Penalty: gauge.Linear{Lambda: 30}, Intercept: true},
		"sampled": {Operator: sampled.Operator, Loss: sampled.Loss, Gauge: sampled.Gauge, Penalty: gauge.Ball{Zeta: 50}},
	} {
		var seen [2]gcg.Certificate
		for i, procs := range []int{1, 4} {
			runtime.GOMAXPROCS(procs)
			seen[i] = testrun.Must(t, p, &conditional.GCG{}, solver.Options{Tol: 1e-9, MaxIter: 12, Seed: 3}).State.Cert
		}
		if seen[0] != seen[1] {
			t.Errorf("%s: %+v on one processor, %+v on four", name, seen[0], seen[1])
		}
	}
}

// Sum adds the blocks of a problem in their order, whatever order they are evaluated in.
func TestSumAddsInOrder(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	const n = 100_000
	op, err := operator.NewIdentity(n, 1)
	check(t, err)
	y := make([]float64, n)
	for i := range y {
		y[i] = math.Sin(float64(i)) * math.Pow(10, float64(i%17))
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}}
	var want float64
	for b := range p.Blocks() {
		lo, hi := p.Block(b)
		var part float64
		for _, x := range y[lo:hi] {
			part += x
		}
		want += part
	}
	for _, procs := range []int{1, 4} {
		runtime.GOMAXPROCS(procs)
		got := p.Sum(func(lo, hi int) (part float64) {
			for _, x := range y[lo:hi] {
				part += x
			}
			return part
		})
		if got != want {
			t.Errorf("%d processors: %v, want %v", procs, got, want)
		}
	}
}

// A state that was put together by hand has no oracle, and a run that resumes it begins to count; an event of no run measures
// all the same.
func TestResumeWithoutAnOracle(t *testing.T) {
	p, s := testproblem.Full(t, 14, 11, 1, 5)
	p.Penalty = gauge.Linear{Lambda: 0.3 * s[0]}
	start, err := gcg.NewState(p, nil)
	check(t, err)
	start.Oracle = nil
	r := testrun.Must(t, p, &conditional.GCG{}, solver.Options{Tol: 1e-6, Resume: start})
	if r.Status != solver.Converged || r.State.Count.Polars == 0 {
		t.Errorf("%s with %d polars", r.Status, r.State.Count.Polars)
	}
	measured := false
	solver.Event{}.Uncharged(func() { measured = true })
	if !measured {
		t.Error("an event of no run measures nothing")
	}
}

// crawling moves W by a billionth of a proximal gradient step: F falls by more than rounding, and by nothing of the gap.
type crawling struct{ shrinking }

func (m *crawling) Step(ctx context.Context, p *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	rows, cols, _ := p.Operator.Dims()
	from := s.W.Dense()
	if _, err := m.shrinking.Step(ctx, p, s); err != nil {
		return gcg.Moved{}, err
	}
	w := s.W.Dense()
	for e, x := range from {
		w[e] = x + 1e-9*(w[e]-x)
	}
	s.W, s.Rho = gauge.Lp{P: 1}.Split(w, rows, cols)
	s.Refresh(p)
	return gcg.Moved{}, nil
}

// A run that crawls ends, with its bracket, and one that asks for a longer plateau goes on for longer.
func TestCrawlingStalls(t *testing.T) {
	op, y, _, _ := testproblem.Regression(t, 60, 12, 1)
	p, _ := testrun.AtFraction(t, &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.L1{}}, 0.2)
	short := testrun.Must(t, p, &crawling{shrinking{1e3}}, solver.Options{MaxIter: 20_000, CertifyEvery: 1})
	long := testrun.Must(t, p, &crawling{shrinking{1e3}}, solver.Options{MaxIter: 20_000, CertifyEvery: 1, Plateau: 12})
	if short.Status != solver.Stalled || long.Status != solver.Stalled || !(short.Iter < long.Iter) {
		t.Errorf("%s after %d steps, and with a plateau of 12 %s after %d", short.Status, short.Iter, long.Status, long.Iter)
	}
	if c := short.State.Cert; !(c.LowerBound <= c.Objective) {
		t.Errorf("the bracket [%v, %v]", c.LowerBound, c.Objective)
	}
}
