package solver_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
)

// scaledLosses are losses of targets y in a unit, with their widths in it, and the power of the unit that L has.
var scaledLosses = map[string]struct {
	of    func(y []float64, unit float64) gcg.Loss
	power float64
}{
	"squared": {func(y []float64, _ float64) gcg.Loss { return &loss.Squared{Y: y} }, 2},
	"huber":   {func(y []float64, unit float64) gcg.Loss { return &loss.Huber{Y: y, Mu: 0.1 * unit} }, 1},
	"absolute": {func(y []float64, unit float64) gcg.Loss {
		return &loss.Smoothed{Loss: &loss.Quantile{Y: y, Tau: 0.5}, Mu: 0.01 * unit}
	}, 1},
}

// Nothing depends on the unit of y: with widths and λ in the same unit a run takes the same steps to the same relative gap. The
// units are powers of 2, so that nothing is rounded otherwise.
func TestUnitOfTargets(t *testing.T) {
	const m, n = 6, 5
	ptr, cols := []int64{0}, []int32{}
	rng := rand.New(rand.NewPCG(3, 9))
	for range m {
		for j := range n {
			if rng.IntN(10) < 6 {
				cols = append(cols, int32(j))
			}
		}
		ptr = append(ptr, int64(len(cols)))
	}
	sampling, err := operator.NewSampling(m, n, ptr, cols)
	if err != nil {
		t.Fatal(err)
	}
	entries := make([]float64, len(cols))
	for i := range entries {
		entries[i] = rng.NormFloat64() + float64(i%3)
	}
	design, targets, _, _ := testproblem.Regression(t, 20, 5, 5)
	for _, data := range []struct {
		op     gcg.Operator
		y      []float64
		gauges []gcg.Gauge
	}{
		{sampling, entries, []gcg.Gauge{gauge.Trace{}, gauge.L1{}, gauge.Lp{P: 2}, gauge.Group{}, gauge.Group{Inner: gauge.LInf}}},
		{design, targets, []gcg.Gauge{gauge.Trace{}, gauge.L1{}, gauge.PositiveL1{}, gauge.Lp{P: 2}}},
	} {
		for name, l := range scaledLosses {
			for _, k := range data.gauges {
				for _, penalty := range []string{"linear", "square", "far linear", "far square", "ball"} {
					for _, intercept := range []bool{false, true} {
						t.Run(fmt.Sprintf("%s/%s/%s/%v", k.Name(), name, penalty, intercept), func(t *testing.T) {
							var first *solver.Result
							for _, unit := range []float64{1, 0x1p20} {
								y := make([]float64, len(data.y))
								for i, v := range data.y {
									y[i] = unit * v
								}
								p := &gcg.Problem{Operator: data.op, Loss: l.of(y, unit), Gauge: k, Intercept: intercept,
									Penalty: scaledPenalty(penalty, unit, l.power)}
								r := asFor(t, p)
								if first == nil {
									first = r
								}
								if r.Status != first.Status || r.Iter != first.Iter ||
									math.Abs(r.State.Cert.Relative-first.State.Cert.Relative) > 1e-9 {
									t.Errorf("in the unit %g %s after %d steps with the gap %g, else %s after %d with %g", unit, r.Status, r.Iter,
										r.State.Cert.Relative, first.Status, first.Iter, first.State.Cert.Relative)
								}
							}
						})
					}
				}
			}
		}
	}
}

// scaledPenalty is h for a κ in a unit and a loss in a power of it.
func scaledPenalty(kind string, unit, power float64) gcg.Penalty {
	lambda := 0.3
	if kind == "far linear" || kind == "far square" {
		lambda = 1e-3
	}
	switch kind {
	case "ball":
		return gauge.Ball{Zeta: 2 * unit}
	case "square", "far square":
		return gauge.Square{Lambda: lambda * math.Pow(unit, power-2)}
	}
	return gauge.Linear{Lambda: lambda * math.Pow(unit, power-1)}
}

// asFor runs a problem as solver.For says, by way of larger λ and wider losses.
func asFor(t *testing.T, p *gcg.Problem) *solver.Result {
	t.Helper()
	_, improver, _ := solver.For(p)
	again := func() solver.Method { m, _, _ := solver.For(p); return m }
	r, err := solver.Approach{Method: again}.Run(context.Background(), p, solver.Options{Tol: 1e-3, Improver: improver})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
