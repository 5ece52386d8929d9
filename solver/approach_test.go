package solver_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
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
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
)

// approached is a problem solved by way of larger λ, and whether there were some.
func approached(t *testing.T, p *gcg.Problem, opt solver.Options) (r *solver.Result, stages int) {
	t.Helper()
	opt.Improver = &fixedrank.Local{}
	var seen []float64
	opt.Event = func(e solver.Event) { seen = append(seen, e.State.Cert.Objective) }
	r, err := solver.Approach{Method: func() solver.Method { return &conditional.GCG{OutsideW: true} },
		Stage: func(float64, *solver.Result) { stages++ }}.Run(context.Background(), p, opt)
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) == 0 || seen[len(seen)-1] != r.State.Cert.Objective || r.Iter < stages {
		t.Errorf("%d events, %d iterations for %d stages", len(seen), r.Iter, stages)
	}
	return r, stages
}

// The optimum of fully observed entries is known by their singular values at every λ, and reached by way of larger ones where
// it is small.
func TestApproachFullyObserved(t *testing.T) {
	for _, by := range []float64{0.1, 1e-3, 1e-5} {
		p, s := testproblem.Full(t, 12, 8, 1, 5)
		for _, h := range []gcg.Penalty{gauge.Linear{Lambda: by * s[0]}, gauge.Square{Lambda: by * s[0]},
			gauge.Ball{Zeta: s[0]}} {
			p.Penalty = h
			r, stages := approached(t, p, solver.Options{Tol: 1e-6})
			want := testproblem.Thresholded(h, s)
			c := r.State.Cert
			if r.Status != solver.Converged || !(c.LowerBound <= want*(1+1e-9) && want <= c.Objective*(1+1e-9)) {
				t.Errorf("%T at %v: %s, %.10g is not in [%.10g, %.10g]", h, by, r.Status, want, c.LowerBound, c.Objective)
			}
			if _, linear := h.(gauge.Linear); linear && (stages > 0) != (by < 0.005) {
				t.Errorf("λ = %v λ₀ is reached by way of %d others", by, stages)
			}
		}
	}
}

// Entries that W interpolates nearly: from W = 0 the gap stayed above a third after thousands of Newton steps.
func TestApproachInterpolation(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	const m, n, rank = 40, 30, 3
	u, v := make([]float64, m*rank), make([]float64, n*rank)
	for _, x := range [][]float64{u, v} {
		for i := range x {
			x[i] = rng.NormFloat64()
		}
	}
	ptr, cols, y := []int64{0}, []int32{}, []float64{}
	for i := range m {
		for j := range n {
			if rng.Float64() < 0.39 {
				x := 0.3 * rng.NormFloat64()
				for c := range rank {
					x += u[i*rank+c] * v[j*rank+c]
				}
				cols, y = append(cols, int32(j)), append(y, x)
			}
		}
		ptr = append(ptr, int64(len(cols)))
	}
	op, err := operator.NewSampling(m, n, ptr, cols)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range []gcg.Penalty{gauge.Linear{Lambda: 1e-3}, gauge.Linear{Lambda: 1e-5}, gauge.Square{Lambda: 1e-6}} {
		p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.Trace{}, Penalty: h}
		r, stages := approached(t, p, solver.Options{})
		if r.Status != solver.Converged || stages == 0 {
			t.Errorf("%T: %s at a gap of %.2g after %d stages", h, r.Status, r.State.Cert.Relative, stages)
		}
	}
}

