package newton_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/newton"
)

// The residual of a solution is as small as it is to be.
func TestCoreEquation(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, k := range []int{1, 2, 7, 24} {
		sigma := make([]float64, k)
		for i := range sigma {
			sigma[i] = math.Pow(10, -3*float64(i)/float64(k))
		}
		e := newton.NewCoreEquation(wishart(rng, k), wishart(rng, k), sigma, 0.3)
		r, m, back := gcg.Small(k, k), gcg.Small(k, k), gcg.Small(k, k)
		for i := range k {
			for c := range k {
				r.Row(i)[c] = rng.NormFloat64()
			}
		}
		e.Solve(m, r)
		e.Apply(back, m)
		back.AddScaled(-1, r)
		left, before := gcg.Small(k, k), gcg.Small(k, k)
		e.Pairs(left, back)
		e.Pairs(before, r)
		if got, want := math.Sqrt(back.Dot(left)), 1.01*newton.CoreAccuracy*math.Sqrt(r.Dot(before)); got > want {
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
	e := newton.NewCoreEquation(d, d, []float64{4, 2, 1, 0.5, 1e-3}, 2)
	r, m, back := gcg.Small(k, k), gcg.Small(k, k), gcg.Small(k, k)
	for i := range k {
		for c := range k {
			r.Row(i)[c] = float64(1 + 3*i - c*c)
		}
	}
	e.Pairs(m, r)
	e.Apply(back, m)
	for i := range k {
		for c := range k {
			if got, want := back.Row(i)[c], r.Row(i)[c]; math.Abs(got-want) > 1e-9 {
				t.Errorf("entry %d, %d: %g, want %g", i, c, got, want)
			}
		}
	}
}
