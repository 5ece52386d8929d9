package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// A fit goes on from a model of another gauge by what of it the gauge has atoms for.
func TestWarmStartOfAnotherGauge(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"X": "1,0,2,1\n0,1,1,-1\n3,1,0,2\n1,2,1,0\n2,0,1,1\n-1,1,2,1\n", "y": "4\n-3\n5\n-2\n4\n2\n",
		"groups": "1,3\n4\n", "priced": "2: 1 3\n4\n", "weights": "1\n2\n1\n2\n"})
	gcgJSON(t, "fit regression --features X --targets y --lambda 0.01 --model m")
	for _, penalty := range []string{"l1:weights --lambda 0.3", "group --lambda 0.3", "group:groups --lambda 0.3",
		"group:priced,by-size --lambda 0.3", "columns --lambda 0.3", "positive-l1 --lambda 0.3",
		"simplex --constrain 2", "lp:3 --lambda 0.3", "group-inf --constrain 0.5"} {
		fit := "fit regression --features X --targets y --tol 1e-7 --gauge " + penalty
		cold, warm := gcgJSON(t, fit+" --model own"), gcgJSON(t, fit+" --warm m")
		near(t, penalty+": the objective", warm["objective"], cold["objective"].(float64), 1e-6*cold["objective"].(float64))
		if own := gcgJSON(t, fit+" --warm own"); own["iterations"].(float64) > 1 {
			t.Errorf("%s: %v iterations from its own solution, %v from 0", penalty, own["iterations"], cold["iterations"])
		}
	}
}

// A sparse W is a start for gauges with factors, and one of factors for sparse ones; W = 0 is one for both.
func TestWarmStartOfOtherAtoms(t *testing.T) {
	rows(t)
	for _, data := range []string{"classification --features X.csv --labels class.txt --lambda 0.01",
		"regression --features X.csv --targets y.csv --lambda 1",
		"multitask --train tasks.csv --lambda 0.01", "classification --features X.csv --labels class.txt --intercept --lambda 1e3"} {
		for _, gauges := range [][2]string{{"l1", "trace"}, {"trace", "l1"}, {"trace", "group"}, {"group", "schatten:2"},
			{"trace", "lp:3"}, {"factor:2,inf", "columns"}, {"l1", "factor:inf,2"}} {
			from, fit := "fit "+data+" --gauge "+gauges[0], "fit "+data+" --tol 1e-4 --gauge "+gauges[1]
			gcgJSON(t, from+" --tol 1e-2 --model m")
			cold, warm := gcgJSON(t, fit), gcgJSON(t, fit+" --warm m")
			near(t, fit+" from "+gauges[0], warm["objective"], cold["objective"].(float64), 2e-4*cold["objective"].(float64))
		}
	}
}

// The W that a fit starts from is that of the model, in atoms of the gauge: its loss is that of the model.
func TestStartIsTheModel(t *testing.T) {
	rows(t)
	fit := "fit regression --features X.csv --targets y.csv --lambda 0.1"
	for _, gauges := range [][2]string{{"l1", "trace"}, {"trace", "group"}, {"columns", "factor:inf,2"}} {
		loss := gcgJSON(t, fit+" --model m --gauge "+gauges[0])["loss"].(float64)
		gcgJSON(t, fit+" --warm m --trace t --gauge "+gauges[1])
		var first struct{ Loss float64 }
		text, _ := os.ReadFile("t")
		if err := json.NewDecoder(bytes.NewReader(text)).Decode(&first); err != nil || !(math.Abs(first.Loss-loss) < 1e-8*loss) {
			t.Errorf("%v: starts at a loss of %v, the model's is %v (%v)", gauges, first.Loss, loss, err)
		}
	}
}

// A model of the same tasks and features is a start whichever order they come in; where they are others, the first is named.
func TestWarmStartInAnotherOrder(t *testing.T) {
	rows(t)
	text, err := os.ReadFile("tasks.csv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	slices.Reverse(lines[1:])
	for i, line := range lines {
		f := strings.Split(line, ",")
		f[2], f[5] = f[5], f[2]
		lines[i] = strings.Join(f, ",")
	}
	turned := strings.Join(lines, "\n")
	write(t, map[string]string{"turned.csv": turned, "other.csv": strings.ReplaceAll(turned, "t2", "t7"),
		"named.csv": strings.Replace(turned, "noise", "noisy", 1)})
	for _, gauge := range []string{"trace", "l1", "lp:3", "columns", "factor:2,2"} {
		fit := "fit multitask --intercept --lambda 0.02 --tol 1e-6 --gauge " + gauge
		gcgJSON(t, fit+" --train tasks.csv --model m")
		if r := gcgJSON(t, fit+" --train turned.csv --warm m"); r["iterations"] != 0.0 {
			t.Errorf("%s: %v iterations from its own solution", gauge, r["iterations"])
		}
		complains(t, "m", `: its output "t2" is not among those of the data; --warm takes a model of the same outputs`,
			strings.Fields(fit+" --train other.csv --warm m --quiet")...)
		complains(t, "m", `: its feature "noise" is not among those of the data; --warm takes a model of the same features`,
			strings.Fields(fit+" --train named.csv --warm m --quiet")...)
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
