package main

import "testing"

// Of the λ within one standard error of the smallest error, 1se takes the largest; min takes that of the smallest error.
func TestSelectPoint(t *testing.T) {
	point := func(lambda, rmse, se float64) pathPoint {
		return pathPoint{Lambda: lambda, scores: scores{RMSE: &rmse}, StdErr: &se}
	}
	points := []pathPoint{point(8, 2, 9), point(4, 1.05, 0.001), point(2, 1, 0.1), point(1, 1.01, 0.1)} // the first is within its own standard error alone
	for rule, want := range map[string]float64{"min": 2, "1se": 4} {
		if got := selectPoint(points, rule).Lambda; got != want {
			t.Errorf("%s takes λ = %v, not %v", rule, got, want)
		}
	}
}
