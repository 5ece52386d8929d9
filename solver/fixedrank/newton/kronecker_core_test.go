package newton

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
)

// wishart is XᵀX/n of n = 2k Gaussian rows, whose columns grow to ten times the first.
func wishart(rng *rand.Rand, k int) *gcg.Factor {
	x := gcg.NewFactor(2*k, k)
	for i := range x.Rows {
		for c := range k {
			x.Row(i)[c] = rng.NormFloat64() * (1 + 9*float64(c)/float64(k)) / math.Sqrt(float64(x.Rows))
		}
	}
	return gcg.TMul(x, x)
}

func TestCoreEquation(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, k := range []int{1, 2, 7, 24} {
		sigma := make([]float64, k)
		for i := range sigma {
			sigma[i] = math.Pow(10, -3*float64(i)/float64(k))
		}
		e := newCoreEquation(wishart(rng, k), wishart(rng, k), sigma, 0.3)
		r, m, back := gcg.Small(k, k), gcg.Small(k, k), gcg.Small(k, k)
		for i := range k {
			for c := range k {
				r.Row(i)[c] = rng.NormFloat64()
			}
		}
		e.solveTo(m, r)
		e.applyTo(back, m)
		back.AddScaled(-1, r)
		left, before := gcg.Small(k, k), gcg.Small(k, k)
		e.pairsTo(left, back)
		e.pairsTo(before, r)
		if got, want := math.Sqrt(back.Dot(left)), 1.01*coreAccuracy*math.Sqrt(r.Dot(before)); got > want {
			t.Errorf("k = %d: residual %g, want at most %g", k, got, want)
		}
	}
}

// The pairs are the whole equation where K and J are diagonal.
func TestCorePairs(t *testing.T) {
	const k = 5
	d := gcg.Small(k, k)
	for i := range k {
		d.Row(i)[i] = float64(1 + i*i)
	}
	e := newCoreEquation(d, d, []float64{4, 2, 1, 0.5, 1e-3}, 2)
	r, m, back := gcg.Small(k, k), gcg.Small(k, k), gcg.Small(k, k)
	for i := range k {
		for c := range k {
			r.Row(i)[c] = float64(1 + 3*i - c*c)
		}
	}
	e.pairsTo(m, r)
	e.applyTo(back, m)
	for i := range k {
		for c := range k {
			if got, want := back.Row(i)[c], r.Row(i)[c]; math.Abs(got-want) > 1e-9 {
				t.Errorf("entry %d, %d: %g, want %g", i, c, got, want)
			}
		}
	}
}
