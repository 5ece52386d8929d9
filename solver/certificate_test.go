package solver_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

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

// bounded is a squared loss of which only values, derivatives and the infimum are known, so that its certificate is the
// linearised one.
type bounded struct{ l *loss.Squared }

func (b bounded) Len() int                            { return b.l.Len() }
func (b bounded) Stride() int                         { return 1 }
func (b bounded) Eval(lo int, z, r []float64) float64 { return b.l.Eval(lo, z, r) }
func (b bounded) Infimum() float64                    { return 0 }

// Without a conjugate the linearised bound holds at every iterate under every penalty, and closes.
func TestLinearisedCertificate(t *testing.T) {
	p, s := testproblem.Full(t, 12, 8, 1, 3)
	for name, h := range penalties(s) {
		if name == "slack ball" || name == "tiny" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			q, want := *p, testproblem.Thresholded(h, s)
			q.Loss, q.Penalty = bounded{p.Loss.(*loss.Squared)}, h
			r, err := solver.Run(context.Background(), &q, &conditional.GCG{}, solver.Options{Tol: 0.02, MaxIter: 3000,
				Plateau: 300, Event: func(e solver.Event) {
					if c := e.State.Cert; c.LowerBound > want*(1+1e-12) || c.Objective < want*(1-1e-12) {
						t.Fatalf("iteration %d: the optimum %.12g is not in [%.12g, %.12g]", e.Iter, want, c.LowerBound,
							c.Objective)
					}
				}})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != solver.Converged {
				t.Errorf("%s after %d iterations with gap %.2g", r.Status, r.Iter, r.State.Cert.Relative)
			}
		})
	}
}

// Weights 0 and 1 on all entries are observations left out, and a common weight is a common factor of the objective.
func TestWeightsAreObservations(t *testing.T) {
	const m, n = 12, 8
	p, s := testproblem.Full(t, m, n, 1, 3)
	y := p.Loss.(*loss.Squared).Y
	rng := rand.New(rand.NewPCG(8, 1))
	omega, ptr := make([]float64, m*n), make([]int64, m+1)
	var cols []int32
	var kept []float64
	for e := range omega {
		if rng.IntN(3) > 0 {
			omega[e], cols, kept = 1, append(cols, int32(e%n)), append(kept, y[e])
		}
		ptr[e/n+1] = int64(len(cols))
	}
	op, err := operator.NewSampling(m, n, ptr, cols)
	if err != nil {
		t.Fatal(err)
	}
	h := gauge.Linear{Lambda: 0.3 * s[0]}
	fewer := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: kept}, Gauge: gauge.Trace{}, Penalty: h}
	weighted := &gcg.Problem{Operator: p.Operator, Loss: &loss.Squared{Y: y, Omega: omega}, Gauge: gauge.Trace{}, Penalty: h}
	a, b := tight(t, fewer), tight(t, weighted)
	if a.LowerBound > b.Objective || b.LowerBound > a.Objective {
		t.Errorf("left out: [%.10g, %.10g], weighed 0: [%.10g, %.10g]", a.LowerBound, a.Objective, b.LowerBound, b.Objective)
	}
	threes := make([]float64, m*n)
	for e := range threes {
		threes[e] = 3
	}
	for _, c := range []struct {
		mean bool
		by   float64
	}{{false, 3}, {true, 3.0 / (m * n)}} {
		common := *p
		common.Loss, common.Penalty = &loss.Squared{Y: y, Omega: threes, Mean: c.mean}, gauge.Linear{Lambda: c.by * h.Lambda}
		if got, want := tight(t, &common), c.by*testproblem.Thresholded(h, s); math.Abs(got.Objective-want) > 1e-7*want ||
			got.LowerBound > want*(1+1e-12) {
			t.Errorf("%g times the optimum is %.10g, not in [%.10g, %.10g]", c.by, want, got.LowerBound, got.Objective)
		}
	}
}

