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

// Groups that overlap are those of group-inf where they do not, and certified where they do; one that has a feature twice, or a
// feature of no group, is named.
func TestOverlappingGroups(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"X": "1,0,2\n0,1,1\n1,3,0\n0,1,4\n", "y": "3\n4\n3\n4\n", "apart": "1 2\n3\n",
		"tree":  "1\n1 2\n1 2 3\n",
		"lacks": "1 2\n", "twice": "1 2 2\n3\n"})
	fit := func(gauge string) (out, errs string, code int) {
		return command(t, strings.Fields("fit regression --features X --targets y --lambda 0.5 --tol 1e-8 --json --gauge "+gauge)...)
	}
	objective := map[string]float64{}
	for _, gauge := range []string{"group-inf:apart", "overlap-inf:apart", "overlap-inf:tree", "rows-columns"} {
		out, errs, code := fit(gauge)
		var r struct {
			Status    string
			Objective float64
		}
		if err := json.Unmarshal([]byte(out), &r); code != 0 || err != nil || r.Status != "converged" {
			t.Fatalf("%s: exit %d, %s, %q, %v", gauge, code, r.Status, errs, err)
		}
		objective[gauge] = r.Objective
	}
	near(t, "groups apart", objective["overlap-inf:apart"], objective["group-inf:apart"], 1e-7)
	for gauge, want := range map[string]string{"overlap-inf:lacks": "lacks: no group has feature 3",
		"overlap-inf:twice": `twice: feature "2" stands twice in group 1`} {
		if _, errs, code := fit(gauge); code != 1 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, %s", gauge, code, errs)
		}
	}
}
