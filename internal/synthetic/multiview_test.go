package synthetic_test

import (
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg/internal/synthetic"
)

// The noise is on as many entries as asked for, within its range; the same seed gives the same data.
func TestMultiView(t *testing.T) {
	g := synthetic.MultiView{Rows1: 30, Rows2: 20, Cols: 12, Rank: 3, Gamma: 5, NoiseFraction: 0.15, Seed: 7}
	truth, noisy, err := g.Generate()
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for i := range truth {
		d := noisy[i] - truth[i]
		if d < 0 || d > 10 {
			t.Fatalf("entry %d has the noise %v", i, d)
		}
		if d > 0 {
			changed++
		}
	}
	if changed != 90 {
		t.Errorf("%d of 600 entries are noisy, not 90", changed)
	}
	var first, second float64
	for i, x := range truth {
		if i < 30*12 {
			first += x * x
		} else {
			second += x * x
		}
	}
	if ratio := second / first; math.Abs(ratio-25) > 15 { // each column of B is 5 times as long as one of A
		t.Errorf("the second view has %v times the squares of the first, not about 25", ratio)
	}
	again, _, _ := g.Generate()
	for i := range truth {
		if truth[i] != again[i] {
			t.Fatal("the same seed gives other data")
		}
	}
}

// Sizes that make no views are refused.
func TestMultiViewRefuses(t *testing.T) {
	for _, g := range []synthetic.MultiView{{}, {Rows1: 2, Rows2: 2, Cols: 2, Rank: 1},
		{Rows1: 2, Rows2: 2, Cols: 2, Rank: 1, Gamma: 1,
			NoiseFraction: 2}} {
		if _, _, err := g.Generate(); err == nil {
			t.Errorf("%+v is taken", g)
		}
	}
}
