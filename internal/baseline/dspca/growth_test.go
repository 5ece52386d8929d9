package dspca_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seed-b18ef778/gcg/internal/baseline/dspca"
	"github.com/seed-b18ef778/gcg/internal/clock"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/spca"
)

var growth = flag.Int("growth", 0, "the largest n of TestGrowth, such as 4000; 0 leaves it out")

// paper is C = UUᵀ + 10vvᵀ with U uniform on [0, 1] and v so too in a tenth of its entries [Argyriou14 §6.2].
func paper(n int) []float64 {
	rng := rand.New(rand.NewPCG(1, 1))
	u, v := make([]float64, n*n), make([]float64, n)
	for i := range u {
		u[i] = rng.Float64()
	}
	for i := range v {
		if rng.Float64() < 0.1 {
			v[i] = rng.Float64()
		}
	}
	c := make([]float64, n*n)
	kernel.GemmNT(c, u, u, n, n, n)
	for i := range n {
		for j := range n {
			c[i*n+j] += 10 * v[i] * v[j]
		}
	}
	return c
}

// smoothingLimit is the time that Nesterov's smoothing has for one problem.
const smoothingLimit = 30 * time.Second

// The time of both solvers against n, on one problem, clock and certificate. CPU seconds have the making of the problem, too.
func TestGrowth(t *testing.T) {
	if *growth == 0 {
		t.Skip("minutes long: -growth 4000 runs it")
	}
	for _, part := range []float64{0, 0.255} {
		for n := 100; n <= *growth; n *= 2 {
			c, lambda := paper(n), 1.0
			if part > 0 {
				lambda = part * float64(n)
			}
			began := clock.CPU()
			m, err := spca.New(c, n, lambda)
			if err != nil {
				t.Fatal(err)
			}
			r, err := solver.Run(context.Background(), m.Problem(), m, solver.Options{Tol: 1e-3, Start: m.Start(), Plateau: 300})
			if err != nil || r.Status != solver.Converged {
				t.Fatal(n, lambda, err, r)
			}
			fmt.Printf("n = %d, λ = %g: sparse-pca %.3f s, gap %.1g, %d steps;", n, lambda, (clock.CPU() - began).Seconds(),
				r.State.Cert.Relative, r.Iter)
			if n > 800 { // a step takes all eigenvectors
				fmt.Println(" dspca is left out")
				continue
			}
			base := &dspca.Method{}
			p, start, err := base.Problem(c, n, lambda)
			if err != nil {
				t.Fatal(err)
			}
			began = clock.CPU()
			s, err := solver.Run(context.Background(), p, base, solver.Options{Tol: 1e-3, Start: start, MaxTime: smoothingLimit})
			if err != nil {
				t.Fatal(err)
			}
			fmt.Printf(" dspca %.1f s, gap %.1g, %d steps\n", (clock.CPU() - began).Seconds(), s.State.Cert.Relative, s.Iter)
		}
	}
}
