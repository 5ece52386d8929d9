package main

import (
	"fmt"
	"strings"
	"testing"
)

// Every flag that makes another problem is one, to a checkpoint: as many ratings, split, centred or weighted another way, have
// another bound.
func TestResumeRefusesWhatFlagsChange(t *testing.T) {
	rows(t)
	var r strings.Builder
	for user := range 4 {
		for item := range 4 {
			fmt.Fprintf(&r, "%d,%d,%d\n", user+1, item+1, 1+(user*item+item)%5)
		}
	}
	write(t, map[string]string{"r": r.String() + "1,1,4\n", "once": r.String(),
		"other": strings.Replace(r.String(), "1,1,1", "1,1,2", 1)})
	for _, c := range []struct{ fit, same, others string }{
		{"completion --train r --duplicates last --split 0.5 --lambda 0.1", "--clip none --tol 1e-4",
			"--weights empirical|--weights power:0.5|--center global|--normalize mean|--penalty square|--duplicates mean|--seed " +
				"2|--lambda 0.2|--split 0.75"},
		{"completion --train r --duplicates last --split-per-user 0.5 --lambda 0.1", "", "--seed 2|--split-per-user 0.75"},
		{"completion --train once --center both --weights smoothed:0.1 --lambda 0.01", "",
			"--center rows|--weights smoothed:0.2|--train other"},
		{"completion --train once --constrain 5", "", "--constrain 6"},
		{"regression --features X.csv --targets y.csv --split 0.5 --lambda 1", "--tol 1e-4",
			"--normalize mean|--penalty square|--loss huber|--gauge group|--intercept|--seed 2|--lambda 2"},
	} {
		fit := "fit " + c.fit + " --quiet "
		if _, errs, code := command(t, strings.Fields(fit+"--checkpoint c")...); code != 0 {
			t.Fatalf("%s: exit %d, %s", c.fit, code, errs)
		}
		if _, errs, code := command(t, strings.Fields(fit+"--resume c "+c.same)...); code != 0 {
			t.Errorf("%s %s: exit %d, %s", c.fit, c.same, code, errs)
		}
		for _, other := range strings.Split(c.others, "|") {
			_, errs, code := command(t, strings.Fields(fit+"--resume c "+other)...)
			if code != 1 || !strings.HasPrefix(errs, "gcg: c: belongs to another problem: ") || strings.Count(errs, "\n") != 1 {
				t.Errorf("%s, resumed with %s: exit %d, %q", c.fit, other, code, errs)
			}
		}
	}
	for _, splits := range []string{"--split 0.5|--split-per-user 0.5", "--split-last 2|--split 0.5"} { // of eight ratings each
		first, then, _ := strings.Cut(splits, "|")
		command(t, strings.Fields("fit completion --train once --lambda 0.1 --quiet --checkpoint c "+first)...)
		if _, errs, code := command(t,
			strings.Fields("fit completion --train once --lambda 0.1 --quiet --resume c "+then)...); code != 1 || !strings.Contains(errs, "split=") {
			t.Errorf("%s: exit %d, %q", splits, code, errs)
		}
	}
}
