package reproduce

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/baseline/lowranksparse"
	"github.com/seed-b18ef778/gcg/internal/experiment"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/hybrid"
	"github.com/seed-b18ef778/gcg/task/recovery"
)

// The data of [Argyriou14 §6.1].
const (
	factorRank   = 5
	factorFilled = 0.1  // of the entries of the factors
	factorNoise  = 0.01 // the standard deviation
)

// sparseLowRank is U Vᵀ of N×5 factors, a tenth of whose entries are uniform in [0, 1] and the others 0, with noise, of which a
// part is known; truth is without the noise.
func sparseLowRank(n int, known float64, seed uint64) (r *dataset.Ratings, truth []float64) {
	rng := rand.New(rand.NewPCG(seed, 0x6a16))
	factor := func() []float64 {
		x := make([]float64, n*factorRank)
		for i := range x {
			if rng.Float64() < factorFilled {
				x[i] = rng.Float64()
			}
		}
		return x
	}
	u, v := factor(), factor()
	r, truth = &dataset.Ratings{Name: "generated", Shape: [2]int{n, n}}, make([]float64, n*n)
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprint(i + 1)
	}
	r.RowIDs, r.ColIDs = dataset.NewIDs(texts), dataset.NewIDs(texts)
	for i := range n {
		for j := range n {
			for k := range factorRank {
				truth[i*n+j] += u[i*factorRank+k] * v[j*factorRank+k]
			}
			y := truth[i*n+j] + factorNoise*rng.NormFloat64()
			if rng.Float64() < known {
				r.Rows, r.Cols, r.Values = append(r.Rows, int32(i)), append(r.Cols, int32(j)), append(r.Values, y)
			}
		}
	}
	return r, truth
}

// entries is [Argyriou14 eq 6.1]: the mean squared loss of known entries, λ₁‖X‖₁ with λ₁ = l1/N² and λ‖X‖_* with λ = trace/N², of
// the settings known, l1 and trace, for a matrix of the case's size. The test score is the RMSE to the truth.
func entries(_ context.Context, c *Case, at place) (*built, error) {
	n := max(20, int(math.Round(at.scale*c.Size)))
	r, truth := sparseLowRank(n, c.setting("known", 0.4), at.seed)
	l1, lambda := c.setting("l1", 1)/float64(n*n), c.setting("trace", 1e-3)/float64(n*n)
	y, omega := make([]float64, n*n), make([]float64, n*n)
	for e, v := range r.Values {
		place := int(r.Rows[e])*n + int(r.Cols[e])
		y[place], omega[place] = v, 1/float64(len(r.Values))
	}
	op, err := operator.NewIdentity(n, n)
	if err != nil {
		return nil, err
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.WithL1{Loss: &loss.Squared{Y: y, Omega: omega}, Lambda: l1}, Gauge: gauge.Trace{},
		Penalty: gauge.Linear{Lambda: lambda}}
	b := &built{score: "RMSE", real: at.scale == 1, contest: &experiment.Contest{Problem: p,
		Measure: func(s *gcg.State) map[string]float64 { return map[string]float64{"RMSE": rmse(s.W, truth)} }}}
	b.data = fmt.Sprintf("generated: %d × %d, %d entries known", n, n, len(r.Values))
	b.numbers = map[string]float64{"size": float64(n), "train": float64(len(r.Values))}
	b.named = func(word string) (experiment.Contender, error) {
		switch word {
		case "gfb":
			return experiment.Method(word, func(*gcg.Problem) (solver.Method, solver.Improver) { return &lowranksparse.GFB{}, nil }), nil
		case "ipd":
			return experiment.Method(word, func(*gcg.Problem) (solver.Method, solver.Improver) { return &lowranksparse.IPD{}, nil }), nil
		case "hcgs":
			return smoothing(r, n, l1), nil
		}
		return reduced(r, n, l1), nil
	}
	return b, nil
}

// rmse is the root of the mean squared difference of W and a row-major matrix.
func rmse(w *gcg.Iterate, truth []float64) float64 {
	sum := 0.0
	for e, x := range w.Dense() {
		sum += (x - truth[e]) * (x - truth[e])
	}
	return math.Sqrt(sum / float64(len(truth)))
}

// reduced is the solver of task/recovery, without the rows and columns that no solution needs. Finding these is on its clock.
func reduced(r *dataset.Ratings, n int, l1 float64) experiment.Contender {
	return experiment.Contender{Name: "auto",
		Run: func(ctx context.Context, p *gcg.Problem, opt solver.Options) (*solver.Result, error) {
			t := &recovery.Task{Train: r, Shape: [2]int{n, n}, L1: l1, Seed: opt.Seed}
			q, err := experiment.ProblemOf(t.Prepare, p.Penalty)
			if err != nil {
				return nil, err
			}
			m, im := t.Method(q)
			opt.Improver = im
			return solver.Run(ctx, q, m, opt)
		}}
}

// smoothing is HCGS on [Argyriou14 eq 6.2], ‖X‖_* at most that of the solution of a run before.
func smoothing(r *dataset.Ratings, n int, l1 float64) experiment.Contender {
	return experiment.Contender{Name: "hcgs", Ball: true,
		Run: func(ctx context.Context, p *gcg.Problem, opt solver.Options) (*solver.Result, error) {
			q, err := experiment.ProblemOf((&recovery.Task{Train: r, Shape: [2]int{n, n}, L1: l1, Smoothed: true}).Prepare, p.Penalty)
			if err != nil {
				return nil, err
			}
			return solver.Run(ctx, q, &hybrid.HCGS{Norm: 1}, opt)
		}}
}
