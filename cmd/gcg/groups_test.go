package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// A byte order mark is no part of the first name, and entries that int32 does not number are refused, not taken for others.
func TestGroupsOfOddFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"bom": "\ufeffa\nb\na\n", "last": "2097152\n"})
	groups, _, err := readGroups("bom", nil, 3, 2)
	if err != nil || len(groups) != 2 || !slices.Equal(groups[0], []int32{0, 1, 4, 5}) {
		t.Errorf("a byte order mark: %v, %v", groups, err)
	}
	if groups, _, err := readGroups("last", nil, 1<<21, 1<<10+1); err == nil {
		t.Errorf("2³¹ entries and more: the last row is %v", groups)
	}
}

// Names of features that hold what separates words stand in quotes, as in the header they come from.
func TestGroupsOfQuotedNames(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"quoted": "2: \"height, cm\",age\n\"5\"\" screen\" 3\n"})
	groups, weights, err := readGroups("quoted", []string{"age", "height, cm", "plain", `5" screen`}, 4, 1)
	if err != nil || len(groups) != 2 || !slices.Equal(groups[0], []int32{1, 0}) || !slices.Equal(groups[1], []int32{3, 2}) || !slices.Equal(weights, []float64{2, 1}) {
		t.Errorf("groups %v, weights %v, %v", groups, weights, err)
	}
}

// A path begins where the group of the largest norm by its weight enters, and folds take the same weights.
func TestPathsOfWeightedGroups(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"X": "1,0\n0,1\n1,0\n0,1\n", "y": "3\n4\n3\n4\n", "plain": "1\n2\n", "priced": "1\n4: 2\n"})
	for name, want := range map[string]float64{"plain": 8, "priced": 6, "priced,by-size": 6} {
		for _, verb := range []string{"path", "cv --folds 2"} {
			v, flags, _ := strings.Cut(verb, " ")
			out, errs, code := command(t, strings.Fields(v+" regression --features X --targets y --points 2 --json --quiet --gauge group:"+name+" "+flags)...)
			var points []pathPoint
			if err := json.Unmarshal([]byte(out), &points); code != 0 || err != nil || len(points) == 0 {
				t.Fatalf("%s %s: exit %d, %q, %v", verb, name, code, errs, err)
			}
			near(t, verb+" of "+name, points[0].Lambda, want, 1e-9)
		}
	}
}
