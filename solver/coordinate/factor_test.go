package coordinate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Whatever entries come and go, a step is that of a factor that begins anew; a matrix that is not positive definite has none.
func TestFactorKept(t *testing.T) {
	const all, rows = 90, 120
	rng := rand.New(rand.NewPCG(4, 1))
	x := make([][]float64, all)
	for e := range x {
		x[e] = make([]float64, rows)
		for i := range x[e] {
			x[e][i] = rng.NormFloat64()
		}
	}
	x[all-1] = x[all-2]
	product := func(e, f int) (sum float64) {
		for i, v := range x[e] {
			sum += v * x[f][i]
		}
		return sum
	}
	var kept *factor
	entries, reused, held := []int{3}, 0, 0
	for try := range 400 {
		for range rng.IntN(4) {
			if e := rng.IntN(all - 1); !slices.Contains(entries, e) {
				entries = append(entries, e)
			} else if len(entries) > 1 && rng.IntN(2) == 0 {
				entries = slices.DeleteFunc(entries, func(f int) bool { return f == e })
			}
		}
		mu, g := []float64{0, 0.5}[try/200], make([]float64, len(entries))
		for i := range g {
			g[i] = rng.NormFloat64()
		}
		h := normal{product, mu, all}
		if c := kept.to(entries, h); !c.anew {
			reused++
			held += len(c.gone)
		}
		var d []float64
		if d, kept = kept.solve(t.Context(), h, entries, g); kept == nil {
			t.Fatalf("try %d: no factor of %d entries", try, len(entries))
		}
		for i, e := range entries {
			sum := mu*d[i] - g[i]
			for j, f := range entries {
				sum += product(e, f) * d[j]
			}
			if math.Abs(sum) > 1e-8 {
				t.Fatalf("try %d: row %d of H d - g is %v", try, i, sum)
			}
		}
	}
	if reused < 100 || held < 100 {
		t.Errorf("of 400 factors %d were extended, with %d entries held at 0", reused, held)
	}
	x[all-1] = x[all-3]
	kept = nil
	for _, entries := range [][]int{rng.Perm(all - 2), append(rng.Perm(all-3), all-1)} { // the second with a twin in place of one
		g := make([]float64, len(entries))
		g[0] = 1
		var d []float64
		if d, kept = kept.solve(t.Context(), normal{product, 0, all}, entries, g); d == nil {
			t.Errorf("no factor of %d entries, of which none are equal", len(entries))
		}
	}
	x[all-1] = x[all-2]
	twins := []int{all - 2, all - 1}
	if d, f := kept.solve(t.Context(), normal{product, 0, all}, twins, []float64{1, 2}); d != nil || f != nil {
		t.Errorf("two equal columns have the step %v", d)
	}
}
