package extending_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/extending"
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
)

// The checks that every loss, gauge and operator of gcg passes are open to others.
func TestConform(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	y := make([]float64, 20)
	for i := range y {
		y[i] = rng.NormFloat64()
	}
	all := conform.Loss(extending.LogCosh{Y: y}, rng)
	all = append(all, conform.Loss(extending.Poisson{Y: []float64{0, 1, 2, 3, 5, 8}}, rand.New(rand.NewPCG(3, 4)))...)

	column, err := operator.NewIdentity(len(y), 1)
	if err != nil {
		t.Fatal(err)
	}
	checks, err := conform.Gauge(context.Background(), extending.Jumps{}, column.Adjoint(y), rng)
	if err != nil {
		t.Fatal(err)
	}
	all = append(all, checks...)

	op := &extending.Comparisons{Users: 6, Items: 7}
	for range 40 {
		op.Of = append(op.Of, extending.Comparison{User: rng.IntN(6), Better: rng.IntN(7), Worse: rng.IntN(7)})
	}
	op.Of[0].Worse = op.Of[0].Better // an item beside itself
	for seed := range uint64(20) {
		all = append(all, conform.Operator(op, rand.New(rand.NewPCG(seed, 0)))...)
		all = append(all, conform.Operator(&extending.Totals{M: 5, N: 4}, rand.New(rand.NewPCG(seed, 1)))...)
	}
	for _, c := range all {
		if !c.OK() {
			t.Error(c)
		}
	}
	if len(all) < 15 {
		t.Errorf("%d checks ran", len(all))
	}
}

// After each step, Z, R, Loss and Rho are those of W.
func TestStepsLeaveATrueState(t *testing.T) {
	op, err := operator.NewIdentity(4, 1)
	if err != nil {
		t.Fatal(err)
	}
	y := []float64{5, -3, 1, 0.5}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.L1{}, Penalty: gauge.Ball{Zeta: 5}}
	events := 0
	opt := solver.Options{Tol: 1e-3, MaxIter: 30, Improver: extending.Rescale{}, Event: func(e solver.Event) {
		events++
		for _, c := range conform.State(p, e.State) {
			if !c.OK() {
				t.Errorf("after step %d: %v", e.Iter, c)
			}
		}
	}}
	if _, err := solver.Run(context.Background(), p, &extending.FrankWolfe{}, opt); err != nil || events < 3 {
		t.Errorf("%d events, %v", events, err)
	}
}

// Conj is the largest of x·polar - h(x), against a search on a grid.
func TestPowerConjugate(t *testing.T) {
	h := extending.Power{Lambda: 0.7, P: 1.5}
	for _, polar := range []float64{-1, 0, 0.3, 2} {
		for _, rhoMax := range []float64{0.1, 4, 100} {
			want := 0.0
			for x := 0.0; x <= rhoMax; x += rhoMax / 1e5 {
				want = math.Max(want, x*polar-h.Value(x))
			}
			if got, at := h.Conj(polar, rhoMax); math.Abs(got-want) > 1e-4*(1+want) || at < 0 || at > rhoMax {
				t.Errorf("Conj(%g, %g) = %g at %g, on a grid %g", polar, rhoMax, got, at, want)
			}
		}
	}
}