// The stages report as one run of the problem that was asked for: iterations and times only grow, every bracket holds the known
// optimum, and from the checkpoint of any stage the run goes on.
func TestApproachReports(t *testing.T) {
	p, s := testproblem.Full(t, 12, 8, 1, 5)
	for name, by := range map[string]float64{"a small λ": 1e-5, "a large λ": 0.1} {
		p.Penalty = gauge.Linear{Lambda: by * s[0]}
		want := testproblem.Thresholded(p.Penalty, s)
		last, events, stages := solver.Event{}, 0, 0
		var kept []*gcg.State
		opt := solver.Options{Tol: 1e-6, Improver: &fixedrank.Local{}, CheckpointEvery: 1, Event: func(e solver.Event) {
			c := e.State.Cert
			if e.Iter != e.State.Iter || e.Iter < last.Iter || e.Elapsed < last.Elapsed || last.Status != "" ||
				e.Split.Polar < last.Split.Polar {
				t.Errorf("%s: iteration %d at %v after %d at %v, %q", name, e.Iter, e.Elapsed, last.Iter, last.Elapsed,
					last.Status)
			}
			if !(c.LowerBound <= want*(1+1e-9) && want <= c.Objective*(1+1e-9)) || math.IsInf(c.LowerBound, 0) {
				t.Errorf("%s: %v is not in [%v, %v] at iteration %d", name, want, c.LowerBound, c.Objective, e.Iter)
			}
			last = e
			events++
		}, Checkpoint: func(s *gcg.State) error {
			at := *s
			at.W = s.W.Clone()
			kept = append(kept, &at)
			return nil
		}}
		again := func() solver.Method { return &conditional.GCG{OutsideW: true} }
		r, err := solver.Approach{Method: again, Stage: func(float64,
			*solver.Result) {
			stages++
		}}.Run(context.Background(), p, opt)
		if err != nil || r.Iter != last.Iter || r.Elapsed < last.Elapsed || len(kept) <= stages || events <= stages ||
			r.State.Count != last.State.Count {
			t.Fatalf("%s: %v, %d iterations, %d in the last event; %d events, %d checkpoints, %d stages", name, err, r.Iter,
				last.Iter,
				events, len(kept), stages)
		}
		for _, at := range kept {
			from, err := gcg.NewState(p, at.W)
			if err != nil {
				t.Fatal(err)
			}
			from.Iter, from.Cert = at.Iter, at.Cert
			r, err := solver.Run(context.Background(), p, again(), solver.Options{Tol: 1e-6, Improver: &fixedrank.Local{},
				Resume: from})
			if err != nil || r.Status != solver.Converged {
				t.Errorf("%s: resumed at iteration %d: %v, %v", name, at.Iter, err, r)
			}
		}
	}
}

// On the way to narrow bends no bound is known before the last stage, and objectives are those of the loss that was asked for.
func TestApproachReportsNarrowBends(t *testing.T) {
	p := outliers(t, 1e6, 0.01)
	var objectives, bounds []float64
	opt := solver.Options{Tol: 1e-3, Event: func(e solver.Event) {
		at, err := gcg.NewState(p, e.State.W)
		if err != nil {
			t.Fatal(err)
		}
		at.Rho = e.State.Rho
		if want := p.Objective(at); math.Abs(e.State.Cert.Objective-want) > 1e-6*want {
			t.Errorf("iteration %d: objective %v, want %v", e.Iter, e.State.Cert.Objective, want)
		}
		objectives, bounds = append(objectives, e.State.Cert.Objective), append(bounds, e.State.Cert.LowerBound)
	}}
	r := approach(t, p, opt)
	if len(bounds) < 3 || !math.IsInf(bounds[0], -1) {
		t.Errorf("%d events, the first bound is %v", len(bounds), bounds[0])
	}
	for i, b := range bounds {
		if b > r.State.Cert.Objective || objectives[i] < r.State.Cert.LowerBound {
			t.Errorf("event %d: [%v, %v], in the end [%v, %v]", i, b, objectives[i], r.State.Cert.LowerBound,
				r.State.Cert.Objective)
		}
	}
}

// A counted gauge counts the polars that it is asked for.
type counted struct {
	gauge.Trace
	polars *int
}

func (c counted) Polar(ctx context.Context, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	*c.polars++
	return c.Trace.Polar(ctx, g, ask)
}

