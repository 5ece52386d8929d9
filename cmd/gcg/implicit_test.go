package main

import (
	"fmt"
	"strings"
	"testing"
)

// likes writes clicks.csv, ratings of people who like one of three kinds of items, with times.
func likes(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	var b strings.Builder
	b.WriteString("user,item,rating,timestamp\n")
	for i := range 60 {
		for j := range 30 {
			switch {
			case i%3 == j%3 && (7*i+5*j)%4 > 0:
				fmt.Fprintf(&b, "u%d,i%d,5,%d\n", i, j, 1000+(i*31+j*17)%97)
			case (3*i+11*j)%13 == 0:
				fmt.Fprintf(&b, "u%d,i%d,2,%d\n", i, j, 1000+(i*31+j*17)%97)
			}
		}
	}
	write(t, map[string]string{"clicks.csv": b.String()})
}

// Clicks are fitted to a bracket, beat popularity in lists, and lists of a small gap are certified.
func TestImplicitFeedback(t *testing.T) {
	likes(t)
	fit := "fit completion --train clicks.csv --implicit 5 --positive 4 --ranking 3,10 "
	r := gcgJSON(t, fit+"--split-per-user 0.8 --model m --tol 1e-9 --lambda-ratio 0.2")
	if r["relative_gap"].(float64) > 1e-9 || r["scores_within"].(float64) > 0.01 || r["implicit"].(float64) != 5 {
		t.Errorf("gap %v, scores within %v, α %v", r["relative_gap"], r["scores_within"], r["implicit"])
	}
	ranking := r["test"].(map[string]any)["ranking"].(map[string]any)
	last := func(name string) map[string]any {
		lists := ranking[name].(map[string]any)["lists"].([]any)
		return lists[len(lists)-1].(map[string]any)
	}
	if model, popular := last("model"), last("most_popular"); model["ndcg"].(float64) <= popular["ndcg"].(float64) ||
		model["n"].(float64) != 10 {
		t.Errorf("lists %v, of the most popular %v", model, popular)
	}
	if r := gcgJSON(t, fit+"--lambda 5"); r["test"] == nil { // the last tenth by time
		t.Error("with times and --ranking nothing is tested")
	}
}

func TestImplicitRefuses(t *testing.T) {
	likes(t)
	for args, want := range map[string]string{
		"--implicit 0":                                             "positive",
		"--implicit -1":                                            "positive",
		"--implicit 5 --background 0":                              "--background 0",
		"--implicit 5 --background -2":                             "--background -2",
		"--positive 4":                                             "--implicit",
		"--implicit 5 --center both":                               "--center",
		"--implicit 5 --split-time 1":                              "--split-time",
		"--implicit 5 --ranking -1":                                "--ranking",
		"--implicit 5 --solver proximal":                           "--solver",
		"--split-time 0.5 --split 0.5":                             "exclude",
		"--implicit 5 --normalize mean":                            "--normalize",
		"--implicit NaN --lambda-ratio 1":                          "",
		"--implicit 5 --columns user,item,rating,weight=timestamp": "clicks have no weights",
	} {
		_, errs, code := command(t, strings.Fields("fit completion --train clicks.csv "+args)...)
		if code != 2 || !strings.Contains(errs, want) || strings.Count(errs, "\n") > 2 {
			t.Errorf("%s: exit %d, %s", args, code, errs)
		}
	}
}

// A new user's clicks are items alone, items with counts, or users and items: all of them give the same list.
func TestFoldsClicksIn(t *testing.T) {
	likes(t)
	gcgJSON(t, "fit completion --train clicks.csv --implicit 5 --positive 4 --lambda 5 --model m")
	write(t, map[string]string{"stars.csv": "item,stars\ni1,5\ni4,4\ni2,1\n", "items.csv": "item\ni1\ni4\n", "bare.csv": "i1\ni4\n",
		"pairs.csv": "user,item\nnew,i1\nnew,i4\n", "named.csv": "item,who\ni1,new\ni4,new\n"})
	want, errs, code := command(t, strings.Fields("recommend --model m --ratings stars.csv --top 3")...)
	if code != 0 {
		t.Fatal(errs)
	}
	for _, args := range []string{"items.csv", "bare.csv", "pairs.csv", "named.csv --columns who,item"} {
		got, errs, code := command(t, strings.Fields("recommend --model m --top 3 --ratings "+args)...)
		if code != 0 || got != want {
			t.Errorf("%s: exit %d, %s%s, want %s", args, code, got, errs, want)
		}
	}
	_, errs, code = command(t, strings.Fields("recommend --model m --ratings stars.csv --columns 1,2,2,weight=2")...)
	if code != 2 || !strings.Contains(errs, "--columns") {
		t.Errorf("exit %d, %s", code, errs)
	}
}

// The checks of a problem of clicks, which keeps no predictions, pass on right data.
func TestChecksClicks(t *testing.T) {
	likes(t)
	out, errs, code := command(t, strings.Fields("check completion --train clicks.csv --implicit 5 --positive 4")...)
	if code != 0 || !strings.Contains(out, "  gradient: ⟨a, G⟩ equals the difference of L\n") ||
		strings.Contains(out, "adjoint") {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
}
