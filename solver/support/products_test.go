package support

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/loss"
)

// A Newton step by products ends with its context.
func TestNewtonStepByProductsIsCut(t *testing.T) {
	p, s, u := wideClasses(t)
	rng := rand.New(rand.NewPCG(9, 8))
	for i := range u.x {
		u.x[i] = rng.NormFloat64()
	}
	m := u.model(view.Of(p), s)
	if m.products == nil {
		t.Fatal("the matrix would be formed")
	}
	steps := func(ctx context.Context) int {
		x, before := append([]float64(nil), u.x...), s.Count.Products
		m.newton(ctx, x, m.gradientAt(x), 1e-3)
		return s.Count.Products - before
	}
	whole := steps(context.Background())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if cut := steps(ctx); cut > 2 || cut >= whole {
		t.Errorf("%d products, %d when it is not cut short", cut, whole)
	}
}

// Where products have cost as much as H would, it is formed, and the model is minimised with it; a support of about the same
// size has it formed at once from then on.
func TestProductsGiveWay(t *testing.T) {
	p, s, u := wideClasses(t)
	m := u.model(view.Of(p), s)
	if m.products == nil {
		t.Fatal("the matrix is formed from the start")
	}
	m.products.taken = m.products.price
	x := slices.Clone(u.x)
	m.descend(t.Context(), x, 1e-4, 1e-9)
	if m.products != nil || u.byProducts(view.Of(p)) {
		t.Fatal("the matrix was not formed")
	}
	formed := u.model(view.Of(p), s)
	y := slices.Clone(u.x)
	formed.descend(t.Context(), y, 1e-4, 1e-9)
	for i := range x {
		if math.Abs(x[i]-y[i]) > 1e-6 {
			t.Errorf("entry %d of the minimiser is %g, and %g with the matrix from the start", i, x[i], y[i])
		}
	}
}

// Newton steps of proximal points wait for H, so that products of all models count for forming it; of other gauges those of one
// do.
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
		if faceProducts := k.Inner == gauge.LInf; first.taken < 1 || faceProducts != (second.taken >= first.taken) || !faceProducts &&
			second.taken != 0 {
			t.Errorf("%+v: a model begins with %g products after one that took %g", k, second.taken, first.taken)
		}
	}
}
