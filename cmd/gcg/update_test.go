package main

import (
	"os"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/model"
)

// came are ratings that come in after ratings.csv, with a user and an item of their own and one that is rated again.
const came = "user,item,rating\nnew,2,5\nnew,3,4\n1,fresh,2\n2,fresh,5\n3,fresh,1\n"

// An update has the optimum of a fit to all ratings, and its start is in the bracket that it says.
func TestUpdateIsAFitToAll(t *testing.T) {
	ratings(t)
	write(t, map[string]string{"new.csv": came})
	old, err := os.ReadFile("ratings.csv")
	if err != nil {
		t.Fatal(err)
	}
	write(t, map[string]string{"all.csv": string(old) + came[strings.Index(came, "\n")+1:]})
	for _, how := range []string{"--lambda 3", "--lambda 9 --center both --weights smoothed:0.2 --clip none", "--constrain 30",
		"--lambda 0.05 --center global --penalty square", "--lambda 0.0025 --center rows --normalize mean", "--lambda 3 --float32"} {
		fitJSON(t, strings.Fields("--train ratings.csv --tol 1e-7 --model old "+strings.ReplaceAll(how, "--float32", ""))...)
		want := fitJSON(t, strings.Fields("--train all.csv --tol 1e-7 "+strings.ReplaceAll(how, "--float32", ""))...)
		more := ""
		if strings.Contains(how, "--float32") {
			more = " --float32"
		}
		for _, data := range []string{"--train ratings.csv --data new.csv", "--data all.csv"} {
			got := gcgJSON(t, "update --model old --output next --tol 1e-6 "+data+more)
			optimum := want["objective"].(float64)
			near(t, how+": the objective", got["objective"], optimum, 2e-6*optimum)
			began := got["began"].(map[string]any)
			if f := began["objective"].(float64); f < want["lower_bound"].(float64) ||
				began["lower_bound"].(float64) > want["objective"].(float64) || began["relative_gap"].(float64) < 1e-6 {
				t.Errorf("%s: began at %v, and the optimum is %v", how, began, want["objective"])
			}
		}
		a, err := model.Load("old")
		if err != nil {
			t.Fatal(err)
		}
		b, err := model.Load("next")
		if err != nil {
			t.Fatal(err)
		}
		if b.Rows != a.Rows+1 || b.Cols != a.Cols+1 || b.Clip != a.Clip || b.Info.Lambda != a.Info.Lambda ||
			b.Info.Center != a.Info.Center || b.Info.Weights != a.Info.Weights || b.Info.Penalty != a.Info.Penalty {
			t.Errorf("%s: %d × %d, %+v after %d × %d, %+v", how, b.Rows, b.Cols, b.Info, a.Rows, a.Cols, a.Info)
		}
	}
}

// --check says how far the model is, and writes nothing; of what the model was fitted to it is not far.
func TestUpdateCheck(t *testing.T) {
	ratings(t)
	write(t, map[string]string{"new.csv": came})
	fitJSON(t, strings.Fields("--train ratings.csv --lambda 3 --tol 1e-4 --model old")...)
	r := gcgJSON(t, "update --model old --train ratings.csv --data new.csv --check")
	if began := r["began"].(map[string]any); !(began["relative_gap"].(float64) > 1e-3) || r["observations"].(float64) != 1205 {
		t.Errorf("%v", r)
	}
	_, errs, code := command(t, strings.Fields("update --model old --train ratings.csv --data new.csv --check")...)
	if code != 0 || !strings.Contains(errs, "new.csv: 5 ratings, 1 new users, 1 new items") {
		t.Errorf("exit %d, %q", code, errs)
	}
	out, _, code := command(t, strings.Fields("update --model old --data ratings.csv --check")...)
	if code != 0 || !strings.Contains(out, "within --tol 0.001: no update is needed") {
		t.Errorf("exit %d, %s", code, out)
	}
	if _, err := os.Stat("next"); err == nil {
		t.Error("something was written")
	}
}

// What update cannot do is said in one line, and the old model stays as it is.
func TestUpdateRefuses(t *testing.T) {
	ratings(t)
	write(t, map[string]string{"new.csv": came, "strange.csv": "user,item,rating\nx,y,3\nz,y,2\n"})
	fitJSON(t, strings.Fields("--train ratings.csv --lambda 3 --model old")...)
	before, _ := os.ReadFile("old")
	for args, want := range map[string]struct {
		code int
		text string
	}{
		"--model old":                                                         {2, "needs --model"},
		"--model old --data new.csv":                                          {2, "needs --output FILE"},
		"--model old --data new.csv --check --output x":                       {2, "--output: --check writes no model"},
		"--model old --data new.csv --check --lambda 2":                       {2, "--lambda: update keeps the problem"},
		"--model old --data new.csv --check --center both":                    {2, "--center: update keeps the problem"},
		"--model old --data new.csv --output old":                             {1, "has 5 ratings, and the model was fitted to 1200"},
		"--model old --data new.csv --train strange.csv --output old":         {1, "has no user or no item of the model old"},
		"--model none --data new.csv --output old":                            {1, "none"},
		"--model old --data none --train ratings.csv --output old":            {1, "none"},
		"--model old --data new.csv --train ratings.csv --output ratings.csv": {2, "ratings.csv: is read"},
	} {
		if _, errs, code := command(t, strings.Fields("update "+args)...); code != want.code || !strings.Contains(errs, want.text) {
			t.Errorf("%s: exit %d, %s", args, code, errs)
		}
	}
	if after, _ := os.ReadFile("old"); string(after) != string(before) {
		t.Error("the old model was touched")
	}
}
