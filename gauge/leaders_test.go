package gauge

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg"
)

// TestLeaders compares them with all candidates sorted, where many are equal, few or none are above the floor, and more are than
// are kept.
func TestLeaders(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n := 1 + rng.IntN(60)
		ask := gcg.Ask{Count: rng.IntN(12), Above: float64(rng.IntN(12)) - 1}
		values, order := make([]float64, n), make([]int, n)
		l := newLeaders(ask)
		for i := range n {
			values[i], order[i] = float64(rng.IntN(10)), i
			if rng.IntN(30) == 0 {
				values[i] = math.Inf(1)
			}
			l.offer(i, values[i])
		}
		slices.SortStableFunc(order, func(a, b int) int {
			switch {
			case values[a] > values[b]:
				return -1
			case values[a] < values[b]:
				return 1
			}
			return 0
		})
		want := order[:1]
		for _, i := range order[1:] {
			if values[i] > ask.Above && len(want) < ask.Count {
				want = append(want, i)
			}
		}
		index, found := l.ranked()
		if !slices.Equal(index, want) {
			t.Fatalf("of %v, %+v keeps %v, not %v", values, ask, index, want)
		}
		for c, i := range index {
			if found[c] != values[i] {
				t.Fatalf("the value of %d is %g, not %g", i, found[c], values[i])
			}
		}
	}
}
