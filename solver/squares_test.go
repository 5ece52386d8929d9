package solver_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testrun"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
	"gonum.org/v1/gonum/mat"
)

// storages is one problem three times: in float64 with predictions, and as squares in both storages. The data are rounded to
// float32 for all of them.
func storages(t *testing.T, lambda float64, mean, weighted bool) (plain, double, single *gcg.Problem, y []float64) {
	t.Helper()
	g := dataset.Generator{Name: "squares", Rows: 340, Cols: 290, N: 12_000, Rank: 3, RowExponent: 0.6, ColExponent: 0.6,
		Scale: 2, Noise: 0.5, Seed: 4}
	r, err := g.Ratings()
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.Compress(dataset.RefuseDuplicates)
	if err != nil {
		t.Fatal(err)
	}
	y32 := make([]float32, len(s.Values))
	for e, x := range s.Values {
		y32[e] = float32(x)
		y = append(y, float64(y32[e]))
	}
	op, err := operator.NewSampling(s.M, s.N, s.Ptr, append([]int32(nil), s.Cols...))
	check(t, err)
	d, err := operator.NewSquares(s.M, s.N, s.Ptr, append([]int32(nil), s.Cols...), append([]float64(nil), y...), mean)
	check(t, err)
	f, err := operator.NewSquares(s.M, s.N, s.Ptr, append([]int32(nil), s.Cols...), y32, mean)
	check(t, err)
	if weighted {
		rows, cols := f.Counts()
		for _, side := range [][]float64{rows, cols} {
			for i, n := range side {
				side[i] = 1 / math.Sqrt((n+1)/float64(len(y)))
			}
		}
		op, err = op.Scaled(rows, cols)
		check(t, err)
		d, err = d.Scaled(rows, cols)
		check(t, err)
		f, err = f.Scaled(rows, cols)
		check(t, err)
	}
	with := func(op gcg.Operator, l gcg.Loss) *gcg.Problem {
		return &gcg.Problem{Operator: op, Loss: l, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: lambda}}
	}
	return with(op, &loss.Squared{Y: y, Mean: mean}), with(d, d), with(f, f), y
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, p *gcg.Problem, tol float64) *solver.Result {
	t.Helper()
	r, err := solver.Run(context.Background(), p, &conditional.GCG{OutsideW: true}, solver.Options{Tol: tol,
		Improver: &fixedrank.Local{}, Seed: 3})
	check(t, err)
	if r.Status != solver.Converged {
		t.Errorf("tolerance %v: %s at %v", tol, r.Status, r.State.Cert.Relative)
	}
	return r
}

// The brackets that squares certify hold the optimum that the plain problem finds, in float32 as in float64.
func TestSquaresBracketTheOptimum(t *testing.T) {
	for _, c := range []struct {
		lambda         float64
		mean, weighted bool
	}{{20, false, false}, {20.0 / 12_000, true, false}, {1000, false, true}} {
		plain, double, single, _ := storages(t, c.lambda, c.mean, c.weighted)
		best := run(t, plain, 1e-8).State.Cert
		for name, r := range map[string]*solver.Result{"float64": run(t, double, 1e-7), "float32": run(t, single, 1e-6)} {
			cert := r.State.Cert
			if cert.Objective < best.LowerBound*(1-1e-12) || cert.LowerBound > best.Objective*(1+1e-12) {
				t.Errorf("λ = %v, %s: [%.12g, %.12g] misses [%.12g, %.12g]", c.lambda, name, cert.LowerBound, cert.Objective,
					best.LowerBound, best.Objective)
			}
		}
	}
}

// What a float32 run reports, recomputed from its W and the data in float64 with a full singular value decomposition.
func TestFloat32CertificateIsHonest(t *testing.T) {
	const lambda = 20
	plain, _, single, y := storages(t, lambda, false, false)
	for _, tol := range []float64{1e-1, 1e-3, 1e-6} {
		s := run(t, single, tol).State
		m, n, nobs := plain.Operator.Dims()
		z := make([]float64, nobs)
		plain.Operator.FactoredTo(z, 0, s.W.U, s.W.V)
		_, sigma, _ := gcg.SVD(s.W.U, s.W.V, 1e-15)
		var f float64
		for _, x := range sigma {
			f += lambda * x
		}
		for e := range z {
			f += (y[e] - z[e]) * (y[e] - z[e]) / 2
		}
		if math.Abs(s.Cert.Objective-f) > 1e-12*f {
			t.Errorf("objective %.15g, in float64 %.15g", s.Cert.Objective, f)
		}
		r := make([]float64, nobs)
		var rr, ry float64
		for e := range r {
			r[e] = float64(float32(y[e] - z[e]))
			rr, ry = rr+r[e]*r[e], ry+r[e]*y[e]
		}
		dense := make([]float64, m*n)
		plain.Operator.Adjoint(r).(gcg.DenseMap).RowsTo(dense, 0)
		var svd mat.SVD
		if !svd.Factorize(mat.NewDense(m, n, dense), mat.SVDNone) {
			t.Fatal("no singular values")
		}
		c := math.Min(lambda/svd.Values(nil)[0], ry/rr) // the best dual point on the ray of r
		if dual := c*ry - c*c*rr/2; s.Cert.LowerBound > dual*(1+1e-9) {
			t.Errorf("tolerance %v: lower bound %.12g, but the dual point gives %.12g", tol, s.Cert.LowerBound, dual)
		}
	}
}

// Steps that scale what was there scale its gauge: without an improver it is the sum of the weights of W, as with predictions.
func TestSquaresStepsKeepTheGauge(t *testing.T) {
	plain, double, _, _ := storages(t, 20, false, false)
	var last [2]float64
	for i, p := range []*gcg.Problem{plain, double} {
		testrun.Must(t, p, &conditional.GCG{Atoms: 1}, solver.Options{Tol: 1e-9, MaxIter: 8, Event: func(e solver.Event) {
			if s := e.State; e.Iter < 8 && math.Abs(s.Rho-s.W.Weights()) > 1e-10*s.Rho {
				t.Errorf("%T, iteration %d: ρ = %v, the weights are %v", p.Loss, e.Iter, s.Rho, s.W.Weights())
			}
			last[i] = e.State.Objective(p)
		}})
	}
	if math.Abs(last[0]-last[1]) > 1e-6*last[0] {
		t.Errorf("F is %v, as squares %v", last[0], last[1])
	}
}

// Methods and improvers that embed those that need no predictions need none either.
func TestSquaresTakeWhatEmbeds(t *testing.T) {
	_, _, single, _ := storages(t, 20, false, false)
	method := struct{ *conditional.GCG }{&conditional.GCG{OutsideW: true}}
	r, err := solver.Run(context.Background(), single, method, solver.Options{Tol: 1e-2, Improver: &late{},
		MaxTime: 3 * time.Second})
	check(t, err)
	if !(r.State.Cert.Relative < 1) {
		t.Errorf("%s at %v", r.Status, r.State.Cert.Relative)
	}
}

// Methods that look at predictions say that there are none.
func TestSquaresRefuse(t *testing.T) {
	_, _, single, _ := storages(t, 20, false, false)
	for name, c := range map[string]struct {
		method   solver.Method
		improver solver.Improver
	}{"open loop": {&conditional.GCG{Rule: conditional.OpenLoop}, nil}, "corrective": {&conditional.GCG{},
		&solver.Corrective{}}} {
		if _, err := solver.Run(context.Background(), single, c.method, solver.Options{Improver: c.improver}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
