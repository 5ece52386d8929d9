package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/internal/atomicfile"
	"github.com/seed-b18ef778/gcg/model"
)

// folded is the prediction for each item that a new user has not rated.
func folded(t *testing.T, model string) map[string]float64 {
	t.Helper()
	out, errs, code := command(t, "recommend", "--model", model, "--ratings", "mine.csv", "--top", "40", "--format", "csv")
	lines, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if code != 0 || err != nil {
		t.Fatalf("%s: exit %d, %q, %v", model, code, errs, err)
	}
	all := map[string]float64{}
	for _, l := range lines[1:] {
		if all[l[2]], err = strconv.ParseFloat(l[3], 64); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// λκ, κ ≤ ζ and λκ²/2 with the same solution fold a new user in to the same predictions, with sums and with means.
func TestPenaltiesFoldInAlike(t *testing.T) {
	ratings(t)
	write(t, map[string]string{"mine.csv": "item,rating\n2,5\n3,1\n8,4.5\n11,2\n"})
	for _, more := range []string{"", " --center both --weights smoothed:0.1", " --normalize mean --center global", " --float32"} {
		lambda := 3.0
		if strings.Contains(more, "mean") {
			lambda /= 1200
		}
		args := "--train ratings.csv --tol 1e-9 --clip none --model m" + more
		rho := fitJSON(t, strings.Fields(fmt.Sprintf("%s --lambda %v", args, lambda))...)["gauge"].(float64)
		want := folded(t, "m")
		for _, same := range []string{fmt.Sprintf("--constrain %v", rho), fmt.Sprintf("--penalty square --lambda %v", lambda/rho)} {
			fitJSON(t, strings.Fields(args+" "+same)...)
			got := folded(t, "m")
			if len(got) != 36 {
				t.Errorf("%s %s: %d items", more, same, len(got))
			}
			for item, x := range want {
				if math.Abs(got[item]-x) > 1e-3 {
					t.Errorf("%s %s: item %s is predicted %g, with λ %g", more, same, item, got[item], x)
				}
			}
			shown, _, _ := command(t, "show", "--model", "m")
			name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(same, "--penalty square "), "--"), " ")
			if x, _ := strconv.ParseFloat(value, 64); !strings.Contains(shown, fmt.Sprintf("%s %.6g", name, x)) {
				t.Errorf("%s: show prints\n%s", same, shown)
			}
		}
	}
}

// Models that were written before the multiplier of a constraint was kept load, and say what to do.
func TestFoldInWithoutMultiplier(t *testing.T) {
	ratings(t)
	write(t, map[string]string{"mine.csv": "item,rating\n2,5\n"})
	fitJSON(t, "--train", "ratings.csv", "--constrain", "20", "--model", "m")
	m, err := model.Load("m")
	if err != nil {
		t.Fatal(err)
	}
	m.Info.FoldLambda = nil
	if err := atomicfile.Write("old", m.Write); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := command(t, "recommend", "--model", "old", "--ratings", "mine.csv"); code != 1 || !strings.HasPrefix(errs, "gcg: old: ") || !strings.Contains(errs, "fit again") {
		t.Errorf("exit %d, %s", code, errs)
	}
	if _, errs, code := command(t, "recommend", "--model", "old", "--user", "7"); code != 0 {
		t.Errorf("a known user: exit %d, %s", code, errs)
	}
}

// A constraint that holds nothing back has the multiplier 0: a new user gets a solution that fits, and is small.
func TestFoldInInsideTheBall(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"r": "a,x,2\na,y,4\nb,x,1\nb,y,2\n", "mine.csv": "item,rating\nx,3\n"})
	fitJSON(t, "--train", "r", "--constrain", "50", "--clip", "none", "--tol", "1e-9", "--model", "m")
	if y := folded(t, "m")["y"]; math.Abs(y-6) > 1e-3 {
		t.Errorf("y is predicted %g for 3 of x; it is rated twice as high", y)
	}
}
