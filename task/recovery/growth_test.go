package recovery_test

import (
	"context"
	"flag"
	"testing"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/baseline/lowranksparse"
	"github.com/seed-b18ef778/gcg/internal/clock"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/recovery"
)

var (
	growth = flag.Int("growth", 0, "measure the paper's problem from N = 50 up to this N, beside the baselines")
	above  = flag.Float64("above", 1e-3, "λ over λ₁ in -growth")
	rivals = flag.Int("rivals", 800, "the largest N that the baselines are run at in -growth")
	each   = flag.Duration("each", 5*time.Second, "how long a baseline may take in -growth")
)

// TestGrowth measures time against N: of the task, reading excluded and all else included, and of the baselines, whose
// certificates are not charged.
func TestGrowth(t *testing.T) {
	if *growth == 0 {
		t.Skip("give -growth 3200 to measure")
	}
	for n := 50; n <= *growth; n *= 2 {
		for _, known := range []float64{0.05, 0.4, 1} {
			if n > 800 && *above > 1 {
				continue
			}
			r := paper(n, known, 1)
			l1 := 1 / float64(n*n)
			if *above > 1 {
				l1 /= 10
			}
			cpu := clock.CPU()
			tk := &recovery.Task{Train: r, L1: l1, Shape: [2]int{n, n}}
			res, err := tk.Fit(context.Background(), task.Options{Lambda: *above * l1, Run: solver.Options{MaxTime: time.Minute}})
			if err != nil {
				t.Fatal(err)
			}
			took := clock.CPU() - cpu
			c := res.Result.State.Cert
			t.Logf("N = %-4d %3.0f %% known: %8.4f s, %3d steps, F = %.6g, gap %.1e", n, 100*known, took.Seconds(), res.Result.Iter,
				c.Objective, c.Relative)
			if c.Relative > 1e-3 {
				t.Errorf("%s with a gap of %v", res.Result.Status, c.Relative)
			}
			if n <= *rivals {
				for _, m := range []solver.Method{&lowranksparse.GFB{}, &lowranksparse.IPD{}} {
					rival(t, r.Rows, r.Cols, r.Values, n, l1, m)
				}
			}
		}
	}
}

// rival runs a baseline on the whole matrix.
func rival(t *testing.T, rows, cols []int32, values []float64, n int, l1 float64, m solver.Method) {
	y, omega := make([]float64, n*n), make([]float64, n*n)
	for e, v := range values {
		at := int(rows[e])*n + int(cols[e])
		y[at], omega[at] = v, 1/float64(len(values))
	}
	op, err := operator.NewIdentity(n, n)
	if err != nil {
		t.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.WithL1{Loss: &loss.Squared{Y: y, Omega: omega}, Lambda: l1}, Gauge: gauge.Trace{},
		Penalty: gauge.Linear{Lambda: *above * l1}}
	r, err := solver.Run(context.Background(), p, m, solver.Options{MaxTime: *each, Plateau: 100000})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("         %12s: %8.4f s, %3d steps, gap %.1e, %s", m.Name(), r.CPU.Seconds(), r.Iter, r.State.Cert.Relative, r.Status)
}
