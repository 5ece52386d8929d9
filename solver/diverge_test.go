package solver_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/testrun"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
)

// explode is a method whose third step leaves the finite numbers.
type explode struct {
	conditional.GCG
	by float64
}

func (m *explode) Step(ctx context.Context, p *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	if s.Iter < 2 {
		return m.GCG.Step(ctx, p, s)
	}
	s.W.Scale(m.by)
	s.Refresh(p)
	return gcg.Moved{}, nil
}

// A run that diverges hands back the best iterate, its certificate and a warning.
func TestDivergenceKeepsTheBest(t *testing.T) {
	for _, by := range []float64{math.NaN(), math.Inf(1), 1e200} {
		p, s := testproblem.Full(t, 12, 9, 1, 4)
		p.Penalty = gauge.Linear{Lambda: 0.1 * s[0]}
		r, err := solver.Run(context.Background(), p, &explode{conditional.GCG{Rule: conditional.OpenLoop}, by},
			solver.Options{Tol: 1e-6})
		if err != nil {
			t.Fatal(err)
		}
		testrun.Bracket(t, r, testproblem.Thresholded(p.Penalty, s), 1e-6)
		if r.Status != solver.Stalled || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "iteration 3") ||
			!(r.State.Cert.Relative < 1) || r.State.W.Rank() == 0 {
			t.Errorf("by %g: %s with warnings %q, gap %g, rank %d", by, r.Status, r.Warnings, r.State.Cert.Relative,
				r.State.W.Rank())
		}
	}
}

// Observations or starts that are not numbers are an error, not a panic and not a result.
func TestStartsThatAreNotNumbers(t *testing.T) {
	for bad, want := range map[float64]string{math.NaN(): "the target of observation 6 is NaN",
		math.Inf(1): "the target of observation 6 is +Inf", 1e200: "not finite or too large"} {
		p, _ := testproblem.Full(t, 12, 9, 1, 4)
		p.Penalty = gauge.Linear{Lambda: 1}
		start := &gcg.Iterate{M: 12, N: 9, U: gcg.NewFactor(12, 2), V: gcg.NewFactor(9, 2)}
		start.U.Row(3)[0], start.V.Row(2)[0], start.U.Row(1)[1], start.V.Row(1)[1] = bad, 1, 1, 1
		if _, err := solver.Run(context.Background(), p, &conditional.GCG{}, solver.Options{Start: start}); err == nil ||
			!strings.Contains(err.Error(), "start") {
			t.Errorf("a start with %g: %v", bad, err)
		}
		p.Loss.(*loss.Squared).Y[5] = bad
		if _, err := solver.Run(context.Background(), p, &conditional.GCG{}, solver.Options{}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("an observation %g: %v", bad, err)
		}
	}
}
