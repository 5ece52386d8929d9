package solver_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
)

// Completion of matrices of any shape, single rows and columns too, with empty rows and observations that are all alike, from λ
// above the largest to one where the rank is full: every run ends at its gap, the same on one processor and on two, and no
// lower bound is above what another run comes to.
func TestOddShapes(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	rng := rand.New(rand.NewPCG(11, 2))
	shapes := [][2]int{{1, 30}, {30, 1}, {1, 1}, {2, 40}, {40, 2}, {27, 26}, {60, 50}, {50, 90}, {5, 5}}
	for trial := range 10 * len(shapes) {
		m, n := shapes[trial%len(shapes)][0], shapes[trial%len(shapes)][1]
		p := oddProblem(t, rng, m, n)
		part := []float64{1.1, 1, 0.999999, 0.5, 0.1, 0.02, 0.003}[rng.IntN(7)]
		top, err := solver.MaxLambda(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		p.Penalty = gauge.Linear{Lambda: part * top}
		if rng.IntN(6) == 0 {
			p.Penalty = gauge.Ball{Zeta: 0.1 + 10*rng.Float64()}
		}
		var certs [3]gcg.Certificate
		for i, tol := range []float64{1e-4, 1e-4, 1e-7} {
			runtime.GOMAXPROCS(1 + i%2)
			r, err := solver.Run(context.Background(), p, &conditional.GCG{OutsideW: true},
				solver.Options{Tol: tol, Improver: &fixedrank.Local{}, MaxIter: 100})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != solver.Converged {
				t.Fatalf("%d×%d, %d observations, %T, %g of λ: %v at a gap of %g", m, n, p.Loss.Len(), p.Penalty, part, r.Status,
					r.State.Cert.Relative)
			}
			certs[i] = r.State.Cert
		}
		if certs[0] != certs[1] {
			t.Errorf("%d×%d: %+v on one processor, %+v on two", m, n, certs[0], certs[1])
		}
		if best := certs[2].Objective; certs[0].LowerBound > best*(1+1e-12) {
			t.Errorf("%d×%d: a lower bound of %v, F came to %v", m, n, certs[0].LowerBound, best)
		}
	}
}

// oddProblem has no observations in some rows, and ones or normal numbers in the others.
func oddProblem(t *testing.T, rng *rand.Rand, m, n int) *gcg.Problem {
	density, alike := []float64{0.1, 0.3, 1}[rng.IntN(3)], rng.IntN(3) == 0
	ptr, cols, y := []int64{0}, []int32(nil), []float64(nil)
	for i := range m {
		for j := range n {
			if i+j == 0 || rng.Float64() < density && i%7 != 3 {
				cols, y = append(cols, int32(j)), append(y, 1)
				if !alike {
					y[len(y)-1] = rng.NormFloat64()
				}
			}
		}
		ptr = append(ptr, int64(len(cols)))
	}
	op, err := operator.NewSampling(m, n, ptr, cols)
	if err != nil {
		t.Fatal(err)
	}
	return &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 1}}
}
