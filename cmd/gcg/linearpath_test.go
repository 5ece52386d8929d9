package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
)

// Paths, folds and the choice of λ are one mechanism: it works for every problem, and finds a model that is worth something.
func TestLinearPaths(t *testing.T) {
	rows(t)
	for args, score := range map[string]string{
		"classification --train letters.libsvm":                             "log_loss",
		"classification --train letters.libsvm --loss squared-hinge":        "error_rate",
		"classification --train letters.libsvm --gauge l1":                  "log_loss",
		"multitask --train tasks.csv":                                       "rmse",
		"multitask --train tasks.csv --gauge l1":                            "rmse",
		"multitask --train won.csv --task who --target won --loss logistic": "log_loss",
		"regression --features X.csv --targets y.csv":                       "rmse",
		"regression --features X.csv --targets y.csv --penalty square":      "rmse",
		"regression --features X.csv --targets y.csv --normalize mean":      "rmse",
	} {
		for _, verb := range []string{"cv %s --folds 3", "cv %s --folds 3 --select 1se"} {
			out, errs, code := command(t, strings.Fields(fmt.Sprintf(verb, args)+" --points 4 --ratio 0.01 --json --quiet")...)
			var points []map[string]any
			if err := json.Unmarshal([]byte(out), &points); code != 0 || err != nil || len(points) < 4 {
				t.Fatalf("%s: %d, %q, %q", args, code, out, errs)
			}
			first, ok1 := points[0][score].(float64)
			last, ok2 := points[3][score].(float64)
			if !ok1 || !ok2 || last >= first || points[3]["standard_error"] == nil {
				t.Errorf("%s: %v … %v", args, points[0], points[3])
			}
			if mae, ok := points[3]["mae"].(float64); score == "rmse" && !(ok && mae > 0 && mae <= last) {
				t.Errorf("%s: MAE %v beside RMSE %v", args, points[3]["mae"], last)
			}
		}
	}
	for _, args := range []string{"multitask --train tasks.csv --by task",
		"regression --features X.csv --targets y.csv --by entry"} {
		out, errs, code := command(t, strings.Fields("cv "+args+" --points 3 --folds 4 --quiet")...)
		if code != 0 || !strings.Contains(out, "select min: lambda") {
			t.Errorf("%s: %d, %q, %q", args, code, out, errs)
		}
	}
	out, _, code := command(t, strings.Fields("path classification --train letters.libsvm --split 0.75 --points 3 --quiet")...)
	if code != 0 || !strings.Contains(out, "log loss") || !strings.Contains(out, "error rate") {
		t.Errorf("path: %d, %q", code, out)
	}
}

// The rank of a result is that of W, as show counts it, however many atoms a gauge that is no norm of singular values needs.
func TestRankOfAtoms(t *testing.T) {
	rows(t)
	const data = " regression --features X.csv --targets y.csv --lambda 5 --gauge factor:inf,2"
	r := gcgJSON(t, "fit"+data+" --tol 1e-2 --model m")
	if shown := gcgJSON2(t, "show --model m --json"); r["rank"] != shown["rank"] || r["rank"].(float64) > 2 {
		t.Errorf("rank %v, shown %v, of W with two columns", r["rank"], shown["rank"])
	}
	var points []cli.PathPoint
	out, errs, _ := command(t, strings.Fields("path"+strings.Replace(data, "--lambda 5", "--points 3",
		1)+" --tol 1e-2 --quiet --json")...)
	if err := json.Unmarshal([]byte(out), &points); err != nil || *points[2].Rank > 2 {
		t.Errorf("%v, %q, %q", err, out, errs)
	}
}

// The weights along a path are those that a fit at each λ exports, standardized or not, with intercepts; of the trace norm, too.
func TestPathWritesCoefficients(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"X.csv": "a,b,c\n1,2,0\n2,1,1\n3,5,0\n4,0,1\n5,3,1\n", "y.csv": "1\n2\n3\n5\n4\n"})
	for _, options := range []string{"", " --standardize --intercept", " --gauge trace --intercept"} {
		data := " regression --features X.csv --targets y.csv --tol 1e-10" + options
		out, errs, code := command(t, strings.Fields("path"+data+" --points 3 --coefficients w.csv --json")...)
		if code != 0 {
			t.Fatal(out, errs)
		}
		var points []struct{ Coefficients []struct{ Weight float64 } }
		if err := json.Unmarshal([]byte(out), &points); err != nil {
			t.Fatal(err)
		}
		file, err := os.ReadFile("w.csv")
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(file)), "\n")
		if lines[0] != "lambda,feature,output,weight" {
			t.Fatal(lines[0])
		}
		total := 0
		for _, p := range points {
			total += len(p.Coefficients)
		}
		if total != len(lines)-1 {
			t.Errorf("%q: JSON has %d weights, the file %d", options, total, len(lines)-1)
		}
		last, _, _ := strings.Cut(lines[len(lines)-1], ",")
		if _, errs, code := command(t, strings.Fields("fit"+data+" --model m --lambda "+last)...); code != 0 {
			t.Fatal(errs)
		}
		if _, errs, code := command(t, "export", "--model", "m", "--output", "e.csv"); code != 0 {
			t.Fatal(errs)
		}
		exported, err := os.ReadFile("e.csv")
		if err != nil {
			t.Fatal(err)
		}
		rows := strings.Split(strings.TrimSpace(string(exported)), "\n")[1:]
		for k, row := range rows {
			got, want := strings.Split(lines[len(lines)-len(rows)+k], ",")[1:], strings.Split(row, ",")
			a, _ := strconv.ParseFloat(got[2], 64)
			b, _ := strconv.ParseFloat(want[2], 64)
			if !slices.Equal(got[:2], want[:2]) || math.Abs(a-b) > 1e-4*math.Max(1, math.Abs(b)) {
				t.Errorf("%q: %q on the path, %q exported", options, got, want)
			}
		}
		if len(rows) < 2 {
			t.Errorf("%q: only %d weights", options, len(rows))
		}
	}
	if _, errs, code := command(t, strings.Fields("path completion --train X.csv --coefficients w.csv")...); code != 2 {
		t.Errorf("completion: exit %d, %s", code, errs)
	}
}
