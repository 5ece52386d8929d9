package main

import "testing"

// Ratings that are all equal leave nothing to choose λ by: the fit is their mean, with a warning.
func TestEqualRatings(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "user,item,rating\n"
	for _, cell := range []string{"a,x", "a,y", "a,z", "b,x", "b,y", "c,x", "c,z", "d,y", "d,z", "e,x", "e,y", "e,z"} {
		text += cell + ",3\n"
	}
	write(t, map[string]string{"equal.csv": text})
	r := gcgJSON2(t, "fit completion --train equal.csv --quiet --json")
	near(t, "the objective", r["objective"], 0, 0)
	if r["warnings"] == nil {
		t.Errorf("no word on ratings that are all equal: %v", r)
	}
}
