package hessian_test

import (
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// Secants are means of second derivatives over ±reach: those at the point itself for a short one, and for a hinge the part
// of the interval on which it bends.
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
