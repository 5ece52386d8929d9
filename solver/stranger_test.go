package solver_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/testrun"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
)

// strange is a gauge written by somebody else: the trace norm's polar in a gauge that has nothing else, with one thing changed.
type strange struct{ change func(*gcg.Polar) }

func (strange) Name() string { return "strange" }

func (k strange) Polar(ctx context.Context, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	p, err := gauge.Trace{}.Polar(ctx, g, gcg.Ask{Count: ask.Count, Above: ask.Above})
	if err == nil {
		k.change(&p)
	}
	return p, err
}

// strangeCompressor is one that evaluates κ by the trace norm of twice W: its atoms have the gauge 2.
type strangeCompressor struct{ strange }

func (strangeCompressor) Compress(w *gcg.Iterate) float64 { return 2 * gauge.Trace{}.Compress(w) }

// strangeBlocks is ℓ1 with atoms of the length 3.
type strangeBlocks struct{ gauge.L1 }

func (k strangeBlocks) Polar(ctx context.Context, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	p, err := k.L1.Polar(ctx, g, ask)
	for i := range p.Atoms {
		p.Atoms[i].Vals[0] *= 3
		p.Values[i] *= 3
	}
	p.Value, p.Bound = 3*p.Value, 3*p.Bound
	return p, err
}

// longer multiplies atoms by c, and what they attain.
func longer(c float64) func(*gcg.Polar) {
	return func(p *gcg.Polar) {
		for i := range p.Atoms {
			p.Atoms[i].V.Scale(c)
			p.Values[i] *= c
		}
		p.Value, p.Bound = c*p.Value, c*p.Bound
	}
}

// A polar that leaves its bound, or what the bound is worth, at the zero value proves nothing. The run goes on without a bound,
// and says which gauge gives none.
func TestPolarsWithoutABoundProveNothing(t *testing.T) {
	for name, change := range map[string]func(*gcg.Polar){
		"atoms alone":   func(p *gcg.Polar) { *p = gcg.Polar{Atoms: p.Atoms} },
		"no bound":      func(p *gcg.Polar) { p.Bound, p.Kind = 0, gcg.Unbounded },
		"infinite":      func(p *gcg.Polar) { p.Bound, p.Kind = math.Inf(1), gcg.Unbounded },
		"without value": func(p *gcg.Polar) { p.Value, p.Bound, p.Kind = 0, 0, gcg.Unbounded },
	} {
		p, s := testproblem.Full(t, 14, 11, 1, 5)
		p.Gauge, p.Penalty = strange{change}, gauge.Linear{Lambda: 0.3 * s[0]}
		r := testrun.Must(t, p, &conditional.GCG{}, solver.Options{Tol: 1e-6, MaxIter: 40})
		c := r.State.Cert
		if r.Status == solver.Converged || !math.IsInf(c.LowerBound, -1) || c.Kind != gcg.Unbounded ||
			!math.IsInf(r.Solution.Excess, 1) {
			t.Errorf("%s: %s, %+v, excess %v", name, r.Status, c, r.Solution.Excess)
		}
		if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "gauge strange gives no upper bound") {
			t.Errorf("%s: warnings %q", name, r.Warnings)
		}
		if want := testproblem.Thresholded(p.Penalty, s); r.State.Cert.Objective > want*1.01 {
			t.Errorf("%s: F is %v after %d steps, at the optimum %v", name, c.Objective, r.Iter, want)
		}
	}
}

// What a polar says of itself that cannot be is refused at once, with an error that names the gauge.
func TestPolarsThatCannotBe(t *testing.T) {
	plain, _ := testproblem.Full(t, 14, 11, 1, 5)
	for name, c := range map[string]struct {
		gauge gcg.Gauge
		want  string
	}{
		"bound forgotten": {strange{func(p *gcg.Polar) { p.Bound = 0 }}, "is below what its first atom attains"},
		"bound below": {strange{func(p *gcg.Polar) { p.Bound = p.Value * (1 - 1e-6) }},
			"is below what its first atom attains"},
		"kind forgotten":     {strange{func(p *gcg.Polar) { p.Kind = 0 }}, "says not what it is worth"},
		"unknown kind":       {strange{func(p *gcg.Polar) { p.Kind = 7 }}, "kind 7"},
		"failure forgotten":  {strange{func(p *gcg.Polar) { p.Kind = gcg.Probable }}, "probability"},
		"impossible failure": {strange{func(p *gcg.Polar) { p.Kind, p.Failure = gcg.Probable, 2 }}, "probability"},
		"impossible alpha":   {strange{func(p *gcg.Polar) { p.Kind, p.Alpha = gcg.Approximate, 1.5 }}, "ratio"},
		"value is off":       {strange{func(p *gcg.Polar) { p.Value *= 0.9; p.Values = nil }}, "attains"},
		"values are off":     {strange{func(p *gcg.Polar) { p.Value *= 0.9; p.Values[0] *= 0.9 }}, "attains"},
		"longer atoms":       {strange{longer(math.Sqrt2)}, "gauge is 1.41"},
		"shorter atoms":      {strange{longer(0.5)}, "gauge is 0.5"},
		"evaluated":          {strangeCompressor{strange{func(*gcg.Polar) {}}}, "gauge is 2"},
		"blocks":             {strangeBlocks{}, "gauge is 3"},
	} {
		p := *plain
		p.Gauge, p.Penalty = c.gauge, gauge.Linear{Lambda: 0.1}
		began := time.Now()
		_, err := solver.Run(context.Background(), &p, &conditional.GCG{}, solver.Options{Tol: 1e-6, MaxTime: 20 * time.Second})
		if err == nil || !strings.Contains(err.Error(), "gauge "+c.gauge.Name()) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want one about %q", name, err, c.want)
		}
		if time.Since(began) > 10*time.Second {
			t.Errorf("%s: refused after %v", name, time.Since(began))
		}
		if _, err := solver.MaxLambda(context.Background(), &p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: MaxLambda says %v", name, err)
		}
	}
}

