package gcg_test

import (
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
)

// linear is a loss that nothing bounds from below.
type linear int

func (l linear) Len() int  { return int(l) }
func (linear) Stride() int { return 1 }
func (linear) Eval(_ int, z, r []float64) (sum float64) {
	for i, v := range z {
		sum += v
		if r != nil {
			r[i] = -1
		}
	}
	return sum
}

// κ(W*) is bounded by the penalty's domain, or by h⁻¹(F(0) - inf L). inf L is known of losses with a conjugate, and where a loss
// smooths another, of the other.
func TestGaugeLimit(t *testing.T) {
	y := []float64{3, -1, 2}
	op, err := operator.NewIdentity(3, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		loss    gcg.Loss
		penalty gcg.Penalty
		want    float64
	}{
		{"a ball", &loss.Squared{Y: y}, gauge.Ball{Zeta: 4}, 4},
		{"squares, which have a conjugate alone", &loss.Squared{Y: y}, gauge.Linear{Lambda: 2}, 7.0 / 2},
		{"squares with a square", &loss.Squared{Y: y}, gauge.Square{Lambda: 2}, math.Sqrt(7)},
		{"the envelope of a hinge, F of the hinge", &loss.MoreauEnvelope{Penalty: &loss.Hinge{Y: []float64{1, -1, 1}}, Beta: 0.5},
			gauge.Linear{Lambda: 2}, 1.5},
		{"nothing bounds it", linear(3), gauge.Linear{Lambda: 2}, math.Inf(1)},
	} {
		p := &gcg.Problem{Operator: op, Loss: c.loss, Gauge: gauge.L1{}, Penalty: c.penalty}
		s, err := gcg.NewState(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.GaugeLimit(s); !(math.Abs(got-c.want) <= 1e-14*c.want || got == c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
