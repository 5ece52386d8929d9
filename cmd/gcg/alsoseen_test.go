package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
)

// Pairs without ratings come through fit, update and predict, and what they do not go with is refused by the name of the flag.
func TestAlsoSeen(t *testing.T) {
	t.Chdir(t.TempDir())
	smallRatings(t)
	write(t, map[string]string{"clicks.csv": "user,item\n1,5\n2,9\nann,3\nann,7\n4,bonus\n5,bonus\n",
		"other.csv": "user,item\nx,y\n",
		"ann.csv":   "ann,3\nann,bonus\n1,bonus\n"})
	out, errs, code := command(t, strings.Fields("fit completion --train ratings.csv --center global --lambda 4 --tol 1e-2 "+
		"--also-seen clicks.csv --model seen.gcg --json")...)
	var r cli.Result
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 {
		t.Fatal(code, errs, err)
	}
	told, _ := r.AlsoSeen.(map[string]any)
	if r.Rated != "both" || told["new_users"] != 1.0 || told["new_items"] != 1.0 || told["pairs"] != 6.0 {
		t.Errorf("rated %s, %v", r.Rated, told)
	}
	if out, errs, code = command(t, "predict", "--model", "seen.gcg", "--data", "ann.csv", "--quiet"); code != 0 ||
		strings.Count(out, "\n") != 4 {
		t.Errorf("%d: %s%s", code, out, errs)
	}
	plain := strings.Fields("fit completion --train ratings.csv --lambda 4 --tol 1e-2 --model plain.gcg --quiet")
	if _, errs, code = command(t, plain...); code != 0 {
		t.Fatal(errs)
	}
	const fit = "fit completion --train ratings.csv --also-seen "
	for line, want := range map[string]string{
		fit + "clicks.csv --rated none":                "2 --also-seen: joins lists",
		fit + "clicks.csv --float32 --lambda 1":        "2 --also-seen: not with --float32",
		fit + "clicks.csv --implicit 5":                "2 --also-seen: not with --implicit",
		fit + "clicks.csv --for ranking":               "2 --also-seen: not with --for ranking",
		fit + "other.csv --lambda 1":                   "1 other.csv: none of its users, such as \"x\"",
		"fit completion --also-seen clicks.csv":        "2 --also-seen: needs --train",
		"predict --model plain.gcg --data ann.csv":     "2 --also-seen: the model was fitted without",
		"recommend --model plain.gcg --user 1":         "2 --also-seen: the model was fitted without",
		"update --model seen.gcg --train ratings.csv":  "1 seen.gcg: was fitted with --also-seen",
		"update --model plain.gcg --train ratings.csv": "1 plain.gcg: was fitted without lists",
	} {
		args := strings.Fields(line)
		if args[0] == "update" {
			args = append(args, "--data", "ann.csv", "--check")
		}
		if !strings.Contains(line, "also-seen") && !strings.Contains(line, "update --model seen") {
			args = append(args, "--also-seen", "clicks.csv")
		}
		if _, errs, got := command(t, args...); got != int(want[0]-'0') || !strings.Contains(errs, want[2:]) {
			t.Errorf("gcg %s: exit %d: %s", line, got, errs)
		}
	}
}
