package main

import (
	"encoding/json"
	"fmt"
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
		"multitask --train tasks.csv":                                       "rmse",
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
