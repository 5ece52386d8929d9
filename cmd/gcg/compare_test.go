package main

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
)

// Every solver brackets the same optimum, of the same λ.
func TestCompare(t *testing.T) {
	manualFolder(t)
	for args, solvers := range map[string]int{
		"regression --features X.csv --targets y.csv":                                                 5,
		"regression --features X.csv --targets y.csv --solvers gcg,gcg:corrective,gcg:none:open-loop": 3,
		"regression --features X.csv --targets y.csv --constrain 1 --solvers gcg,sliding":             2,
		"completion --train ratings.csv --solvers gcg,gcg:corrective --plot c.svg":                    2,
		"spca --covariance C.csv --solvers sparse-pca,dspca":                                          2,
		"recovery --train entries.csv --l1 0.00001 --lambda 0.0001 --solvers auto,hcgs --tol 0.2":     2,
	} {
		out, errs, code := command(t, append(strings.Fields("compare "+args), "--json", "--quiet")...)
		if code != 0 || errs != "" {
			t.Fatalf("%s: %d, %s", args, code, errs)
		}
		var all []struct {
			Solver string
			To     map[string]float64 `json:"seconds_to"`
			Result struct {
				Objective float64
				Lower     float64 `json:"lower_bound"`
				Lambda    float64
				Status    string
			}
		}
		if err := json.Unmarshal([]byte(out), &all); err != nil || len(all) != solvers {
			t.Fatalf("%s: %v, %d solvers\n%s", args, err, len(all), out)
		}
		best := math.Inf(-1)
		for _, e := range all {
			best = math.Max(best, e.Result.Lower)
		}
		for _, e := range all {
			r := e.Result
			if r.Status != "converged" || r.Lambda != all[0].Result.Lambda || len(e.To) == 0 {
				t.Errorf("%s: %+v", args, e)
			}
			if r.Objective < best-1e-12*math.Abs(best) {
				t.Errorf("%s: %s has the objective %g, below the bound %g of another", args, e.Solver, r.Objective, best)
			}
		}
	}
	if svg, err := os.ReadFile("c.svg"); err != nil || !strings.Contains(string(svg), "gcg:corrective") {
		t.Errorf("the plot has no run of that name: %v", err)
	}
}

// The table has a row for each solver, and the log says who is left out.
func TestCompareForPeople(t *testing.T) {
	manualFolder(t)
	out, errs, code := command(t, strings.Fields("compare regression --features X.csv --targets y.csv --lambda 0.5")...)
	if lines := strings.Split(strings.TrimSpace(out), "\n"); code != 0 || len(lines) != 7 || !strings.HasPrefix(out, "lambda 0.5;") {
		t.Errorf("%d, %s", code, out)
	}
	if !strings.Contains(errs, "structured is left out: ") {
		t.Error(errs)
	}
	for args, want := range map[string]string{
		"regression":                     "gcg: gcg compare regression needs data",
		"completion --lambda auto":       "--lambda auto: solvers are compared on one problem",
		"completion --plot x.gif":        ".svg, .png or .pdf",
		"completion --solvers best":      "--solver \"best\"",
		"completion --train -":           "--train: every solver reads the data",
		"completion --solver gcg":        "--solver",
		"completion --solvers gcg:twice": "--step \"twice\"",
	} {
		if _, errs, code := command(t, strings.Fields("compare "+args)...); code != 2 || !strings.Contains(errs, want) ||
			strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: %d, %q", args, code, errs)
		}
	}
}