// λ₀ is not asked for again where the caller has it, and the answer is the same.
func TestApproachKnownLambda0(t *testing.T) {
	p, s := testproblem.Full(t, 12, 8, 1, 5)
	p.Penalty = gauge.Linear{Lambda: 1e-4 * s[0]}
	var polars [2]int
	var objectives [2]float64
	for k, top := range []float64{0, s[0]} {
		p.Gauge = counted{polars: &polars[k]}
		r, err := solver.Approach{Method: func() solver.Method { return &conditional.GCG{OutsideW: true} }, Lambda0: top}.Run(
			context.Background(), p, solver.Options{Improver: &fixedrank.Local{}})
		if err != nil {
			t.Fatal(err)
		}
		objectives[k] = r.State.Cert.Objective
	}
	if polars[1] != polars[0]-1 || math.Abs(objectives[1]-objectives[0]) > 1e-6*objectives[0] {
		t.Errorf("%d polars, then %d; objectives %v", polars[0], polars[1], objectives)
	}
}

// outliers are 40 samples of 12 features and 3 outputs, some far off, with targets of a scale and a Huber loss of a width.
func outliers(t *testing.T, scale, width float64) *gcg.Problem {
	t.Helper()
	const n, features, outputs = 40, 12, 3
	rng := rand.New(rand.NewPCG(3, 1))
	x, y := make([]float64, n*features), make([]float64, n*outputs)
	for e := range x {
		x[e] = rng.NormFloat64()
	}
	for e := range y {
		y[e] = scale * (2*x[e/outputs*features+e%outputs] - x[e/outputs*features+4] + 0.3*rng.NormFloat64())
		if rng.IntN(20) == 0 {
			y[e] += 10 * scale * rng.NormFloat64()
		}
	}
	dense, err := operator.DenseFeatures(n, features, x)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewDesign(dense, outputs)
	if err != nil {
		t.Fatal(err)
	}
	return &gcg.Problem{Operator: op, Loss: &loss.Huber{Y: y, Mu: width, Group: outputs}, Gauge: gauge.L1{},
		Penalty: gauge.Linear{Lambda: 4}}
}

