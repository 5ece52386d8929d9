package rpca_test

import (
	"context"
	"flag"
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/baseline/lowranksparse"
	"github.com/seed-b18ef778/gcg/internal/clock"
	"github.com/seed-b18ef778/gcg/internal/spectral"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/recovery"
	"github.com/seed-b18ef778/gcg/task/rpca"
)

var side = flag.Int("clock", 0, "measure the equality form on a square matrix of this side, beside the baseline")

// TestClock measures splitting beside the inexact augmented Lagrangian method, to a certified 1e-4 on the same clock. The
// certificates of the baseline are not charged; what one proof takes is measured apart.
func TestClock(t *testing.T) {
	if *side == 0 {
		t.Skip("give -clock 1000 to measure")
	}
	n := *side
	d, _ := corrupted(n, n, n/50, 0.05, 0)
	for _, m := range []solver.Method{&recovery.Splitting{}, &lowranksparse.IALM{}, &recovery.Splitting{}, &lowranksparse.IALM{}} {
		tk := &rpca.Task{Name: "D", Rows: n, Cols: n, Values: d, Equal: true, L1: 1 / math.Sqrt(float64(n))}
		f := whole(t, tk)
		p := *f.Problem
		p.Penalty = gauge.Linear{Lambda: 1}
		r, err := solver.Run(context.Background(), &p, m, solver.Options{Tol: 1e-4, MaxIter: 300, Plateau: 300})
		if err != nil {
			t.Fatal(err)
		}
		cpu := clock.CPU()
		spectral.DenseNorm(context.Background(), r.State.R, n, n, 1, 1e-4)
		proof := clock.CPU() - cpu
		t.Logf("%s: %d steps, %.3f s, gap %.1e, rank %d; a proof takes %.3f s", m.Name(), r.Iter, r.CPU.Seconds(),
			r.State.Cert.Relative,
			r.State.W.Rank(), proof.Seconds())
	}
}
