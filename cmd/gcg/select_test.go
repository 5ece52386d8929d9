package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// What cv marks are the points that the rules take from what it prints, and --select prints the λ of its own.
func TestMarkedPoints(t *testing.T) {
	ratings(t)
	args := strings.Fields("cv completion --train ratings.csv --center global --points 24 --ratio 0.05 --folds 3 --quiet")
	out, errs, code := command(t, append(args, "--json")...)
	var points []pathPoint
	if err := json.Unmarshal([]byte(out), &points); err != nil || code != 0 || len(points) != 24 {
		t.Fatalf("exit %d, %v, %s", code, err, errs)
	}
	least := slices.MinFunc(points, func(a, b pathPoint) int {
		if *a.RMSE < *b.RMSE {
			return -1
		}
		return 1
	})
	at := slices.IndexFunc(points, func(p pathPoint) bool { return *p.RMSE <= *least.RMSE+*least.StdErr })
	want := map[string]float64{"min": least.Lambda, "1se": points[at].Lambda}
	if want["min"] == want["1se"] {
		t.Fatalf("both rules take λ = %v, which tells nothing", want["min"])
	}
	for rule, lambda := range want {
		for _, p := range points {
			if slices.Contains(p.Selected, rule) != (p.Lambda == lambda) {
				t.Errorf("λ = %v is marked %v; %s takes %v", p.Lambda, p.Selected, rule, lambda)
			}
		}
		out, _, _ := command(t, append(args, "--select", rule)...)
		if line := "select " + rule + ": lambda " + fmt.Sprintf("%.6g", lambda) + "\n"; !strings.HasSuffix(out, line) {
			t.Errorf("--select %s does not print %q:\n%s", rule, line, out)
		}
	}
}

// Errors of any size stay in their columns.
func TestScoresFitTheirColumn(t *testing.T) {
	for x, want := range map[float64]string{0: "0.00000", 0.12345678: "0.12346", 9999.123456: "9999.12346",
		45231.123456: "45231.1235", 123456789.5: "123456790", 1.5e300: "1.5e+300", 1e-7: "1e-07"} {
		if got := tabled(x); got != want || len(got) > 10 {
			t.Errorf("%v is %q, want %q", x, got, want)
		}
	}
}
