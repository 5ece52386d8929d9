package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
)

// What cv marks are the points that the rules take from what it prints, and --select prints the λ of its own.
func TestMarkedPoints(t *testing.T) {
	ratings(t)
	args := strings.Fields("cv completion --train ratings.csv --center global --weights none " +
		"--points 24 --ratio 0.05 --folds 3 --quiet")
	out, errs, code := command(t, append(args, "--json")...)
	var points []cli.PathPoint
	if err := json.Unmarshal([]byte(out), &points); err != nil || code != 0 || len(points) != 24 {
		t.Fatalf("exit %d, %v, %s", code, err, errs)
	}
	least := slices.MinFunc(points, func(a, b cli.PathPoint) int {
		if *a.RMSE < *b.RMSE {
			return -1
		}
		return 1
	})
	at := slices.IndexFunc(points, func(p cli.PathPoint) bool { return *p.RMSE <= *least.RMSE+*least.StdErr })
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
