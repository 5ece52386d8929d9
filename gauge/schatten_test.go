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

// spectrum is the singular values, of the transpose and without vectors.
func spectrum(g conform.Matrix) []float64 {
	var top float64
	for _, x := range g.Data {
		top = math.Max(top, math.Abs(x))
	}
	d := mat.NewDense(g.M, g.N, nil)
	d.Scale(1/top, mat.NewDense(g.M, g.N, g.Data))
	var svd mat.SVD
	if !svd.Factorize(d.T(), mat.SVDNone) {
		panic("no convergence")
	}
	s := svd.Values(nil)
	for i := range s {
		s[i] *= top
	}
	return s
}

func TestSchattenConforms(t *testing.T) {
	for _, p := range exponents {
		t.Run(gauge.SchattenP{P: p}.Name(), func(t *testing.T) {
			conforms(t, sizes, func(m, n int) gcg.Gauge { return gauge.SchattenP{P: p} }, func(g conform.Matrix) float64 {
				return naiveNorm(spectrum(g), conjugate(p))
			})
		})
	}
}

func TestTraceConformsAtDenseMatrices(t *testing.T) {
	conforms(t, sizes, func(m, n int) gcg.Gauge { return gauge.Trace{} }, func(g conform.Matrix) float64 { return spectrum(g)[0] })
}

// Compress evaluates κ exactly where atoms of several columns overlap, and leaves W as it was.
func TestSchattenCompress(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, p := range exponents {
		w := &gcg.Iterate{M: 9, N: 7}
		dense := make([]float64, 63)
		for range 3 {
			u, v := gcg.NewFactor(9, 2), gcg.NewFactor(7, 2)
			for c := range 2 {
				for i := range 9 {
					u.Row(i)[c] = rng.NormFloat64()
				}
				for j := range 7 {
					v.Row(j)[c] = rng.NormFloat64()
				}
			}
			w.Add([]gcg.Atom{{U: u, V: v}}, []float64{0.5})
			for e := range dense {
				for c := range 2 {
					dense[e] += 0.5 * u.Row(e / 7)[c] * v.Row(e % 7)[c]
				}
			}
		}
		k := gauge.SchattenP{P: p}
		want := k.Of(dense, 9, 7)
		if rho := k.Compress(w); math.Abs(rho-want) > 1e-11*want {
			t.Errorf("%s: κ = %.14g, want %.14g", k.Name(), rho, want)
		}
		for e, x := range dense {
			var got float64
			for c := range w.Rank() {
				got += w.U.Row(e / 7)[c] * w.V.Row(e % 7)[c]
			}
			if math.Abs(got-x) > 1e-11 {
				t.Fatalf("%s: entry %d became %g, was %g", k.Name(), e, got, x)
			}
		}
	}
}

// Entries whose singular values no float64 holds are an error, and no polar of 0 that is proven.
func TestSchattenTooLarge(t *testing.T) {
	g := conform.Matrix{M: 2, N: 2, Data: []float64{1e308, 1e308, 1e308, 1e308}}
	if p, err := (gauge.SchattenP{P: 3}).Polar(context.Background(), g, gcg.Ask{Count: 1}); err == nil {
		t.Errorf("%v, at most %v, %s", p.Value, p.Bound, p.Kind)
	}
}
