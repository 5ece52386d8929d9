package loss_test

import (
	"math"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/loss"
)

// A checkedCox is checked where it is made.
type checkedCox struct{ *loss.Cox }

func (checkedCox) Check() error { return nil }

// A partial likelihood has every property of a loss, with ties, weights and times that are only known to be longer; it is the
// formula as it is written, and a row without weight is as if it were not there.
func TestCox(t *testing.T) {
	for seed, n := range []int{2, 9, 60, 300} {
		rng := testRand(uint64(seed))
		time, event, z := make([]float64, n), make([]bool, n), normals(rng, n, 1)
		for i := range time {
			time[i], event[i] = float64(rng.IntN(n)), rng.IntN(3) > 0
			if seed == 2 { // no ties
				time[i] = rng.Float64()
			}
		}
		event[0] = true
		for _, omega := range [][]float64{nil, weights(rng, n)} {
			if omega != nil {
				omega[0] = 1
			}
			for _, mean := range []bool{false, true} {
				l, err := loss.NewCox(time, event, omega, mean)
				if err != nil {
					t.Fatal(err)
				}
				testLoss(t, checkedCox{l}, uint64(seed))
				near(t, "value", l.Eval(0, z, nil), naiveCox(time, event, omega, mean, z), 1e-12)
			}
		}
	}
}

func naiveCox(time []float64, event []bool, omega []float64, mean bool, z []float64) (sum float64) {
	w := func(i int) float64 {
		if omega == nil {
			return 1
		}
		return omega[i]
	}
	for i, seen := range event {
		if !seen || w(i) == 0 {
			continue
		}
		risk := 0.0
		for j, later := range time {
			if later >= time[i] {
				risk += w(j) * math.Exp(z[j])
			}
		}
		sum += w(i) * (math.Log(risk) - z[i])
	}
	if mean {
		sum /= float64(len(time))
	}
	return sum
}

// Risks of any size neither overflow nor vanish; r sums to 0, and the infimum is that of risks that fall with time.
func TestCoxOfLargePredictions(t *testing.T) {
	time, event := []float64{1, 2, 2, 3}, []bool{true, true, true, true}
	l, err := loss.NewCox(time, event, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	r := make([]float64, 4)
	for _, z := range [][]float64{{-2000, 0, 0, 2000}, {2000, 0, 0, -2000}, {1e5, 1e5, 1e5, 1e5}, {-800, -800, -800, -800}} {
		value := l.Eval(0, z, r)
		var sum float64
		for _, x := range r {
			sum += x
		}
		near(t, "Σ r", sum, 0, 1e-10)
		want := map[float64]float64{-2000: 8000, 2000: 2 * math.Ln2}[z[0]]
		if want == 0 {
			want = math.Log(4) + 2*math.Log(3)
		}
		near(t, "value", value, want, 1e-11)
	}
	near(t, "infimum", l.Infimum(), 2*math.Ln2, 1e-15)
	near(t, "-L*(0)", -l.Conjugate(0, r, 0), 2*math.Ln2, 1e-12)
}

// What no partial likelihood has is refused.
func TestCoxRefused(t *testing.T) {
	for want, c := range map[string]struct {
		time  []float64
		event []bool
		omega []float64
	}{
		"the time of observation 2 is -1": {[]float64{1, -1}, []bool{true, true}, nil},
		"no event was seen":               {[]float64{1, 2}, []bool{true, false}, []float64{0, 1}},
		"1 events for 2 times":            {[]float64{1, 2}, []bool{true}, nil},
		"1 weights for 2":                 {[]float64{1, 2}, []bool{true, true}, []float64{1}},
		"observation 1 is NaN":            {[]float64{math.NaN()}, []bool{true}, nil},
	} {
		if _, err := loss.NewCox(c.time, c.event, c.omega, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