// unmerged is a gauge whose Compress evaluates W by the pairs that it has, and merges none: the pairs of the trace norm.
type unmerged struct{ strange }

func (unmerged) Compress(w *gcg.Iterate) float64 { return w.Weights() }

// Where neither a gauge merges atoms nor an improver drops them, the run keeps W in as many columns as a matrix of its size can
// need, and ρ what the atoms weigh.
func TestFactorsStayNarrow(t *testing.T) {
	const m, n = 50, 60
	p, s := testproblem.Full(t, m, n, 1, 5)
	p.Penalty = gauge.Linear{Lambda: 0.2 * s[0]}
	want := testproblem.Thresholded(p.Penalty, s)
	for name, k := range map[string]gcg.Gauge{"no Compress": strange{func(*gcg.Polar) {}},
		"an idle one": unmerged{strange{func(*gcg.Polar) {}}}} {
		p.Gauge = k
		widest := 0
		r := testrun.Must(t, p, &conditional.GCG{Rule: conditional.OpenLoop}, solver.Options{Tol: 1e-6, MaxIter: 450,
			Event: func(e solver.Event) {
				widest = max(widest, e.State.W.Rank())
				if e.Iter%50 == 0 && math.Abs(e.State.W.Weights()-e.State.Rho) > 1e-9*e.State.Rho {
					t.Errorf("%s, iteration %d: ρ is %v, the weights are %v", name, e.Iter, e.State.Rho, e.State.W.Weights())
				}
			}})
		c := r.State.Cert
		if widest > 2*m || r.State.W.Rank() > m {
			t.Errorf("%s: up to %d columns, %d in the end", name, widest, r.State.W.Rank())
		}
		if c.LowerBound > want*(1+1e-9) || c.Objective < want*(1-1e-9) || c.Relative > 0.1 || len(r.Warnings) > 0 ||
			r.Drift > 1e-9 {
			t.Errorf("%s: %v not in [%v, %v], drift %g, warnings %q", name, want, c.LowerBound, c.Objective, r.Drift, r.Warnings)
		}
		next := testrun.Must(t, p, &conditional.GCG{}, solver.Options{Tol: 1e-6, MaxIter: 1, Start: r.State.W})
		if f := next.State.Cert.Objective; f > c.Objective*(1+1e-9) || f < want*(1-1e-9) {
			t.Errorf("%s: from there on F is %v, after %v", name, f, c.Objective)
		}
		corrected := testrun.Must(t, p, &conditional.GCG{}, solver.Options{Tol: 1e-6, MaxIter: 2, Start: r.State.W,
			Improver: &solver.Corrective{}})
		if c := corrected.State.Cert; c.LowerBound > want*(1+1e-9) || c.Objective < want*(1-1e-9) {
			t.Errorf("%s, corrected: %v not in [%v, %v]", name, want, c.LowerBound, c.Objective)
		}
	}
}

// bare is the trace norm of somebody who gives what every gauge does and nothing more.
type bare struct{ gauge.Trace }

func (k bare) Polar(ctx context.Context, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	ask.Spectral = gcg.SpectralAsk{}
	p, err := k.Trace.Polar(ctx, g, ask)
	p.Spectral = nil
	return p, err
}

// What only the trace norm is asked for may be left out: the improver of its singular values does without.
func TestWithoutSpectral(t *testing.T) {
	p := generated(t, medium, 4)
	want := testrun.Must(t, p, &conditional.GCG{OutsideW: true}, solver.Options{Tol: 1e-4,
		Improver: &fixedrank.Local{}}).State.Cert
	p.Gauge = bare{}
	r := testrun.Must(t, p, &conditional.GCG{OutsideW: true}, solver.Options{Tol: 1e-4, Improver: &fixedrank.Local{}})
	if c := r.State.Cert; r.Status != solver.Converged || c.LowerBound > want.Objective || c.Objective < want.LowerBound {
		t.Errorf("%s: [%v, %v], and with it [%v, %v]", r.Status, c.LowerBound, c.Objective, want.LowerBound, want.Objective)
	}
}