// From a start far from W = 0 whose loss is small, what W may cost is bounded by all of F: with the loss alone the bound would
// exceed the optimum.
func TestLinearisedCertificateAtGoodStart(t *testing.T) {
	const m, n = 12, 8
	p, s := testproblem.Full(t, m, n, 1, 3)
	q, h := *p, gauge.Linear{Lambda: 1e-4 * s[0]}
	l := p.Loss.(*loss.Squared)
	q.Loss, q.Penalty = bounded{l}, h
	start := &gcg.Iterate{M: m, N: n, U: gcg.NewFactor(m, n), V: gcg.NewFactor(n, n)}
	for e, x := range l.Y {
		start.U.Row(e / n)[e%n] = 0.99 * x
	}
	for j := range n {
		start.V.Row(j)[j] = 1
	}
	want, certified := testproblem.Thresholded(h, s), false
	testrun.Must(t, &q, &conditional.GCG{}, solver.Options{Tol: 1e-9, MaxIter: 1, Start: start, Event: func(e solver.Event) {
		c := e.State.Cert
		if c.LowerBound > want*(1+1e-12) || c.Objective < want*(1-1e-12) {
			t.Errorf("iteration %d: the optimum %.12g is not in [%.12g, %.12g]", e.Iter, want, c.LowerBound, c.Objective)
		}
		certified = certified || e.Iter == 0 && !math.IsInf(c.LowerBound, -1) && e.State.Rho > 0.9*want/h.Lambda
	}})
	if !certified {
		t.Error("nothing was certified at the start")
	}
}

// tight solves to a gap of 1e-8.
func tight(t *testing.T, p *gcg.Problem) gcg.Certificate {
	t.Helper()
	r, err := solver.Run(context.Background(), p, &conditional.GCG{OutsideW: true}, solver.Options{Tol: 1e-8,
		Improver: &fixedrank.Local{}, MaxIter: 300})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != solver.Converged {
		t.Error(fmt.Sprint(r.Status, " with gap ", r.State.Cert.Relative))
	}
	return r.State.Cert
}

// Of fewer rows than features and outputs the gradient has a low rank, and is 0 but for rounding outside the spaces of W: atoms
// that come of that do not take W out of its ball.
func TestFewRowsStayWithinTheBall(t *testing.T) {
	const features, outputs, zeta = 300, 280, 0.5
	for rows := 1; rows <= 4; rows++ {
		rng := rand.New(rand.NewPCG(uint64(rows), 3))
		x, y := make([]float64, rows*features), make([]float64, rows*outputs)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		for i := range y {
			y[i] = rng.NormFloat64()
		}
		f, err := operator.DenseFeatures(rows, features, x)
		if err != nil {
			t.Fatal(err)
		}
		op, err := operator.NewDesign(f, outputs)
		if err != nil {
			t.Fatal(err)
		}
		p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y, Group: outputs}, Gauge: gauge.Trace{},
			Penalty: gauge.Ball{Zeta: zeta}}
		solved := testrun.Must(t, p, &conditional.GCG{OutsideW: true}, solver.Options{Tol: 1e-7,
			Improver: &fixedrank.Local{}}).State.Cert
		for _, im := range []solver.Improver{nil, &solver.Corrective{}} {
			s := testrun.Must(t, p, &conditional.GCG{}, solver.Options{Tol: 1e-7, MaxIter: 30, Improver: im}).State
			if norm := (gauge.Trace{}).Of(s.W.Dense(), features, outputs); norm > zeta*(1+1e-9) ||
				s.Cert.Objective < solved.LowerBound {
				t.Errorf("%d rows: κ is %v of %v, F %v of at least %v", rows, norm, zeta, s.Cert.Objective, solved.LowerBound)
			}
		}
	}
}

// long is a gauge that evaluates the trace norm, with a polar whose atoms are longer than 1 from the second on, so that they
// seem to attain more for their weight.
type long struct {
	norm   gauge.Trace
	polars *int
}

func (long) Name() string { return "long" }

func (k long) Compress(w *gcg.Iterate) float64 { return k.norm.Compress(w) }

func (k long) Polar(ctx context.Context, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	ask.Spectral.Stacked = false
	p, err := k.norm.Polar(ctx, g, ask)
	if *k.polars++; *k.polars > 1 {
		longer(1.5)(&p)
	}
	return p, err
}

// Where κ(W) is above what the atoms of W weigh, the objective is that of κ(W), and a warning says why.
func TestAtomsThatAreTooLong(t *testing.T) {
	p, _ := testproblem.Full(t, 12, 8, 1, 3)
	p.Gauge, p.Penalty = long{polars: new(int)}, gauge.Linear{Lambda: 0.1}
	r, err := solver.Run(context.Background(), p, &conditional.GCG{}, solver.Options{MaxIter: 3})
	if err != nil {
		t.Fatal(err)
	}
	_, sigma, _ := gcg.SVD(r.State.W.U, r.State.W.V, 1e-14)
	var kappa float64
	for _, x := range sigma {
		kappa += x
	}
	if math.Abs(r.State.Rho-kappa) > 1e-9*kappa {
		t.Errorf("ρ is %v, and κ(W) %v", r.State.Rho, kappa)
	}
	if want := "atoms whose gauge is above 1"; len(r.Warnings) == 0 || !strings.Contains(r.Warnings[0], want) {
		t.Errorf("%q do not say that there are %s", r.Warnings, want)
	}
}
