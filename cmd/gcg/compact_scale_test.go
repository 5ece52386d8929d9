package main

import (
	"math"
	"strings"
	"testing"
)

// With --float32 the answer is that of float64, but for the rounding of the ratings: here halves, which are exact.
func TestFloat32Fits(t *testing.T) {
	ratings(t)
	for _, more := range [][]string{nil, {"--weights", "smoothed:0.2"}, {"--normalize", "mean", "--lambda", "0.01"},
		{"--split", "0.8"}} {
		args := append([]string{"--train", "ratings.csv", "--lambda", "5", "--tol", "1e-6", "--model", "m"}, more...)
		double, single := fitJSON(t, args...), fitJSON(t, append(args, "--float32")...)
		// the optimum is that of --tol; at it, its parts trade with each other
		for key, slack := range map[string]float64{"objective": 1e-6, "loss": 1e-4, "gauge": 1e-4} {
			a, b := double[key].(float64), single[key].(float64)
			if math.Abs(a-b) > slack*math.Abs(a) {
				t.Errorf("%v: %s is %v in float64 and %v in float32", more, key, a, b)
			}
		}
		if lower, f := single["lower_bound"].(float64), double["objective"].(float64); lower > f*(1+1e-9) {
			t.Errorf("%v: the lower bound %v is above the objective %v", more, lower, f)
		}
		if double["observations"] != single["observations"] {
			t.Errorf("%v: %v observations, and %v with float32", more, double["observations"], single["observations"])
		}
		if out, errs, code := command(t, "show", "--model", "m"); code != 0 || !strings.Contains(out, "completion") {
			t.Errorf("the model of --float32 is not read: %s%s", out, errs)
		}
	}
}

func TestGenerateInMemory(t *testing.T) {
	args := []string{"--generate", "movielens-100k:20000", "--lambda-ratio", "0.2", "--center", "global", "--tol", "1e-4"}
	double, single := fitJSON(t, args...), fitJSON(t, append(args, "--float32")...)
	a, b := double["objective"].(float64), single["objective"].(float64)
	if math.Abs(a-b) > 3e-4*a || double["observations"] != 20000.0 || single["observations"] != 20000.0 {
		t.Errorf("objectives %v and %v on %v and %v ratings", a, b, double["observations"], single["observations"])
	}
}

func TestScaleFlagsAreRefused(t *testing.T) {
	for _, line := range []string{"--float32", "--lambda-ratio 2", "--lambda-ratio 0.1 --lambda 3", "--generate moon",
		"--generate netflix:many",
		"--generate netflix --train x.csv", "--generate netflix:1", "--generate movielens-100k:2000", "--float32 --lambda 1 " +
			"--improve corrective", "--float32 --lambda 1 --solver atomdescent",
		"--float32 --lambda 1 --ranking 5"} {
		if _, errs, code := command(t, append([]string{"fit", "completion"}, strings.Fields(line)...)...); code != 2 ||
			strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit %d, %q", line, code, errs)
		}
	}
}
