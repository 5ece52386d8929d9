package sparselowrank_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/sparselowrank"
)

func paper(n int, fraction float64, seed uint64) (y, omega []float64, p int) {
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
	y, omega = make([]float64, n*n), make([]float64, n*n)
	for i := range n {
		for j := range n {
			for c := range 5 {
				y[i*n+j] += u[i*5+c] * v[j*5+c]
			}
			y[i*n+j] += 0.01 * rng.NormFloat64()
			if rng.Float64() < fraction {
				omega[i*n+j] = 1
				p++
			} else {
				y[i*n+j] = 0
			}
		}
	}
	for i := range omega {
		omega[i] /= float64(p)
	}
	return
}

func TestPrototype(t *testing.T) {
	if os.Getenv("PROTO") == "" {
		t.Skip()
	}
	for _, n := range []int{50, 200} {
		for _, frac := range []float64{1, 0.4} {
			for _, strong := range []float64{3, 30} {
				y, omega, _ := paper(n, frac, 1)
				l1 := 0.1 / float64(n*n)
				l2 := strong * l1
				p := &gcg.Problem{Loss: &loss.WithL1{Loss: &loss.Squared{Y: y, Omega: omega}, Lambda: l1}, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: l2}}
				p.Operator, _ = operator.NewIdentity(n, n)
				start := time.Now()
				r, err := solver.Run(context.Background(), p, &sparselowrank.Splitting{}, solver.Options{Tol: 1e-3, MaxIter: 500, Plateau: 500, Event: func(e solver.Event) {
					if os.Getenv("PROTO") == "2" {
						c := e.State.Cert
						fmt.Println(e.Iter, c.Objective, c.LowerBound, c.Relative, e.State.W.Rank())
					}
				}})
				if err != nil {
					t.Fatal(err)
				}
				c := r.State.Cert
				fmt.Printf("n=%d frac=%g λ2/λ1=%g: %s it=%d [%.6g,%.6g] rel %.2g rank %d cpu %v wall %v\n", n, frac, strong, r.Status, r.Iter, c.LowerBound, c.Objective, c.Relative, r.State.W.Rank(), r.CPU, time.Since(start))
			}
		}
	}
}
