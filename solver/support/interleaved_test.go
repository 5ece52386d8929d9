package support_test

import (
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testrun"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/support"
)

// Groups whose entries take turns among the parts of H close their gap to rounding.
func TestInterleavedParts(t *testing.T) {
	const n, features, outputs = 40, 12, 2
	rng := rand.New(rand.NewPCG(13, 14))
	x, y := make([]float64, n*features), make([]float64, n*outputs)
	for i := range n {
		common := 3 * rng.NormFloat64()
		for j := range features {
			x[i*features+j] = rng.NormFloat64() + common
		}
	}
	for i := range y {
		y[i] = 10 * rng.NormFloat64()
	}
	f, err := operator.DenseFeatures(n, features, x)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewDesign(f, outputs)
	if err != nil {
		t.Fatal(err)
	}
	index := make([][]int32, 2) // row-major: an entry of one output after one of the other
	for e := range features * outputs {
		index[2*e/(features*outputs)] = append(index[2*e/(features*outputs)], int32(e))
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y, Group: outputs}, Gauge: gauge.Group{Index: index,
		Inner: gauge.LInf},
		Penalty: gauge.Linear{Lambda: 1}}
	r := testrun.Must(t, p, &conditional.GCG{}, solver.Options{Tol: 1e-10, Improver: &support.Corrective{}, MaxIter: 10})
	if r.Status != solver.Converged {
		t.Errorf("%s after %d iterations at a gap of %g", r.Status, r.Iter, r.State.Cert.Relative)
	}
}
