package main

import (
	"fmt"
	"os"
	"slices"
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

// --max-time bounds an update, and leaves it the time to take steps.
func TestUpdateWithinTime(t *testing.T) {
	ratings(t)
	write(t, map[string]string{"new.csv": came})
	fitJSON(t, strings.Fields("--train ratings.csv --lambda 3 --model old")...)
	r := gcgJSON(t, "update --model old --train ratings.csv --data new.csv --output next --max-time 1h --require-converged")
	if r["status"] != "converged" || r["iterations"].(float64) < 1 {
		t.Errorf("%v after %v steps", r["status"], r["iterations"])
	}
	out, _, code := command(t,
		strings.Fields("update --model old --train ratings.csv --data new.csv --check --max-time 1h --quiet")...)
	if code != 0 || !strings.Contains(out, "the optimum is not below") {
		t.Errorf("exit %d, %s", code, out)
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

// A model of labels or of clicks is updated to the optimum of a cold fit to all, with new users and items, and stays of its kind.
func TestUpdateOfLabelsAndClicks(t *testing.T) {
	likes(t)
	write(t, map[string]string{
		"old-labels.csv": labels("a", 0, 40), "new-labels.csv": labels("a", 40, 44),
		"counts.csv": "user,item,count,timestamp\nu1,i4,2,8\nu2,fresh,1,8\nnew,i3,3,8\nnew,fresh,1,8\nu1,i4,1,9\n",
		"new.csv":    "user,item,rating,timestamp\nnew,i1,5,9\nnew,fresh,4,9\nu5,fresh,5,9\nu7,fresh,1,9\n",
		"logs.csv":   pairs(0, 40), "more.csv": pairs(40, 44),
	})
	for _, c := range []struct{ old, more, how string }{
		{"old-labels.csv", "new-labels.csv", "--loss logistic --lambda 0.5"},
		{"old-labels.csv", "new-labels.csv", "--loss logistic --lambda 0.5 --center global --weights smoothed:0.2"},
		{"old-labels.csv", "new-labels.csv", "--loss smoothed-hinge --constrain 20"},
		{"clicks.csv", "new.csv", "--implicit 5 --positive 4 --lambda 3"},
		{"clicks.csv", "new.csv", "--implicit 3 --background 0.5 --positive 4 --constrain 0.5 --weights power:0.5"},
		{"clicks.csv", "counts.csv", "--implicit 2 --lambda 9 --penalty square"},
		{"logs.csv", "more.csv", "--implicit 5 --lambda 2"},
	} {
		old, more := read(t, c.old), read(t, c.more)
		write(t, map[string]string{"all.csv": old + more[strings.Index(more, "\n")+1:]})
		fitJSON(t, strings.Fields("--train "+c.old+" --tol 1e-7 --model old "+c.how)...)
		want := fitJSON(t, strings.Fields("--train all.csv --tol 1e-7 --model cold "+c.how)...)
		optimum := want["objective"].(float64)
		for _, data := range []string{"--train " + c.old + " --data " + c.more, "--data all.csv"} {
			got := gcgJSON(t, "update --model old --output next --tol 1e-6 "+data)
			near(t, c.how+": the objective", got["objective"], optimum, 2e-6*optimum)
			began := got["began"].(map[string]any)
			if f := began["objective"].(float64); f < want["lower_bound"].(float64) ||
				began["lower_bound"].(float64) > optimum || began["relative_gap"].(float64) < 1e-6 {
				t.Errorf("%s: began at %v, and the optimum is %v", c.how, began, optimum)
			}
		}
		a, b := loaded(t, "cold"), loaded(t, "next")
		if b.Rows != a.Rows || b.Cols != a.Cols || b.Rows == loaded(t, "old").Rows || b.Info.Loss != a.Info.Loss ||
			!slices.Equal(b.TwoLabels(), a.TwoLabels()) || b.Info.Alpha != a.Info.Alpha ||
			b.Info.Background != a.Info.Background || b.Info.Positive != a.Info.Positive || b.Info.Observations != a.Info.Observations {
			t.Errorf("%s: %+v, and a cold fit has %+v", c.how, b.Info, a.Info)
		}
		_, errs, code := command(t, strings.Fields("update --model old --check --train "+c.old+" --data "+c.more)...)
		if code != 0 || !strings.Contains(errs, "new users, ") {
			t.Errorf("%s: exit %d, %q", c.how, code, errs)
		}
	}
}

// labels are yes and no of some users, each of four kinds, for 20 items.
func labels(name string, from, to int) string {
	var b strings.Builder
	b.WriteString("user,item,label\n")
	for i := from; i < to; i++ {
		for j := range 20 {
			if (3*i+5*j)%4 > 0 {
				fmt.Fprintf(&b, "%s%d,i%d,%s\n", name, i, j+i/40, []string{"no", "yes"}[(i+j+(i*j)%11/10)%4/2])
			}
		}
	}
	return b.String()
}

// pairs are users and items alone.
func pairs(from, to int) string {
	var b strings.Builder
	b.WriteString("user,item\n")
	for i := from; i < to; i++ {
		for j := range 20 {
			if (i+j)%3 == 0 || (2*i+5*j)%11 == 0 {
				fmt.Fprintf(&b, "u%d,i%d\n", i, j)
			}
		}
	}
	return b.String()
}

func read(t *testing.T, name string) string {
	t.Helper()
	all, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(all)
}

func loaded(t *testing.T, name string) *model.Model {
	t.Helper()
	m, err := model.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Labels of another kind and what is no click are named with their file and line.
func TestUpdateRefusesLabelsAndClicks(t *testing.T) {
	likes(t)
	write(t, map[string]string{"labels.csv": labels("a", 0, 40), "maybe.csv": "user,item,label\na1,i1,yes\na1,i2,maybe\n",
		"signs.csv": "user,item,label\na1,i1,1\n", "less.csv": "user,item,count\nu1,i1,1\nu2,i2,-1\n",
		"again.csv": "user,item,label\na0,i1,yes\n", "pairs.csv": "user,item\nu1,i1\n", "text.csv": "user,item,count\nu1,i1,many\n"})
	fitJSON(t, strings.Fields("--train labels.csv --loss logistic --lambda 0.5 --model labels")...)
	fitJSON(t, strings.Fields("--train clicks.csv --implicit 5 --lambda 3 --model clicks")...)
	for args, want := range map[string]struct {
		code int
		text string
	}{
		"labels --train labels.csv --data maybe.csv": {1,
			`maybe.csv:3: the label "maybe" does not occur in training`},
		"labels --train labels.csv --data signs.csv":                   {1, `signs.csv:2: the label "1" does not occur`},
		"labels --train labels.csv --data maybe.csv --float32":         {2, "--float32: keeps squares"},
		"labels --train labels.csv --data signs.csv --duplicates mean": {2, "--duplicates mean: labels have no mean"},
		"labels --train labels.csv --data again.csv --duplicates error": {1,
			"again.csv:2: user \"a0\" and item \"i1\" are already rated in labels.csv:2"},
		"clicks --train clicks.csv --data less.csv":              {1, "less.csv:3: a count of -1 clicks"},
		"clicks --train clicks.csv --data text.csv":              {1, "text.csv:2"},
		"clicks --train clicks.csv --data pairs.csv":             {1, "pairs.csv: of it and clicks.csv one has counts"},
		"clicks --data pairs.csv":                                {1, "has 1 clicks, and the model was fitted to"},
		"clicks --train clicks.csv --data less.csv --ranking 5":  {2, "--ranking 5: needs clicks to test on"},
		"clicks --train clicks.csv --data less.csv --implicit 7": {2, "--implicit: update keeps the problem"},
	} {
		_, errs, code := command(t, strings.Fields("update --output next --model "+args)...)
		if code != want.code || !strings.Contains(errs, want.text) || strings.Count(errs, "\n") > 2 {
			t.Errorf("%s: exit %d, %s", args, code, errs)
		}
	}
}
