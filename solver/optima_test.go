package solver_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/testrun"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
	"gonum.org/v1/gonum/mat"
)

func penalties(s []float64) map[string]gcg.Penalty {
	return map[string]gcg.Penalty{
		"linear": gauge.Linear{Lambda: 0.4 * s[0]}, "tiny": gauge.Linear{Lambda: 1e-4 * s[0]},
		"zero":   gauge.Linear{Lambda: 1.5 * s[0]},
		"square": gauge.Square{Lambda: 0.3}, "ball": gauge.Ball{Zeta: 1.7 * s[0]}, "slack ball": gauge.Ball{Zeta: 1e4 * s[0]},
	}
}

func TestClosedForms(t *testing.T) {
	for _, dims := range [][2]int{{1, 1}, {1, 7}, {9, 1}, {12, 8}, {40, 30}, {280, 300}} {
		for _, scale := range []float64{1, 1e-6, 1e6} {
			p, s := testproblem.Full(t, dims[0], dims[1], scale, 3)
			for name, h := range penalties(s) {
				if dims[0] > 100 && (scale != 1 || name == "tiny" || name == "slack ball") {
					continue
				}
				t.Run(fmt.Sprintf("%dx%d/%g/%s", dims[0], dims[1], scale, name), func(t *testing.T) {
					q := *p
					q.Penalty = h
					r, err := solver.Run(context.Background(), &q, &conditional.GCG{OutsideW: true},
						solver.Options{Tol: 1e-8, Improver: &fixedrank.Local{}, MaxIter: 60})
					if err != nil {
						t.Fatal(err)
					}
					testrun.Bracket(t, r, testproblem.Thresholded(h, s), 1e-8)
					if r.State.Cert.Relative > 1e-6 && name != "slack ball" {
						t.Errorf("the gap is %g (%s after %d iterations)", r.State.Cert.Relative, r.Status, r.Iter)
					}
					if name == "zero" && (r.State.W.Rank() != 0 || r.State.Cert.Relative > 1e-10) {
						t.Errorf("λ above σ₁ gives rank %d and gap %g", r.State.W.Rank(), r.State.Cert.Relative)
					}
				})
			}
		}
	}
}

// Every step rule with every improver reaches the same optimum; the plain rules are sublinear, so they get a loose gap.
func TestRulesAndImprovers(t *testing.T) {
	p, s := testproblem.Full(t, 25, 20, 1, 5)
	for name, h := range penalties(s) {
		if name == "tiny" || name == "slack ball" {
			continue
		}
		q := *p
		q.Penalty = h
		want := testproblem.Thresholded(h, s)
		for rule := conditional.LineSearch; rule <= conditional.QuadraticBound; rule++ {
			for _, im := range []solver.Improver{nil, &solver.Corrective{}, &fixedrank.Local{}} {
				method := &conditional.GCG{Rule: rule, Horizon: 400}
				label, tol := "none", 0.05
				if im != nil {
					label = im.Name()
				}
				if _, ok := im.(*fixedrank.Local); ok {
					method.OutsideW, tol = true, 1e-6
				}
				t.Run(fmt.Sprintf("%s/rule%d/%s", name, rule, label), func(t *testing.T) {
					r, err := solver.Run(context.Background(), &q, method, solver.Options{Tol: tol, Improver: im,
						MaxIter: 400, Plateau: 400})
					if err != nil {
						t.Fatal(err)
					}
					testrun.Bracket(t, r, want, tol)
					if r.Status != solver.Converged && rule != conditional.OpenLoop1 && rule != conditional.ConstantStep {
						t.Errorf("%s after %d iterations with gap %g", r.Status, r.Iter, r.State.Cert.Relative)
					}
				})
			}
		}
	}
}

// generated is a problem on generated ratings.
func generated(t testing.TB, g dataset.Generator, lambda float64) *gcg.Problem {
	t.Helper()
	r, err := g.Ratings()
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.Compress(dataset.RefuseDuplicates)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewSampling(s.M, s.N, s.Ptr, s.Cols)
	if err != nil {
		t.Fatal(err)
	}
	y := s.Subtract(dataset.Centre(s, dataset.GlobalMean))
	return &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: lambda}}
}

