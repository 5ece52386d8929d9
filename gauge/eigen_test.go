package gauge_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/gauge"
	"gonum.org/v1/gonum/mat"
)

// meetTol is a relative gap that no sum of 400² products reaches: only that of eigenvalues to rounding does.
const meetTol = 1e-12

// mirrored is H₂ H₁ diag(values) H₁ H₂, with two random reflections: a dense symmetric matrix of these eigenvalues.
func mirrored(values []float64, rng *rand.Rand) conform.Matrix {
	n := len(values)
	s := mat.NewDense(n, n, nil)
	for i, v := range values {
		s.Set(i, i, v)
	}
	for range 2 {
		h, u := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
		for i := range n {
			u.SetVec(i, rng.NormFloat64())
			h.Set(i, i, 1)
		}
		h.RankOne(h, -2/mat.Dot(u, u), u, u)
		var left mat.Dense
		left.Mul(h, s)
		s.Mul(&left, h)
	}
	return conform.Matrix{M: n, N: n, Data: s.RawMatrix().Data}
}

// second is the path's second difference negated, with the eigenvalues 2 - 2cos(kπ/(n+1)).
func second(n int) conform.Matrix {
	s := mat.NewDense(n, n, nil)
	for i := range n {
		if s.Set(i, i, 2); i > 0 {
			s.Set(i, i-1, -1)
			s.Set(i-1, i, -1)
		}
	}
	return conform.Matrix{M: n, N: n, Data: s.RawMatrix().Data}
}

// Value and bound of the largest eigenvalue meet to rounding where matrices are written out, whatever their spectrum.
func TestLargestEigenvalueMeets(t *testing.T) {
	rng := rand.New(rand.NewPCG(38, 1))
	spectrum := func(n int, of func(i int) float64) conform.Matrix {
		values := make([]float64, n)
		for i := range values {
			values[i] = of(i)
		}
		return mirrored(values, rng)
	}
	for _, n := range []int{40, 256, 257, 388} {
		for name, c := range map[string]struct {
			s    conform.Matrix
			want float64
		}{
			"clustered":         {spectrum(n, func(i int) float64 { return 1 - 1e-9*float64(i) }), 1},
			"two values":        {spectrum(n, func(i int) float64 { return 1 - 1.5*float64(i%2) }), 1},
			"harmonic":          {spectrum(n, func(i int) float64 { return 1 / float64(i+1) }), 1},
			"far above":         {spectrum(n, func(i int) float64 { return 1e6 * math.Pow(0.5, float64(i)) }), 1e6},
			"second difference": {second(n), 2 + 2*math.Cos(math.Pi/float64(n+1))},
		} {
			for kind, k := range map[string]gcg.Gauge{"spectrahedron": gauge.Spectrahedron{}, "psd": gauge.PSDTrace{}} {
				p, err := k.Polar(context.Background(), c.s, gcg.Ask{Count: 2, Tol: meetTol})
				if err != nil {
					t.Fatal(err)
				}
				attained := p.Atoms[0].Dot(c.s)
				if short := (p.Bound - p.Value) / c.want; short > meetTol {
					t.Errorf("%s, %d rows, %s: the bound is %.3g above the value (%v)", kind, n, name, short, p.Kind)
				}
				if p.Bound < c.want*(1-1e-15) || math.Abs(attained-c.want) > meetTol*c.want {
					t.Errorf("%s, %d rows, %s: value %.17g, bound %.17g of %.17g", kind, n, name, attained, p.Bound, c.want)
				}
			}
		}
	}
}
