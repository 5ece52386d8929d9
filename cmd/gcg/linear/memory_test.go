package linear

import "testing"

// What fits took is forecast, and not much more than that: dense and sparse features, entries and ranks.
func TestFitMemory(t *testing.T) {
	for name, c := range map[string]struct {
		m    fitMemory
		size int
		seen float64
	}{
		"lasso": {fitMemory{rows: 20000, features: 1000, outputs: 1, observations: 20000, stored: 20e6, dense: true, sparse: true},
			741, 0.553e9},
		"lasso of 50 targets": {fitMemory{rows: 5000, features: 2000, outputs: 50, observations: 250_000, stored: 10e6, dense: true,
			sparse: true}, 2000, 0.645e9},
		"trace norm": {fitMemory{rows: 2000, features: 500, outputs: 500, observations: 1_000_000, stored: 1e6, dense: true}, 380,
			0.411e9},
		"classes of wide rows": {fitMemory{rows: 20000, features: 199_999, outputs: 20, observations: 400_000, stored: 600_000}, 20,
			1.336e9},
		"a million features": {fitMemory{rows: 100_000, features: 999_999, outputs: 1, observations: 100_000, stored: 1_879_009,
			sparse: true}, 9274, 0.114e9},
	} {
		if at := c.m.at(c.size); at < c.seen || at > 3*c.seen || c.m.least() > c.seen {
			t.Errorf("%s: %.3g at least and %.3g at most, %.3g were seen", name, c.m.least(), at, c.seen)
		}
	}
	one := fitMemory{rows: 20000, features: 1000, outputs: 10, observations: 200_000, stored: 20e6, dense: true}
	two := one
	if two.copied = true; two.at(5)-one.at(5) < 8*20e6 {
		t.Error("features that each part fills or scales by itself are not forecast")
	}
}
