package recovery_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/clock"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/recovery"
)

func paper(n int, fraction float64, seed uint64) *dataset.Ratings {
	rng := rand.New(rand.NewPCG(seed, 1))
	f := func() []float64 {
		x := make([]float64, n*5)
		for i := range x {
			if rng.Float64() < 0.1 {
				x[i] = rng.Float64()
			}
		}
		return x
	}
	u, v := f(), f()
	r := &dataset.Ratings{Name: "paper", Shape: [2]int{n, n}}
	texts := make([]string, n)
	for i := range texts {
		texts[i] = strconv.Itoa(i + 1)
	}
	r.RowIDs, r.ColIDs = dataset.NewIDs(texts), dataset.NewIDs(texts)
	for i := range n {
		for j := range n {
			var y float64
			for c := range 5 {
				y += u[i*5+c] * v[j*5+c]
			}
			y += 0.01 * rng.NormFloat64()
			if rng.Float64() < fraction {
				r.Rows, r.Cols, r.Values = append(r.Rows, int32(i)), append(r.Cols, int32(j)), append(r.Values, y)
			}
		}
	}
	return r
}

func TestPrototype(t *testing.T) {
	if os.Getenv("PROTO") == "" {
		t.Skip()
	}
	for _, n := range []int{50, 100, 200, 400, 800, 1600} {
		for _, frac := range []float64{0.05, 0.4} {
			r := paper(n, frac, 1)
			l1 := 1.0 / float64(n*n)
			tk := &recovery.Task{Train: r, L1: l1}
			if err := tk.Load(); err != nil {
				t.Fatal(err)
			}
			tol := 1e-3
			if os.Getenv("TOL") != "" {
				tol, _ = strconv.ParseFloat(os.Getenv("TOL"), 64)
			}
			start, cpu := time.Now(), clock.CPU()
			o := task.Options{Lambda: 1e-3 * l1, Run: solver.Options{Tol: tol, MaxIter: 500, Plateau: 500}}
			if os.Getenv("BALL") != "" {
				o.Lambda = 0
				o.Zeta, _ = strconv.ParseFloat(os.Getenv("BALL"), 64)
			}
			res, err := tk.Fit(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			c := res.Result.State.Cert
			fmt.Printf("n=%d frac=%g: %s it=%d [%.8g,%.8g] rel %.2g κ %.6g nnz %d solve cpu %v all cpu %v wall %v\n", n, frac, res.Result.Status, res.Result.Iter, c.LowerBound, c.Objective, c.Relative, res.Result.State.Rho, res.Result.State.W.Nonzeros(), res.Result.CPU, clock.CPU()-cpu, time.Since(start))
		}
	}
}
