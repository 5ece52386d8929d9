package views_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/gauge/views"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	splitting "github.com/seed-b18ef778/gcg/solver/views"
)

// split is a small random problem of two views, some of whose entries are missing.
func split(t *testing.T, seed uint64) *gcg.Problem {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 46))
	sizes, n := []int{1 + rng.IntN(4), 1 + rng.IntN(4)}, 2+rng.IntN(5)
	y, omega := make([]float64, (sizes[0]+sizes[1])*n), make([]float64, (sizes[0]+sizes[1])*n)
	for e := range y {
		y[e], omega[e] = rng.NormFloat64(), float64(min(1, rng.IntN(6)))
	}
	omega[0] = 1
	op, err := operator.NewIdentity(sizes[0]+sizes[1], n)
	if err != nil {
		t.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y, Omega: omega},
		Gauge: views.Views{Sizes: sizes, Radii: []float64{1, 0.5 + rng.Float64()}}}
	if seed%2 == 0 {
		p.Loss = &loss.Huber{Y: y, Omega: omega, Mu: 0.1}
	}
	return p
}

// Square penalties and balls are solved as λκ is: with the multiplier μ = h'(κ(W)) their solution is one of μκ, too, and the
// optima differ by what the penalties do. Without the proximity operator of h these stayed open for seconds.
func TestPenalties(t *testing.T) {
	for seed := range uint64(24) {
		p := split(t, seed)
		solve := func(h gcg.Penalty) *gcg.State {
			p.Penalty = h
			run := solver.Options{Tol: 1e-6, MaxIter: 3000, Plateau: 3000}
			r, err := solver.Run(context.Background(), p, &splitting.Splitting{}, run)
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != solver.Converged {
				t.Errorf("problem %d, %T: %s at %v", seed, h, r.Status, r.State.Cert.Relative)
			}
			return r.State
		}
		linear := solve(gauge.Linear{Lambda: 0.3})
		if linear.Rho == 0 {
			continue
		}
		c, lower := linear.Cert, linear.Cert.LowerBound
		ball := solve(gauge.Ball{Zeta: linear.Rho}).Cert
		if got := ball.Objective + 0.3*linear.Rho; got < lower*(1-1e-9) || ball.LowerBound+0.3*linear.Rho > c.Objective*(1+1e-9) {
			t.Errorf("problem %d: the ball of radius %v has %v, and with 0.3κ %v is in [%v, %v]", seed, linear.Rho,
				ball.Objective, got,
				lower, c.Objective)
		}
		square := solve(gauge.Square{Lambda: 0.3 / linear.Rho})
		want := c.Objective - 0.15*linear.Rho
		if x := square.Cert; math.Abs(x.Objective-want) > 1e-5*c.Objective {
			t.Errorf("problem %d: the square penalty of the same slope has [%v, %v], not %v", seed, x.LowerBound,
				x.Objective, want)
		}
	}
}