// approach solves p as solver.For says, by an Approach.
func approach(t *testing.T, p *gcg.Problem, opt solver.Options) *solver.Result {
	t.Helper()
	_, improver, _ := solver.For(p)
	opt.Improver = improver
	r, err := solver.Approach{Method: func() solver.Method { m, _, _ := solver.For(p); return m }}.Run(context.Background(),
		p, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A width that suits targets of size 1 suits them at any size: the gap closes, and the optimum is that of the absolute value but
// for the width's part, in units of the targets.
func TestApproachNarrowBends(t *testing.T) {
	wide := approach(t, outliers(t, 1, 1e-6), solver.Options{Tol: 1e-4}).State.Cert
	for _, scale := range []float64{1e-3, 1, 1e3, 1e6} {
		for _, k := range []gcg.Gauge{gauge.L1{}, gauge.Group{}} {
			t.Run(fmt.Sprintf("%g/%s", scale, k.Name()), func(t *testing.T) {
				p := outliers(t, scale, 0.01)
				p.Gauge = k
				c := approach(t, p, solver.Options{Tol: 1e-3}).State.Cert
				if c.Relative > 1e-3 || !(c.LowerBound > 0) {
					t.Errorf("the gap is %.3g at the bound %v", c.Relative, c.LowerBound)
				}
				short := 0.005 * float64(p.Loss.Len()) // the most that the width takes off
				if _, ok := k.(gauge.L1); ok && (c.Objective < scale*wide.LowerBound-short ||
					c.LowerBound > scale*wide.Objective*(1+1e-6)) {
					t.Errorf("[%v, %v], by the absolute value [%v, %v] × %g", c.LowerBound, c.Objective, wide.LowerBound,
						wide.Objective,
						scale)
				}
			})
		}
	}
}

// So it is in a stack, here of the trace norm with a loss beside that has no bends: each part that has some is widened.
func TestApproachNarrowBendsOfAStack(t *testing.T) {
	p := outliers(t, 1, 1e-4)
	op, err := operator.NewIdentity(12, 3)
	if err != nil {
		t.Fatal(err)
	}
	p.Gauge, p.Loss = gauge.Trace{}, loss.Stack(p.Loss, &loss.Ridge{N: 36, Mu: 1e-3, Group: 3})
	if p.Operator, err = operator.Stack(p.Operator, op); err != nil {
		t.Fatal(err)
	}
	r, _ := approached(t, p, solver.Options{Tol: 1e-3})
	if r.Status != solver.Converged || r.Iter > 40 { // 15 by way of wider bends, 75 without
		t.Errorf("ended %s after %d steps with a gap of %.3g", r.Status, r.Iter, r.State.Cert.Relative)
	}
}

// With every entry observed, the Huber function of width μ under λ < 1 leaves a residual of λμ: the optimum is Σ λ|y| - λ²μ/2.
func TestApproachNarrowBendsKnown(t *testing.T) {
	const lambda, width = 0.4, 0.01
	rng := rand.New(rand.NewPCG(7, 1))
	y, want := make([]float64, 6*5), 0.0
	for e := range y {
		y[e] = 1e6 * rng.NormFloat64()
		want += lambda*math.Abs(y[e]) - lambda*lambda*width/2
	}
	op, err := operator.NewIdentity(6, 5)
	if err != nil {
		t.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Huber{Y: y, Mu: width}, Gauge: gauge.L1{}, Penalty: gauge.Linear{Lambda: lambda}}
	testrun.Bracket(t, approach(t, p, solver.Options{Tol: 1e-6}), want, 1e-6)
}

// Where the time is up on the way, the iterate has a bound for the loss and the penalty that were asked for.
func TestApproachOutOfTime(t *testing.T) {
	p := outliers(t, 1e6, 0.01)
	r := approach(t, p, solver.Options{Tol: 1e-6, MaxTime: time.Nanosecond})
	if c := r.State.Cert; r.Status != solver.MaxTime || math.IsInf(c.LowerBound, -1) || c.Relative > 1e3 {
		t.Errorf("%s with %+v", r.Status, c)
	}
}

// MaxIter counts the steps of all stages: one that suffices changes nothing, and a smaller one ends at so many steps with a bound
// of the λ that was asked for.
func TestApproachCountsAllSteps(t *testing.T) {
	p, s := testproblem.Full(t, 12, 8, 1, 5)
	p.Penalty = gauge.Linear{Lambda: 1e-5 * s[0]}
	free, stages := approached(t, p, solver.Options{Tol: 1e-6})
	if same, again := approached(t, p, solver.Options{Tol: 1e-6, MaxIter: 100}); again != stages || same.Iter != free.Iter ||
		same.State.Cert.Objective != free.State.Cert.Objective {
		t.Errorf("%d stages and %d steps to %v with a limit, %d and %d to %v without", again, same.Iter, same.State.Cert.Objective,
			stages, free.Iter, free.State.Cert.Objective)
	}
	want := testproblem.Thresholded(p.Penalty, s)
	for limit := 1; limit < free.Iter; limit++ {
		r, err := solver.Approach{Method: func() solver.Method { return &conditional.GCG{OutsideW: true} }}.Run(context.Background(), p,
			solver.Options{Tol: 1e-6, MaxIter: limit, Improver: &fixedrank.Local{}})
		if err != nil {
			t.Fatal(err)
		}
		if c := r.State.Cert; r.Iter != limit || r.Status != solver.MaxIterations || !(c.LowerBound <= want*(1+1e-9)) ||
			!(want <= c.Objective*(1+1e-9)) {
			t.Errorf("%d steps: %s after %d, %.10g is not in [%.10g, %.10g]", limit, r.Status, r.Iter, want, c.LowerBound, c.Objective)
		}
	}
}
