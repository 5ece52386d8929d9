package view_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
)

// completion is a small problem of sampled entries under the squared loss.
func completion(y ...float64) *gcg.Problem {
	op := must(operator.NewSampling(2, 3, []int64{0, 1, 3}, []int32{0, 1, 2}))
	return &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 1}}
}

// Single passes are those of a plain squared loss: weights, an intercept or another loss rule them out.
func TestJointCapabilities(t *testing.T) {
	for name, c := range map[string]struct {
		change func(p *gcg.Problem)
		plain  bool
	}{
		"squared":           {func(*gcg.Problem) {}, true},
		"mean":              {func(p *gcg.Problem) { p.Loss = &loss.Squared{Y: []float64{1, 2, 3}, Mean: true} }, true},
		"weighted":          {func(p *gcg.Problem) { p.Loss = &loss.Squared{Y: []float64{1, 2, 3}, Omega: []float64{1, 2, 1}} }, false},
		"with an intercept": {func(p *gcg.Problem) { p.Intercept = true }, false},
		"huber":             {func(p *gcg.Problem) { p.Loss = &loss.Huber{Y: []float64{1, 2, 3}, Mu: 1} }, false},
	} {
		p := completion(1, 2, 3)
		c.change(p)
		v := view.Of(p)
		if v.Plain != c.plain || (v.FusedSquares != nil) != c.plain || (v.Ridge != nil) != c.plain {
			t.Errorf("%s: plain %v, single passes %v, ridge %v", name, v.Plain, v.FusedSquares != nil, v.Ridge != nil)
		}
		if v.Fused == nil {
			t.Errorf("%s: the operator has lost its single passes", name)
		}
	}
}

// Derived views leave the problem and the view that they come from as they were.
func TestDerivedViews(t *testing.T) {
	p := completion(1, 2, 3)
	v := view.Of(p)
	was, problem := *v, *p
	huber := &loss.Huber{Y: []float64{1, 2, 3}, Mu: 1}
	other := v.WithLoss(huber)
	if other.Loss != huber || other.Curved != huber || other.Quadratic() || other.Plain || other.FusedSquares != nil ||
		other.Ridge != nil {
		t.Errorf("with another loss: %+v", other)
	}
	if other.Penalty != p.Penalty || other.Operator != p.Operator || !other.Spectral || other.Fused == nil {
		t.Errorf("with another loss, the other nouns: %+v", other)
	}
	if back := other.WithLoss(p.Loss); !back.Plain || back.Ridge == nil {
		t.Errorf("back to the first loss: %+v", back)
	}
	if *v != was || *p != problem {
		t.Error("a derived view changed what it comes from")
	}
}

// A lower bound needs a conjugate, an infimum, or a bound on κ.
func TestHasBound(t *testing.T) {
	p := completion(1, 2, 3)
	if !view.Of(p).HasBound() {
		t.Error("none for the squared loss")
	}
	p.Loss = struct{ gcg.Loss }{p.Loss}
	if view.Of(p).HasBound() {
		t.Error("one for a loss that tells nothing")
	}
	p.Penalty = gauge.Ball{Zeta: 1}
	if !view.Of(p).HasBound() {
		t.Error("none where κ is bounded")
	}
}

// A loss without second derivatives lends differences of its gradients, which are those to a few digits.
func TestHessFallback(t *testing.T) {
	y := []float64{1, -1, 1, -1}
	p := &gcg.Problem{Operator: must(operator.NewIdentity(2, 2)), Loss: &loss.Logistic{Y: y}, Gauge: gauge.Trace{},
		Penalty: gauge.Linear{Lambda: 1}}
	bare := *p
	bare.Loss = struct{ gcg.Loss }{p.Loss}
	z, e, r := []float64{0.3, -2, 1, 0}, []float64{1, -1, 0.5, 2}, make([]float64, 4)
	p.Loss.Eval(0, z, r)
	got, want := make([]float64, 4), make([]float64, 4)
	view.Of(p).HessAlongTo(want, 0, z, r, e)
	view.Of(&bare).HessAlongTo(got, 0, z, r, e)
	for i := range got {
		if math.Abs(got[i]-want[i]) > 1e-3*math.Abs(want[i]) {
			t.Errorf("entry %d: %v, not %v", i, got[i], want[i])
		}
	}
}

// onlyProx hides that a gauge evaluates many proximity operators at little more than the cost of one.
type onlyProx struct{ view.ProxGauge }

// Proximity operators along t are the same from a gauge that has them one by one.
func TestAlongFallback(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	y := make([]float64, 12)
	for i := range y {
		y[i] = rng.NormFloat64()
	}
	got, want := make([]float64, 12), make([]float64, 12)
	one, many := view.Along(onlyProx{gauge.Trace{}}, got, y, 4, 3), view.Along(gauge.Trace{}, want, y, 4, 3)
	for _, by := range []float64{0.1, 0.5, 1} {
		if a, b := one(by), many(by); math.Abs(a-b) > 1e-12*b {
			t.Errorf("t = %v: κ is %v, not %v", by, a, b)
		}
		for i := range got {
			if math.Abs(got[i]-want[i]) > 1e-12 {
				t.Errorf("t = %v, entry %d: %v, not %v", by, i, got[i], want[i])
			}
		}
	}
}

// The transpose of an operator lowers the same squared loss over the other factor.
func TestTransposed(t *testing.T) {
	p := completion(1, 2, 3)
	turned, y := view.Transposed(view.Of(p).Ridge, []float32{1, 2, 3})
	if m, n, nobs := turned.Dims(); m != 3 || n != 2 || nobs != 3 || len(y) != 3 {
		t.Errorf("the transpose is %d×%d with %d observations", m, n, nobs)
	}
}

// BenchmarkOf is what every step, ask and improvement pays.
func BenchmarkOf(b *testing.B) {
	p := completion(1, 2, 3)
	b.ReportAllocs()
	for b.Loop() {
		view.Of(p)
	}
}
