package main

import (
	"strings"
	"testing"
)

// Every solver comes to the same optimum, and says how nearly its conditions hold.
func TestSolversAgree(t *testing.T) {
	rows(t)
	for _, problem := range []string{
		"classification --train letters.libsvm --lambda 0.02",
		"regression --features X.csv --targets y.csv --gauge group --lambda 3 --intercept",
	} {
		want := gcgJSON(t, "fit "+problem+" --tol 1e-8")["objective"].(float64)
		for _, name := range []string{"atomdescent", "r1d", "contr1d"} {
			r := gcgJSON(t, "fit "+problem+" --tol 1e-5 --max-time 30 --solver "+name)
			if r["solver"] != name || r["status"] != "converged" {
				t.Errorf("%s by %s: %v, %v", problem, name, r["solver"], r["status"])
			}
			near(t, name+": objective", r["objective"], want, 1e-5*want)
			if _, ok := r["excess"].(float64); !ok || !(r["balance"].(float64) >= 0) {
				t.Errorf("%s by %s: conditions %v and %v", problem, name, r["excess"], r["balance"])
			}
		}
	}
}

func TestSolversRefuse(t *testing.T) {
	rows(t)
	for args, word := range map[string]string{
		"--solver newton":                       "gcg, atomdescent, r1d, contr1d",
		"--solver r1d --constrain 2":            "--solver r1d: is for a penalty, not for --constrain",
		"--solver contr1d --penalty square":     "continuation",
		"--solver atomdescent --step open-loop": "--step: goes with --solver gcg",
	} {
		_, errs, code := command(t, append(strings.Fields("fit classification --train letters.libsvm --quiet"),
			strings.Fields(args)...)...)
		if code != 2 || !strings.Contains(errs, word) || strings.Count(strings.TrimSpace(errs), "\n") != 0 {
			t.Errorf("%s: exit %d, %q", args, code, errs)
		}
	}
}
