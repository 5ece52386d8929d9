package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
)

// A path begins where the group of the largest norm by its weight enters, and folds take the same weights.
func TestPathsOfWeightedGroups(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"X": "1,0\n0,1\n1,0\n0,1\n", "y": "3\n4\n3\n4\n", "plain": "1\n2\n", "priced": "1\n4: 2\n"})
	for name, want := range map[string]float64{"plain": 8, "priced": 6, "priced,by-size": 6} {
		for _, verb := range []string{"path", "cv --folds 2"} {
			v, flags, _ := strings.Cut(verb, " ")
			out, errs, code := command(t,
				strings.Fields(v+" regression --features X --targets y --points 2 --json --quiet --gauge group:"+name+" "+flags)...)
			var points []cli.PathPoint
			if err := json.Unmarshal([]byte(out), &points); code != 0 || err != nil || len(points) == 0 {
				t.Fatalf("%s %s: exit %d, %q, %v", verb, name, code, errs, err)
			}
			near(t, verb+" of "+name, points[0].Lambda, want, 1e-9)
		}
	}
}
