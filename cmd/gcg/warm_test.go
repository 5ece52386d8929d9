package main

import (
	"fmt"
	"strings"
	"testing"
)

// A fit goes on from a model of another gauge by what of it the gauge has atoms for.
func TestWarmStartOfAnotherGauge(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"X": "1,0,2,1\n0,1,1,-1\n3,1,0,2\n1,2,1,0\n2,0,1,1\n-1,1,2,1\n", "y": "4\n-3\n5\n-2\n4\n2\n", "groups": "1,3\n4\n", "priced": "2: 1 3\n4\n", "weights": "1\n2\n1\n2\n"})
	gcgJSON(t, "fit regression --features X --targets y --lambda 0.01 --model m")
	for _, penalty := range []string{"l1:weights --lambda 0.3", "group --lambda 0.3", "group:groups --lambda 0.3", "group:priced,by-size --lambda 0.3", "columns --lambda 0.3", "positive-l1 --lambda 0.3",
		"simplex --constrain 2", "lp:3 --lambda 0.3", "group-inf --constrain 0.5"} {
		fit := "fit regression --features X --targets y --tol 1e-7 --gauge " + penalty
		cold, warm := gcgJSON(t, fit+" --model own"), gcgJSON(t, fit+" --warm m")
		near(t, penalty+": the objective", warm["objective"], cold["objective"].(float64), 1e-6*cold["objective"].(float64))
		if own := gcgJSON(t, fit+" --warm own"); own["iterations"].(float64) > 1 {
			t.Errorf("%s: %v iterations from its own solution, %v from 0", penalty, own["iterations"], cold["iterations"])
		}
	}
}

// Generated ratings keep no ids in float32; a model's are the numbers of rows and columns.
func TestWarmStartOfGeneratedRatings(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, more := range []string{"", " --float32"} {
		fit := strings.Fields("--generate movielens-100k:14000 --lambda 25" + more)
		fitJSON(t, append(fit, "--model", "m")...)
		if warm := fitJSON(t, append(fit, "--warm", "m")...); warm["iterations"].(float64) > 0 {
			t.Errorf("%s: %v iterations from its own solution", fmt.Sprint(fit), warm["iterations"])
		}
	}
}
