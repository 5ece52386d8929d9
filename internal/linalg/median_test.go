package linalg

import "testing"

func TestMedians(t *testing.T) {
	for _, k := range []struct {
		x             []float64
		median, upper float64
	}{{nil, 0, 0}, {[]float64{3}, 3, 3}, {[]float64{9, 1}, 5, 9}, {[]float64{5, 7, 1}, 5, 5}, {[]float64{4, 1, 3, 2}, 2.5, 3}} {
		if m, u := Median(k.x), UpperMedian(k.x); m != k.median || u != k.upper {
			t.Errorf("%v: %v and %v, want %v and %v", k.x, m, u, k.median, k.upper)
		}
	}
}
