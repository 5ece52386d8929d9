package gauge

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
)

// The dual bound holds by itself, whatever its weights, not only because the value that was found stands behind it; and with
// the weights of a relaxation it is exact at rank one.
func TestDualBoundOfSigns(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	ctx, inf := context.Background(), math.Inf(1)
	for _, k := range []Factor{{C: inf, R: 2}, {C: 2, R: inf}, {C: inf, R: inf}} {
		for try := range 40 {
			g := conform.Matrix{M: 6, N: 5, Data: normals(rng, 30)}
			if try%2 == 0 {
				u, v := normals(rng, 6), normals(rng, 5)
				for e := range g.Data {
					g.Data[e] = u[e/5] * v[e%5]
				}
			}
			s := newSignProblem(g, k)
			exact, err := s.enumerate(ctx, gcg.Ask{Count: 1})
			if err != nil {
				t.Fatal(err)
			}
			r, err := s.relax(ctx, uint64(try))
			if err != nil {
				t.Fatal(err)
			}
			tight, _, err := s.dualBound(ctx, r, gcg.Ask{})
			if err != nil || tight < exact.Value*(1-1e-12) || try%2 == 0 && tight > exact.Value*(1+1e-4) {
				t.Errorf("%s, try %d: bound %v of %v, %v", k.Name(), try, tight, exact.Value, err)
			}
			for _, d := range [][]float64{r.rows, r.cols} {
				for i := range d {
					d[i] = math.Exp(rng.NormFloat64())
				}
			}
			if any, _, err := s.dualBound(ctx, r, gcg.Ask{}); err != nil || any < exact.Value*(1-1e-12) {
				t.Errorf("%s, try %d: bound %v of %v with random weights, %v", k.Name(), try, any, exact.Value, err)
			}
		}
	}
}

func normals(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}
