package support

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/solver/view"
)

// facedModel is the model at W = 0 with a point of every kind of block.
func facedModel(t *testing.T) (m *blockModel, x []float64) {
	t.Helper()
	p := testproblem.Faced(t, 60, 5, 4, 1)
	s, err := gcg.NewState(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	u := grown(p, s.W.M, s.W.N, upTo(5)...)
	x = []float64{
		0, 0, 0, 0,
		0.5, -0.5, 0.5, -0.5,
		0.2, 0.1, -0.2, 0,
		-0.3, 0, 0.1, 0.2,
		0.1, 0.2, 0.3, -0.3,
	}
	return u.model(view.Of(p), s), x
}

// The dual function of a proximal point has the slope H(x(v) - ξ), is below the primal one, and Newton steps end where both meet.
func TestProximalPoint(t *testing.T) {
	m, from := facedModel(t)
	const mu, sigma = 0.5, 0.2
	p := &proximalPoint{m: m, mu: mu, sigma: sigma, from: from}
	rng := rand.New(rand.NewPCG(4, 5))
	xi, way := slices.Clone(from), make([]float64, len(from))
	for i := range xi {
		xi[i] += 0.1 * rng.NormFloat64()
		way[i] = rng.NormFloat64()
	}
	phi := func(part float64) *dualPoint {
		y := slices.Clone(xi)
		kernel.Axpy(part, way, y)
		return p.at(y, m.gradientAt(y))
	}
	at := phi(0)
	r := slices.Clone(at.x)
	kernel.Axpy(-1, xi, r)
	var slope float64
	for i, v := range m.times(r) {
		slope += v * way[slices.Index(m.hess.Place, i)]
	}
	const by = 1e-5
	if got := (phi(by).phi - phi(-by).phi) / (2 * by); math.Abs(got-slope) > 1e-5*math.Abs(slope) {
		t.Errorf("the slope of φ is %g, want %g", got, slope)
	}
	primal := func(x []float64) float64 {
		f := m.Value(x, m.gradientAt(x), mu)
		for i, v := range x {
			f += (v - from[i]) * (v - from[i]) / (2 * sigma)
		}
		return f
	}
	x, steps := p.solve(context.Background(), m.gradientAt(from), 1e-12, proximalSteps)
	end := p.at(slices.Clone(x), m.gradientAt(x))
	offset := kernel.Dot(m.grad, m.start) // what φ leaves out
	if gap := primal(x) - (end.phi - offset); !(math.Abs(gap) <= 1e-9*math.Abs(primal(x))) || steps >= proximalSteps {
		t.Errorf("a gap of %g at %g after %d steps", gap, primal(x), steps)
	}
	for range 100 {
		y := slices.Clone(x)
		for i := range y {
			y[i] += 1e-3 * rng.NormFloat64()
		}
		if primal(y) < primal(x) {
			t.Fatalf("%v is below %v", primal(y), primal(x))
		}
	}
}

// Newton steps of proximal points wait for H, so that products of all models count for forming it; of other gauges those of one do.
func TestFacesCountAllProducts(t *testing.T) {
	for _, k := range []gauge.Group{{}, {Inner: gauge.LInf}} {
		p := testproblem.Faced(t, 60, 5, 4, 1)
		p.Gauge, p.Loss = k, &loss.Softmax{Labels: make([]int32, 60), Classes: 4}
		s, err := gcg.NewState(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		u := grown(p, s.W.M, s.W.N, 1, 2)
		d := make([]float64, len(u.x))
		first := newProducts(u, view.Of(p), s)
		first.timesTo(make([]float64, len(d)), d)
		second := newProducts(u, view.Of(p), s)
		if faceProducts := k.Inner == gauge.LInf; first.taken < 1 || faceProducts != (second.taken >= first.taken) || !faceProducts && second.taken != 0 {
			t.Errorf("%+v: a model begins with %g products after one that took %g", k, second.taken, first.taken)
		}
	}
}
