package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// Every solver brackets the same optimum, of the same λ.
func TestCompare(t *testing.T) {
	manualFolder(t)
	for args, solvers := range map[string]int{
		"regression --features X.csv --targets y.csv":                                                 6,
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
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(lines) != 1+7+1+7 || !strings.HasPrefix(out, "lambda 0.5;") {
		t.Errorf("%d, %s", code, out)
	}
	checks, _, _ := command(t, strings.Fields("check regression --features X.csv --targets y.csv")...)
	for _, line := range append(lines, strings.Split(checks, "\n")...) {
		if utf8.RuneCountInString(line) > 80 {
			t.Errorf("wider than 80 columns: %s", line)
		}
	}
	if !strings.Contains(checks, "\npolar     κ°, the dual norm: ") {
		t.Errorf("a word of the field is left unsaid:\n%s", checks)
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

// A solver that refuses the problem costs its own row; repetitions have ranges, tests a column, and gaps are to the best bound of
// all.
func TestCompareRows(t *testing.T) {
	manualFolder(t)
	var rows strings.Builder
	for i := range 900 {
		for j := range 2 {
			fmt.Fprintf(&rows, "%d,%d,%d\n", i, (i*7+j*331)%900, 1+(i+j)%5)
		}
	}
	if err := os.WriteFile("wide.csv", []byte(rows.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	args := "compare completion --train wide.csv --split 0.9 --center global --lambda 3 --solvers gcg,apg,js:none --quiet"
	if _, errs, code := command(t, strings.Fields(args)...); code != 2 || !strings.Contains(errs, "js") {
		t.Errorf("%d, %q", code, errs)
	}
	args = "compare completion --train wide.csv --split 0.9 --center global --lambda 3 --solvers gcg,apg,dhm --max-iter 3 --quiet"
	out, errs, code := command(t, strings.Fields(args+" --repeat 2 --format csv")...)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || errs != "" || len(lines) != 4 || !strings.HasPrefix(lines[0], "solver,steps,") ||
		!strings.Contains(lines[0], "test rmse") || !strings.Contains(lines[2], "apg decomposes W") {
		t.Fatalf("%d, %s%s", code, errs, out)
	}
	out, _, code = command(t, strings.Fields(args+" --repeat 2 --json")...)
	var all []struct {
		Solver  string
		Error   string
		Above   *float64
		Repeats int
		Within  map[string]float64    `json:"seconds_within"`
		Range   map[string][2]float64 `json:"seconds_within_range"`
	}
	if err := json.Unmarshal([]byte(out), &all); code != 0 || err != nil || len(all) != 3 {
		t.Fatalf("%d, %v, %s", code, err, out)
	}
	for _, e := range all {
		if e.Solver == "apg" {
			if e.Error == "" || e.Above != nil {
				t.Errorf("%+v", e)
			}
			continue
		}
		if e.Error != "" || e.Above == nil || *e.Above < -1e-9 || e.Repeats != 2 {
			t.Errorf("%+v", e)
		}
		for gap, r := range e.Range {
			if m := e.Within[gap]; !(r[0] <= m && m <= r[1]) {
				t.Errorf("%s: a median of %v in %v", e.Solver, m, r)
			}
		}
	}
	if out, _, code = command(t, strings.Fields(args+" --format markdown")...); code != 0 || !strings.HasPrefix(out, "| solver |") {
		t.Errorf("%d, %s", code, out)
	}
}

// The data are read once: the first solver alone has a time of reading.
func TestCompareReadsOnce(t *testing.T) {
	manualFolder(t)
	for _, args := range []string{"completion --train ratings.csv --solvers gcg,dhm",
		"regression --features X.csv --targets y.csv --solvers gcg,atomdescent",
		"recovery --train entries.csv --l1 0.00001 --lambda 0.0001 --solvers gfb,ipd --tol 0.5",
		"rpca --features X.csv --lambda 3 --l1 0.5 --solvers auto,gcg", "cur --features X.csv --solvers working-set,apg",
		"rpca --features X.csv --equal --l1 0.5 --lambda 1 --tol 0.05 --solvers auto,ialm",
		"multiview --view X.csv --view X.csv --solvers splitting,bcd"} {
		out, _, code := command(t, append(strings.Fields("compare "+args), "--json", "--quiet")...)
		var all []struct {
			Result struct {
				Read float64 `json:"read_seconds"`
			}
		}
		if err := json.Unmarshal([]byte(out), &all); err != nil || code != 0 || len(all) != 2 {
			t.Fatalf("%s: %d, %v, %s", args, code, err, out)
		}
		if !(all[0].Result.Read > 0) || all[1].Result.Read != 0 {
			t.Errorf("%s: reading took %v and %v s", args, all[0].Result.Read, all[1].Result.Read)
		}
	}
}
