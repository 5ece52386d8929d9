package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// fewRatings writes ratings about 4 by users who have one to three of them each.
func fewRatings(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(7, 7))
	var s strings.Builder
	fmt.Fprintln(&s, "user,item,rating")
	for user := range 400 {
		first := rng.IntN(60)
		for k := range 1 + rng.IntN(3) {
			fmt.Fprintf(&s, "u%d,i%d,%d\n", user, first+20*k, 3+rng.IntN(3))
		}
	}
	write(t, map[string]string{"few.csv": s.String()})
}

// A user or an item all of whose ratings are set apart for the test is as unknown as in a test of a file of its own.
func TestSplitsCountWhatTrainingDoesNotKnow(t *testing.T) {
	fewRatings(t)
	for _, c := range []struct{ split, more string }{{"--split 0.7", " --ranking 5"}, {"--split 0.7", " --float32"},
		{"--split-last 1", ""}} {
		if _, errs, code := command(t, strings.Fields("data split --train few.csv --parts a.csv,b.csv "+c.split)...); code != 0 {
			t.Fatal(errs)
		}
		same := " --lambda 2 --center rows" + c.more
		apart := fitJSON(t, strings.Fields("--train few.csv "+c.split+same)...)["test"].(map[string]any)
		files := fitJSON(t, strings.Fields("--train a.csv --test b.csv"+same)...)["test"].(map[string]any)
		if n := apart["unknown"].(float64); n != files["unknown"] || n == 0 {
			t.Errorf("%s: %v ratings are of unknown users or items, and %v in files", c, n, files["unknown"])
		}
		near(t, c.split+c.more+": the test error", apart["rmse"], files["rmse"].(float64), 1e-4)
	}
	write(t, map[string]string{"lone.csv": "a,x,1\nb,y,2\nc,z,3\nd,w,4\n"})
	out, errs, code := command(t, strings.Fields("fit completion --train lone.csv --columns 1,2,3 --lambda 1 --split 0.5")...)
	if want := "lone.csv: none of the 2 ratings set apart is of a user and an item of training"; code != 0 ||
		!strings.Contains(out, want) {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
}

// Means of users with one to three ratings lose to the global mean, which is then what to try, whichever means were subtracted;
// and to fit the training ratings less closely than an offset for each user is nothing to be warned of.
func TestMeansOfFewRatingsLoseToTheGlobalMean(t *testing.T) {
	fewRatings(t)
	for _, center := range []string{"none", "rows", "both"} {
		out, errs, code := command(t, strings.Fields("fit completion --train few.csv --lambda 1000 --split 0.7 --center "+center)...)
		if code != 0 || !strings.Contains(out, "is worse than that of the global mean") ||
			!strings.Contains(out, "try --center global, or another λ\n") {
			t.Errorf("--center %s: exit %d, %s%s", center, code, out, errs)
		}
	}
	out, errs, code := command(t, strings.Fields("fit completion --train few.csv --lambda 2 --center global")...)
	if code != 0 || strings.Contains(out, "is worse than") {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
}

// While λ is chosen for ratings that are far from 0, of which the λ that are tried leave more than their mean alone would,
// --center global is named.
func TestChoiceNamesTheMean(t *testing.T) {
	fewRatings(t)
	if _, errs, code := command(t, "data", "split", "--train", "few.csv", "--parts", "a.csv,b.csv", "--split", "0.8"); code != 0 {
		t.Fatal(errs)
	}
	const want = "the mean of the ratings alone has an RMSE of "
	for more, named := range map[string]bool{" --center none --weights none": true,
		" --valid b.csv --center none --weights none": true, "": false, " --center global": false, " --center cols": false} {
		if _, errs, code := command(t, strings.Fields("fit completion --train a.csv"+more)...); code != 0 ||
			strings.Contains(errs, want) != named {
			t.Errorf("%q: exit %d, %s", more, code, errs)
		}
	}
}

// Predictions that are all clipped to the lowest rating have the same error at the first λ, which is no reason to try no more.
func TestChoiceGoesOnWhilePredictionsAreClipped(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(8, 8))
	var s strings.Builder
	for user := range 600 {
		for k := range 3 {
			item := 20*k + rng.IntN(20)
			fmt.Fprintf(&s, "u%d,i%d,%d\n", user, item, 3+item%3)
		}
	}
	write(t, map[string]string{"items.csv": s.String()})
	r := fitJSON(t, strings.Fields("--train items.csv --split 0.9")...)
	if rmse := r["test"].(map[string]any)["rmse"].(float64); r["rank"].(float64) == 0 || rmse > 0.3 {
		t.Errorf("λ = %v, rank %v, test RMSE %v: too large a λ was chosen", r["lambda"], r["rank"], rmse)
	}
}

// Lists of what was rated that are asked for, and not tried for so few ratings, are said to be left out.
func TestFewRatingsTryNoLists(t *testing.T) {
	fewRatings(t)
	for rated, said := range map[string]bool{"": false, " --rated auto": true, " --rated users": false} {
		_, errs, code := command(t, strings.Fields("fit completion --train few.csv --lambda-ratio 0.5"+rated)...)
		if code != 0 || strings.Contains(errs, "no lists are tried") != said {
			t.Errorf("%q: %d, %s", rated, code, errs)
		}
	}
}

// Ratings that are all alike are clicks, and the warning says how to fit them.
func TestOnesAreClicks(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"ones.csv": "customer,product,bought\na,x,1\na,y,1\nb,x,1\n"})
	out, errs, code := command(t, strings.Fields("fit completion --train ones.csv --lambda 1")...)
	if code != 0 || !strings.Contains(out, "all ratings are 1") || !strings.Contains(out, "--implicit 10") {
		t.Errorf("%d, %s%s", code, out, errs)
	}
}
