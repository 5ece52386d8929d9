package metric_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg/metric"
)

// The concordance index is that of all pairs, one by one; 1 of risks that fall with time, ½ of equal ones, none without a pair.
func TestConcordance(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 200 {
		n := 2 + rng.IntN(30)
		time, event, risk := make([]float64, n), make([]bool, n), make([]float64, n)
		for i := range time {
			time[i], event[i], risk[i] = float64(rng.IntN(12)), rng.IntN(2) == 0, float64(rng.IntN(9))
		}
		var right, all float64
		for i := range time {
			for j := range time {
				if !event[i] || !(time[i] < time[j] || time[i] == time[j] && !event[j]) {
					continue
				}
				if all++; risk[i] > risk[j] {
					right++
				} else if risk[i] == risk[j] {
					right += 0.5
				}
			}
		}
		got := metric.Concordance(time, event, risk)
		if want := right / all; got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("%v of %v, %v, %v, want %v", got, time, event, risk, want)
		}
	}
	time, seen := []float64{1, 2, 3}, []bool{true, true, false}
	a, b := metric.Concordance(time, seen, []float64{3, 2, 1}), metric.Concordance(time, seen, []float64{1, 1, 1})
	if a != 1 || b != 0.5 {
		t.Errorf("%v of falling risks, %v of equal ones", a, b)
	}
}
