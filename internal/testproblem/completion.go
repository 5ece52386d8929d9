package testproblem

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
)

// Completion is a completion of 60×50 entries times unit, with a start of rank 4.
func Completion(t testing.TB, unit float64) (p *gcg.Problem, s *gcg.State) {
	t.Helper()
	const m, n, k = 60, 50, 4
	rng := rand.New(rand.NewPCG(1, 2))
	ptr, cols, y := []int64{0}, []int32(nil), []float64(nil)
	for range m {
		for j := range n {
			if rng.Float64() < 0.3 {
				cols, y = append(cols, int32(j)), append(y, unit*rng.NormFloat64())
			}
		}
		ptr = append(ptr, int64(len(cols)))
	}
	op, err := operator.NewSampling(m, n, ptr, cols)
	if err != nil {
		t.Fatal(err)
	}
	p = &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 2 * unit}}
	w := &gcg.Iterate{M: m, N: n, U: gcg.NewFactor(m, k), V: gcg.NewFactor(n, k)}
	for _, f := range []*gcg.Factor{w.U, w.V} {
		for i := range f.Rows {
			for c := range k {
				f.Row(i)[c] = math.Sqrt(unit) * rng.NormFloat64()
			}
		}
	}
	if s, err = gcg.NewState(p, w); err != nil {
		t.Fatal(err)
	}
	return p, s
}
