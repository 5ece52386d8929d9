package gauge_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/gauge"
)

var exponents = []float64{1, 1.03, 1.5, 2, 3, 40, math.Inf(1)}

// naiveNorm is ‖x‖_q from its definition, scaled so that nothing overflows.
func naiveNorm(x []float64, q float64) float64 {
	var top, s float64
	for _, v := range x {
		top = math.Max(top, math.Abs(v))
	}
	if math.IsInf(q, 1) || top == 0 {
		return top
	}
	for _, v := range x {
		s += math.Pow(math.Abs(v/top), q)
	}
	return top * math.Pow(s, 1/q)
}

func conjugate(p float64) float64 {
	if p == 1 {
		return math.Inf(1)
	}
	return 1 / (1 - 1/p)
}

func TestLpConforms(t *testing.T) {
	for _, p := range exponents {
		t.Run(gauge.Lp{P: p}.Name(), func(t *testing.T) {
			conforms(t, sizes, func(m, n int) gcg.Gauge { return gauge.Lp{P: p} }, func(g conform.Matrix) float64 {
				return naiveNorm(g.Data, conjugate(p))
			})
		})
	}
}

func TestExponentsBelowOneAreRefused(t *testing.T) {
	g := conform.Matrix{M: 1, N: 1, Data: []float64{1}}
	for _, p := range []float64{0.5, -1, math.NaN(), math.Inf(-1)} {
		for _, k := range []gcg.Gauge{gauge.Lp{P: p}, gauge.SchattenP{P: p}} {
			if _, err := k.Polar(context.Background(), g, gcg.Ask{Count: 1}); err == nil || !strings.Contains(err.Error(), "is no norm") {
				t.Errorf("%s: error %v", k.Name(), err)
			}
		}
	}
}

// Compress evaluates κ where atoms overlap, those of one entry with both signs included, and leaves W as it was.
func TestLpCompress(t *testing.T) {
	for _, p := range exponents {
		w := &gcg.Iterate{M: 2, N: 3}
		for e, v := range []float64{2, -5, 0.5, 0.5, -1, 3} {
			a := gcg.Atom{Rows: []int32{int32(e % 2)}, Cols: []int32{int32(e % 3 / 2)}, Vals: []float64{math.Copysign(1, v)},
				Key: int64(1 + e%2*3 + e%3/2)}
			w.Add([]gcg.Atom{a}, []float64{math.Abs(v)})
		}
		before, k := w.Dense(), gauge.Lp{P: p}
		want := naiveNorm(before, p)
		if rho := k.Compress(w); math.Abs(rho-want) > 1e-14*want || math.Abs(w.Weights()-want) > 1e-14*want {
			t.Errorf("%s: κ is %v, with weights of %v, and not %v", k.Name(), rho, w.Weights(), want)
		}
		for e, x := range w.Dense() {
			if math.Abs(x-before[e]) > 1e-14*want {
				t.Errorf("%s: entry %d was %v and is %v", k.Name(), e+1, before[e], x)
			}
		}
	}
}
