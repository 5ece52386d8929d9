package rpca_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/seed-b18ef778/gcg/baseline/ialm"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/sparselowrank"
	"github.com/seed-b18ef778/gcg/task/rpca"
)

func corrupted(n, rank int, part, noise float64) (d, l []float64) {
	rng := rand.New(rand.NewPCG(5, 5))
	u, v := make([]float64, n*rank), make([]float64, n*rank)
	for i := range u {
		u[i], v[i] = rng.NormFloat64()/math.Sqrt(float64(n)), rng.NormFloat64()/math.Sqrt(float64(n))
	}
	d, l = make([]float64, n*n), make([]float64, n*n)
	for i := range n {
		for j := range n {
			for c := range rank {
				l[i*n+j] += u[i*rank+c] * v[j*rank+c]
			}
			d[i*n+j] = l[i*n+j] + noise*rng.NormFloat64()
			if rng.Float64() < part {
				d[i*n+j] += float64(2*rng.IntN(2) - 1)
			}
		}
	}
	return
}

func TestPrototype(t *testing.T) {
	if os.Getenv("PROTO") == "" {
		t.Skip()
	}
	for _, n := range []int{200, 1000} {
		d, l := corrupted(n, n/50, 0.05, 0)
		tk := &rpca.Task{Name: "x", Rows: n, Cols: n, Values: d, Equal: true, L1: 1 / math.Sqrt(float64(n))}
		for _, m := range []solver.Method{&sparselowrank.Splitting{}, &ialm.Method{}} {
			f, err := tk.Whole()
			if err != nil {
				t.Fatal(err)
			}
			p := f.Problem
			p.Penalty = gauge.Linear{Lambda: 1}
			r, err := solver.Run(context.Background(), p, m, solver.Options{Tol: 1e-4, MaxIter: 200, Plateau: 500, Event: func(e solver.Event) {
				if os.Getenv("PROTO") == "2" {
					c := e.State.Cert
					fmt.Println(e.Iter, c.Objective, c.LowerBound, c.Relative, e.State.W.Rank(), e.Elapsed)
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			w := r.State.W.Dense()
			var off, of float64
			for i := range w {
				off += (w[i] - l[i]) * (w[i] - l[i])
				of += l[i] * l[i]
			}
			c := r.State.Cert
			fmt.Printf("n=%d %s: %s it=%d [%.8g,%.8g] rel %.2g rank %d err %.2g cpu %v wall %v uncharged %v\n", n, m.Name(), r.Status, r.Iter, c.LowerBound, c.Objective, c.Relative, r.State.W.Rank(), math.Sqrt(off/of), r.CPU, r.Elapsed, r.Uncharged)
		}
	}
}
