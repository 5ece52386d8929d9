package newton

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
	"github.com/seed-b18ef778/gcg/solver/gcg"
	"github.com/seed-b18ef778/gcg/solver/hessian"
	"github.com/seed-b18ef778/gcg/solver/support"
	"github.com/seed-b18ef778/gcg/solver/view"
)

// Secants are means of second derivatives over ±reach: those at the point itself for a short one, and for a hinge the part of the interval on
// which it bends.
func TestSecants(t *testing.T) {
	y, z := []float64{1, -1, 1, -1, 1}, []float64{0.3, -0.2, -4, 2, 0.9}
	hinge := &loss.SmoothedHinge{Y: y, Mu: 0.5} // bends for margins from 0.5 to 1, with 1/µ
	smooth := &loss.Logistic{Y: y}
	want := make([]float64, len(y))
	for i, x := range z {
		lo, hi := y[i]*x-0.4, y[i]*x+0.4
		want[i] = math.Max(0, math.Min(hi, 1)-math.Max(lo, 0.5)) / 0.8 / hinge.Mu
	}
	exact, ones := make([]float64, len(y)), []float64{1, 1, 1, 1, 1}
	smooth.HessTo(exact, 0, z, ones)
	op, err := operator.NewIdentity(len(y), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		loss  gcg.CurvedLoss
		reach float64
		want  []float64
		off   float64
	}{{hinge, 0.4, want, 1e-12}, {smooth, 1e-4, exact, 1e-8}} {
		got := make([]float64, len(y))
		hessian.SecantAt(view.Of(&gcg.Problem{Loss: c.loss, Operator: op}), z, c.reach).Curved.HessTo(got, 0, z, ones)
		for i := range got {
			if !(math.Abs(got[i]-c.want[i]) <= c.off) {
				t.Errorf("%T: second derivative %d is %v, want %v", c.loss, i, got[i], c.want[i])
			}
		}
	}
}

// Losses whose derivative has kinks close under the trace norm in a few iterations, where second derivatives at a point took steps that ended
// at the next kink and were of no end.
func TestKinkedLosses(t *testing.T) {
	const rows, features, targets = 60, 150, 3
	rng := rand.New(rand.NewPCG(7, 1))
	x, y, far := make([]float64, rows*features), make([]float64, rows*targets), make([]float64, rows*targets)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	for i := range y {
		y[i] = math.Copysign(1, x[i/targets*features+i%targets]+rng.NormFloat64())
		far[i] = 10*x[i/targets*features+i%targets] + 10*rng.NormFloat64()
	}
	f, err := operator.DenseFeatures(rows, features, x)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewDesign(f, targets)
	if err != nil {
		t.Fatal(err)
	}
	for name, l := range map[string]gcg.Loss{
		"smoothed hinge": &loss.SmoothedHinge{Y: y, Mu: 0.1},
		"squared hinge":  &loss.SquaredHinge{Y: y},
		"huber":          &loss.Huber{Y: far, Mu: 1},
	} {
		p := &gcg.Problem{Operator: op, Loss: l, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 1}}
		r, err := solver.Run(context.Background(), p, &gcg.Method{OutsideW: true}, solver.Options{Tol: 1e-6, MaxIter: 150, Improver: &fixedrank.Local{}})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %s in %d iterations at rank %d", name, r.Status, r.Iter, r.State.W.Rank())
		if r.Status != solver.Converged {
			t.Errorf("%s: %s with a gap of %.2g after %d iterations", name, r.Status, r.State.Cert.Relative, r.Iter)
		}
	}
}

// So they do where entries are few: on a support second derivatives that are 0 at a point left no model of a step.
func TestKinkedLossesOfBlocks(t *testing.T) {
	const rows, features = 100, 270
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 3))
		op, x := dense.normalDesign(t, rng, rows, features)
		y := make([]float64, rows)
		for i := range y {
			y[i] = math.Copysign(1, x[i*features]+x[i*features+1]+0.5*rng.NormFloat64())
		}
		p := &gcg.Problem{Operator: op, Loss: &loss.SmoothedHinge{Y: y, Mu: 0.1}, Gauge: gauge.PositiveL1{}, Penalty: gauge.Linear{Lambda: 0.02}}
		r, err := solver.Run(context.Background(), p, &gcg.Method{}, solver.Options{Tol: 1e-6, MaxIter: 300, Improver: &support.Corrective{}})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("seed %d: %s in %d iterations with %d entries", seed, r.Status, r.Iter, len(r.State.W.Terms))
		if r.Status != solver.Converged {
			t.Errorf("seed %d: %s with a gap of %.2g after %d iterations", seed, r.Status, r.State.Cert.Relative, r.Iter)
		}
	}
}
