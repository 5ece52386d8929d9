package reproduce

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/baseline/dspca"
	"github.com/seed-b18ef778/gcg/internal/experiment"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/hybrid"
	"github.com/seed-b18ef778/gcg/solver/spca"
)

// components is sparse PCA of C = UUᵀ + 10vvᵀ [Argyriou14 §6.2], of the case's size: U has n×n uniform entries, and v has a tenth
// of uniform entries and zeros. λ is the case's, times n with the setting per_variable.
func components(_ context.Context, c *Case, at place) (*built, error) {
	n := max(10, int(math.Round(at.scale*c.Size)))
	cov, lambda := spiked(n, at.seed), c.Lambda
	if c.setting("per_variable", 0) > 0 {
		lambda *= float64(n)
	}
	m, err := spca.New(cov, n, lambda)
	if err != nil {
		return nil, err
	}
	b := &built{contest: &experiment.Contest{Problem: m.Problem()}, real: at.scale == 1,
		data:    fmt.Sprintf("generated: C = UUᵀ + 10vvᵀ, n = %d, λ = %.4g", n, lambda),
		numbers: map[string]float64{"size": float64(n)}}
	b.named = func(word string) (experiment.Contender, error) {
		solve := func(build func() (*gcg.Problem, solver.Method, *gcg.Iterate, error)) experiment.Contender {
			return experiment.Contender{Name: word,
				Run: func(ctx context.Context, _ *gcg.Problem, opt solver.Options) (*solver.Result, error) {
					p, m, start, err := build()
					if err != nil {
						return nil, err
					}
					opt.Start, opt.Plateau = start, patience
					return solver.Run(ctx, p, m, opt)
				}}
		}
		switch word {
		case "dspca":
			return solve(func() (*gcg.Problem, solver.Method, *gcg.Iterate, error) {
				m := &dspca.Method{}
				p, start, err := m.Problem(cov, n, lambda)
				return p, m, start, err
			}), nil
		case "hcgs":
			return solve(func() (*gcg.Problem, solver.Method, *gcg.Iterate, error) {
				p, err := spca.Smoothed(cov, n, lambda)
				return p, &hybrid.HCGS{Beta: 2 * math.Sqrt2 / (lambda * float64(n))}, spca.Single(cov, n), err
			}), nil
		}
		return solve(func() (*gcg.Problem, solver.Method, *gcg.Iterate, error) {
			m, err := spca.New(cov, n, lambda)
			if err != nil {
				return nil, nil, nil, err
			}
			return m.Problem(), m, m.Start(), nil
		}), nil
	}
	return b, nil
}

// patience is the number of steps without progress that end a run: methods that smooth are slow in between.
const patience = 1 << 20

// spiked is the C of [Argyriou14 §6.2].
func spiked(n int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 0x5bca))
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
	for i := range n {
		for j := range i + 1 {
			x := 10 * v[i] * v[j]
			for k := range n {
				x += u[i*n+k] * u[j*n+k]
			}
			c[i*n+j], c[j*n+i] = x, x
		}
	}
	return c
}