var medium = dataset.Generator{Name: "test", Rows: 400, Cols: 350, N: 20000, Rank: 3, RowExponent: 0.5, ColExponent: 0.5,
	Scale: 2, Noise: 0.5, Seed: 4}

func TestThreadsDoNotMatter(t *testing.T) {
	p := generated(t, medium, 8)
	var want float64
	for _, threads := range []int{1, 2, 5} {
		old := runtime.GOMAXPROCS(threads)
		r, err := solver.Run(context.Background(), p, &conditional.GCG{OutsideW: true},
			solver.Options{Tol: 1e-6, Improver: &fixedrank.Local{}, Seed: 1})
		runtime.GOMAXPROCS(old)
		if err != nil {
			t.Fatal(err)
		}
		if threads == 1 {
			want = r.State.Cert.Objective
		} else if got := r.State.Cert.Objective; got != want {
			t.Errorf("%d threads give %.17g, one gives %.17g", threads, got, want)
		}
	}
}

// The fused passes, the generic ones and a scaled problem agree.
func TestFusedAndGenericAgree(t *testing.T) {
	p := generated(t, medium, 8)
	generic := *p
	generic.Loss = plain{p.Loss.(*loss.Squared)}
	var f [2]float64
	for i, q := range []*gcg.Problem{p, &generic} {
		r, err := solver.Run(context.Background(), q, &conditional.GCG{OutsideW: true}, solver.Options{Tol: 1e-7,
			Improver: &fixedrank.Local{}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != solver.Converged {
			t.Errorf("%s with gap %g", r.Status, r.State.Cert.Relative)
		}
		f[i] = r.State.Cert.Objective
	}
	if math.Abs(f[0]-f[1]) > 1e-7*f[0] {
		t.Errorf("fused %.12g, generic %.12g", f[0], f[1])
	}
}

// plain hides that a loss is quadratic.
type plain struct{ l *loss.Squared }

func (p plain) Len() int                                         { return p.l.Len() }
func (p plain) Stride() int                                      { return 1 }
func (p plain) Eval(lo int, z, r []float64) float64              { return p.l.Eval(lo, z, r) }
func (p plain) HessTo(dst []float64, lo int, z, e []float64)     { p.l.HessTo(dst, lo, z, e) }
func (p plain) Curvature() float64                               { return 1 }
func (p plain) Conjugate(lo int, r []float64, s float64) float64 { return p.l.Conjugate(lo, r, s) }

// astray takes two good steps, then only such as raise F, and is interrupted there.
type astray struct {
	good   conditional.GCG
	cancel context.CancelFunc
}

func (a *astray) Name() string { return "astray" }
func (a *astray) Init(p *gcg.Problem, s *gcg.State, set gcg.Settings) error {
	return a.good.Init(p, s, set)
}
func (a *astray) Ask(p *gcg.Problem, s *gcg.State) gcg.Ask { return a.good.Ask(p, s) }
func (a *astray) Step(ctx context.Context, p *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	if s.Iter < 2 {
		return a.good.Step(ctx, p, s)
	}
	s.W.Scale(1.5)
	s.Rho *= 1.5
	s.Refresh(p)
	if s.Iter == 3 {
		a.cancel()
	}
	return gcg.Moved{}, nil
}

// A run that is interrupted after steps that raised F has the best iterate that there was, with its own certificate.
func TestInterruptedKeepsTheBest(t *testing.T) {
	p := generated(t, medium, 4)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	best := math.Inf(1)
	r, err := solver.Run(ctx, p, &astray{cancel: cancel}, solver.Options{Tol: 1e-9, Event: func(e solver.Event) {
		if e.Status == "" {
			best = math.Min(best, e.State.Cert.Objective)
		}
	}})
	if !errors.Is(err, context.Canceled) || r.Status != solver.Interrupted || r.Iter != 4 {
		t.Fatalf("%v, %v", r, err)
	}
	c := r.State.Cert
	if c.Objective > best*(1+1e-12) || c.Objective < 0.99*best { // a little less, as the weights of W are more than its gauge
		t.Errorf("F is %v, the best was %v", c.Objective, best)
	}
	z := make([]float64, len(r.State.Z))
	p.Apply(z, r.State.W)
	if f := p.Value(z, nil) + p.Penalty.Value(r.State.Rho); math.Abs(f-c.Objective) > 1e-12*f ||
		!(c.LowerBound > 0 && c.LowerBound <= c.Objective) {
		t.Errorf("certificate %+v of F = %v", c, f)
	}
}

// F never rises with the line search and its improvers, and the gap is never negative.
func TestDescent(t *testing.T) {
	p := generated(t, medium, 6)
	last := math.Inf(1)
	_, err := solver.Run(context.Background(), p, &conditional.GCG{OutsideW: true},
		solver.Options{Tol: 1e-9, MaxIter: 30, Improver: &fixedrank.Local{}, Event: func(e solver.Event) {
			c := e.State.Cert
			if c.Objective > last*(1+1e-13) {
				t.Errorf("iteration %d: F rose from %.15g to %.15g", e.Iter, last, c.Objective)
			}
			last = c.Objective
			if c.LowerBound > c.Objective {
				t.Errorf("iteration %d: lower bound %.15g above F %.15g", e.Iter, c.LowerBound, c.Objective)
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
}

// However long predictions were moved along with W, what is reported in the end is of W itself.
func TestEndIsOfItsOwnW(t *testing.T) {
	p := generated(t, medium, 6)
	var most float64 // of one run it may be 0 by chance
	for steps := 23; steps < 28; steps++ {
		r := testrun.Must(t, p, &conditional.GCG{}, solver.Options{Tol: 1e-9, MaxIter: steps})
		s := r.State
		z := make([]float64, len(s.Z))
		p.Apply(z, s.W)
		if got := p.Value(z, nil); got != s.Loss || s.Cert.Objective != got+p.Penalty.Value(s.Rho) {
			t.Errorf("the loss is %.17g, of W %.17g, with a drift of %g", s.Loss, got, r.Drift)
		}
		most = math.Max(most, r.Drift)
	}
	if most == 0 || most > 1e-10 {
		t.Errorf("the drift is %g at most", most)
	}
}

func TestExactCertificate(t *testing.T) {
	p := generated(t, medium, 8)
	r, err := solver.Run(context.Background(), p, &conditional.GCG{OutsideW: true},
		solver.Options{Tol: 1e-5, Improver: &fixedrank.Local{}, Exact: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != solver.Converged || r.State.Cert.Kind != gcg.Proven {
		t.Errorf("%s with a %s bound", r.Status, r.State.Cert.Kind)
	}
}

// Within a ball that is far larger than the least-squares solution the gap counts what W could be: Newton steps go on until
// that is small.
func TestBallBeyondLeastSquares(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 9))
	const n, features, targets = 150, 80, 3
	x, y := mat.NewDense(n, features, nil), mat.NewDense(n, targets, nil)
	for i := range n {
		for j := range features {
			x.Set(i, j, rng.NormFloat64()+2)
		}
		for c := range targets {
			y.Set(i, c, rng.NormFloat64())
		}
	}
	var w, others mat.Dense
	if err := w.Solve(x, y); err != nil {
		t.Fatal(err)
	}
	others.Mul(x, &w)
	others.Sub(y, &others)
	norm := mat.Norm(&others, 2)
	f, err := operator.DenseFeatures(n, features, x.RawMatrix().Data)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewDesign(f, targets)
	if err != nil {
		t.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y.RawMatrix().Data}, Gauge: gauge.Trace{},
		Penalty: gauge.Ball{Zeta: 100 * mat.Norm(&w, 2)}}
	r, err := solver.Run(context.Background(), p, &conditional.GCG{OutsideW: true}, solver.Options{Tol: 1e-7,
		Improver: &fixedrank.Local{}})
	if err != nil {
		t.Fatal(err)
	}
	testrun.Bracket(t, r, norm*norm/2, 1e-7)
	if r.Status != solver.Converged || r.Iter > 4 {
		t.Errorf("%s after %d iterations with gap %g", r.Status, r.Iter, r.State.Cert.Relative)
	}
}
